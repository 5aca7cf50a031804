# %% [markdown]
# (ch-rr)=
# # Randomized response
#
# *After {cite:t}`ye2018survey` §1–2, with {cite:t}`sun2021keyvalue` §2.1 and {cite:t}`zhang2018gfim` §2.1–2.2.1.*
#
# :::{admonition} In one minute
# Ask a question that people would rather not answer, and let everybody toss a coin in private before replying: heads, the truth; tails, the opposite.
# No reply says much about the person who gave it, because it may be a lie.
# Yet the coin is known, so the lies can be subtracted from the tally of many replies.
#
# If the coin falls heads with probability $p = e^\varepsilon/(1+e^\varepsilon)$, a reply changes the odds of any bet about the person by a factor of at most $e^\varepsilon$,
# and $n$ replies give the share of "yes" with standard error
# $\dfrac{1}{2\sinh(\varepsilon/2)\,\sqrt n}$.
# :::
#
# :::{zh}
# 本章以最早的本地机制随机响应引入本地化差分隐私，并提出贯穿全书的两个问题：一份报告泄露多少信息，众多报告又能换来多高的精度。
# 答案取自实际运行的代码：沿用户端的每一个随机分支重放，得到报告的精确概率律，$\varepsilon$、偏差与方差由此算出。
# 以概率 $p=e^\varepsilon/(1+e^\varepsilon)$ 如实作答时，随机响应恰好满足 $\varepsilon$-本地化差分隐私，比例的估计无偏，标准误差为 $1/(2\sinh(\varepsilon/2)\sqrt n)$；对二值问题，由每人一份报告得到的无偏估计，其标准误差都不低于此。
# 综述（叶青青等）的定义，以及它与学位论文（张俊）所述的序列组合性和并行组合性，均得到复现；两文关于数据量和个性化隐私设置的论断在条件下复现。
# 两文“本地模型不存在全局敏感度，故拉普拉斯机制与指数机制不适用”的论断予以更正：同一用户的任意两个取值互为相邻，两种机制都适用。
# 学位论文中关于 $\varepsilon$ 与保护强度的一种说法（见于两处，该文他处说法正确），以及极大似然估计、其期望和 $p$ 的所印公式，均予更正。
# 综述建议对相互关联的用户采用交互式框架，此论断未复现：关联并不使任何一人的 $\varepsilon$ 被突破，也不使估计有偏；若报告本身就是对亲属情况的陈述，则另当别论。
# :::
#
# You will meet the definition of local differential privacy, the oldest mechanism that satisfies it, and the two questions this book asks of every mechanism: *what does a reply give away*, and *what are the replies worth*.
# Both get an exact answer, read off the code that runs.
# You need probability at the level of Bayes' rule and the variance of a sum, and nothing about privacy.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from fractions import Fraction
from itertools import chain, combinations, product
from math import exp, inf, log, sinh, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import binom, laplace

from ldpnb import GRR, SUE, epsilon, law, laws, moments, pick, same_law, toss, worst
from ldpnb.book import check, datasets, settle, style, sweep
from ldpnb.book.diagram import PLAIN, SAND, SKY, arrow, board, border, box
from ldpnb.chance import odds

style()
SEED = 1965  # the year of Warner's paper

# %% [markdown]
# (sec-rr-question)=
# ## A question nobody likes
#
# In 1974 a magazine asked its readers, married women, about their lives; {cite:t}`fair1978theory` analysed what 6,366 of them wrote.
# One question was about affairs.
# The answers are here, in the clear, because the readers trusted the magazine.
# We shall ask the same people again as if they did not.

# %%
people = datasets.fair()
truth = people["affair"].to_numpy().astype(int)
n, share = len(truth), truth.mean()
print(f"{n:,} people, of whom {truth.sum():,} had an affair: {share:.1%}")

# %% [markdown]
# | symbol | meaning | in code |
# |---|---|---|
# | $n$ | number of people | `n` |
# | $x_i \in \{0, 1\}$ | the true answer of person $i$, 1 for yes | `truth` |
# | $\pi = \frac1n \sum x_i$ | the share of yes that we want, with the papers' letter; a share is $f$ in the chapters that follow | `share` |
# | $y_i \in \{0, 1\}$ | the reply of person $i$ | |
# | $\varepsilon > 0$ | privacy budget, in natural units (nats) | `eps` |
# | $p$ | probability of telling the truth | `p` |
#
# The people and their answers are fixed throughout; only the coins are random.
# Shares and their errors are given in per cent and in *points*, hundredths of the whole.
#
# (sec-rr-reply)=
# ## How a person replies
#
# {cite:t}`warner1965randomized` had each person spin a pointer where the interviewer could not see it.
# Our coin does the same; `toss(p, rng)` is one biased coin.


# %%
def reply(answer, eps, rng):
    """One person's reply: the truth on heads, the opposite on tails."""
    heads = toss(exp(eps) / (1 + exp(eps)), rng)
    return answer if heads else 1 - answer


# %% [markdown]
# Four people with $\varepsilon = 1$:

# %%
rng = np.random.default_rng(SEED)
for name, answer in {"Ann": 1, "Bea": 0, "Cleo": 0, "Dora": 1}.items():
    said = reply(answer, 1.0, rng)
    remark = "" if said == answer else "  ← a lie"
    print(f"{name:<4}  truth {answer}  says {said}{remark}")

# %% [markdown]
# Anyone who reads only the column "says" cannot tell the lies from the rest.
# How often somebody lies need not be found by tossing: `laws` walks through every branch of `reply` and adds up the probabilities, for each truth.


# %%
def client(answer, rng):
    return reply(answer, 1.0, rng)


for answer, one in enumerate(laws(client, [0, 1])):
    for said, q in sorted(one.items()):
        print(f"truth {answer}, says {said}: probability {float(q):.4f}")

# %% [markdown]
# Such a function, which takes a person's answer and a source of randomness and returns a report, is called a *client* in this book, and the list of its reports with their probabilities is its *law*.
# `laws` hands the client a stand-in for the random generator that takes every turn once and keeps the books in exact fractions.
# It sees what the machine does and not what a formula says it should do; at the end of the chapter this will matter.
# Randomized response, often written W-RR after Warner, is the client `reply`; its report is the person's reply.
#
# (sec-rr-privacy)=
# ## What a reply gives away
#
# :::{prf:definition} ε-local differential privacy
# :label: def-ldp
# A client $M$, which draws a report $M(x)$ from a person's value $x$, is *ε-locally differentially private* (ε-LDP) if for any two values $x, x'$ and every set $S$ of reports
#
# $$\Pr[M(x) \in S] \;\le\; e^\varepsilon \, \Pr[M(x') \in S].$$
#
# :::
#
# All five of our papers define it; in {cite:t}`wang2024dynamic` the formula is lost.
# {cite:t}`sun2021keyvalue` and {cite:t}`ren2019bayesnet` (both in Definition 1) ask for the inequality at every single report; {cite:t}`ye2018survey` (Definition 1) and {cite:t}`zhang2018gfim` (2-2) mix the symbols for a report and for a set of reports, and can be read either way.
# With finitely many reports that is the same thing, because the probability of a set is a sum over its members; with a continuum of reports only sets make sense.
# The thesis also prints $<$ for $\le$, and we come back to that in {ref}`sec-rr-differs`.
#
# A client is *exactly* ε-LDP if it is ε-LDP and this ε is the least possible.
#
# :::{prf:theorem} Randomized response is exactly ε-LDP
# :label: thm-rr-privacy
# With $p = e^\varepsilon/(1+e^\varepsilon)$, which is above $\frac12$, the likelihood ratio of a reply under the two possible truths is $e^\varepsilon$ or $e^{-\varepsilon}$.
# :::
#
# :::{prf:proof}
# The reply $y$ has probability $p$ if the truth is $y$ and $1-p$ otherwise.
# The ratio of the two is $p/(1-p) = e^\varepsilon$.
# :::
#
# The proof speaks of the formula; the check speaks of the code.
# `epsilon` takes the laws of the replies to all possible truths and returns the logarithm of the largest ratio.
# A check in this book always runs on a deliberate mistake as well, its control, and has to notice it.

# %%
exact = epsilon(laws(client, [0, 1]))


def eager(answer, rng):  # the control: lies too rarely
    return answer if toss(1 - exp(-1.0) / 2, rng) else 1 - answer


wrong = epsilon(laws(eager, [0, 1]))
check(
    "Privacy",
    f"ε = {exact:.6f} where 1 is stated, 2 truths × 2 replies",
    abs(exact - 1) < 1e-12,
    control=f"lies with probability e^-ε/2, ε = {wrong:.3f}",
    caught=abs(wrong - 1) > 1e-12,
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
four = laws(GRR(k=4, epsilon=1.0), np.arange(4))  # single reports and sets of reports, on a client with four of each
reports = sorted(four[0])
sets = list(chain.from_iterable(combinations(reports, size) for size in range(1, 5)))
by_sets = max(log(sum(a[y] for y in s) / sum(b[y] for y in s)) for s in sets for a in four for b in four)

single_is_enough = abs(by_sets - epsilon(four)) < 1e-12
equality = abs(exact - 1) < 1e-12 and abs(epsilon(four) - 1) < 1e-12
settle("ye2018.definition", holds={"single-outputs": single_is_enough})
settle("ren2019.definition", holds={"attained": equality})

# %% [markdown]
# What is done to a report afterwards, by whoever holds it, does not matter.
#
# :::{prf:theorem} Post-processing
# :label: thm-post
# If $M$ is ε-LDP and $T$ is a random function of reports that does not look at the value, then $T(M(x))$ is ε-LDP.
# :::
#
# :::{prf:proof}
# With finitely many reports (otherwise put an integral for the sum),
#
# $$ \Pr[T(M(x)) \in S] = \sum_y \Pr[T(y) \in S]\,\Pr[M(x) = y], $$
#
# and every term changes by a factor of at most $e^\varepsilon$ when $x'$ is put for $x$.
# :::
#
# So reports may be stored, added up, published, sold or stolen; each of them keeps its ε.
#
# A privacy budget is chosen once and lived with, so it pays to know it by heart.
# {numref}`fig-rr-p` draws the relation of Fig. 7 of {cite:t}`ye2018survey`: at $\varepsilon = 1$ people still lie more than once in four replies, at $\varepsilon = 5$ once in 150.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-p", "caption": "Probability p of telling the truth against the privacy budget ε (the relation of Fig. 7 of the survey). It leaves 1/2 with slope 1/4 and is as good as 1 from ε = 6 on: budgets beyond that hide little."}, "image": {"alt": "Line plot of the probability of the truth against epsilon from 0 to 10. The line rises from 0.5, passes 0.73 at epsilon 1 and 0.88 at 2, and flattens near 1 beyond 6."}}
budgets = np.linspace(0, 10, 201)
truthful = np.exp(budgets) / (1 + np.exp(budgets))
marked = [0.5, 1, 2, 5]
fig, ax = plt.subplots()
ax.plot(budgets, truthful, marker="")
for eps in marked:
    p = exp(eps) / (1 + exp(eps))
    ax.plot(eps, p, "o", color="C0")
    ax.annotate(f"{p:.3f}", (eps, p), xytext=(6, -16), textcoords="offset points")
ax.set(xlabel="privacy budget ε", ylabel="probability p of the truth", xlim=(0, 10), ylim=(0.48, 1.02))
plt.show()

# %% [markdown]
# (sec-odds)=
# ### ε as betting odds
#
# What does $e^\varepsilon$ mean to the person?
# Suppose somebody bets that she had an affair, and knows whatever there is to know: her age, her neighbours' gossip, the habits of her town.
# All that knowledge goes into the odds before the reply, and the reply can only multiply them.
#
# :::{prf:theorem} A reply changes no odds by more than $e^\varepsilon$
# :label: thm-odds
# Let a client be ε-LDP with finitely many reports, and let a bettor hold any prior over the values.
# For any two values $x, x'$ of positive probability and any report $y$ that can occur,
#
# $$ e^{-\varepsilon} \;\le\; \frac{\Pr[x \mid y]}{\Pr[x' \mid y]} \bigg/ \frac{\Pr[x]}{\Pr[x']} \;\le\; e^{\varepsilon}, $$
#
# and randomized response attains both ends.
# :::
#
# :::{prf:proof}
# By Bayes' rule the quotient of the odds after and before is $\Pr[y \mid x]/\Pr[y \mid x']$, which {prf:ref}`def-ldp` bounds from both sides by exchanging $x$ and $x'$.
# For randomized response it is $e^{\varepsilon}$ or $e^{-\varepsilon}$ by {prf:ref}`thm-rr-privacy`.
# :::
#
# The same holds for a bet on a group of values, whose probabilities are mixtures.
# Of the readers 32 % had an affair, odds of about 1 to 2.
# {numref}`fig-rr-odds` shows what a bettor thinks after hearing "yes", and after hearing "no".


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-odds", "caption": "Belief after the reply against belief before it, after “yes” (upper lines) and after “no” (lower lines). The dotted vertical line is the 32 % of the readers. At ε = 0.5 the belief moves from 32 % to 44 % at most; at ε = 4 a “yes” is nearly a confession."}, "image": {"alt": "Belief after a reply against belief before it for epsilon 0.5, 1, 2 and 4: four pairs of curves that bow away from the diagonal, the more so the larger epsilon. From 32 percent a yes leads to 44, 56, 78 and 96 percent."}}
def belief(prior, eps, said):
    """Probability that the truth is yes after this reply, from the laws of the replies under both truths."""
    no, yes = laws(lambda x, rng: reply(x, eps, rng), [0, 1])
    return prior * float(yes[said]) / (prior * float(yes[said]) + (1 - prior) * float(no[said]))


priors = np.linspace(0.001, 0.999, 200)
fig, ax = plt.subplots()
for i, eps in enumerate([0.5, 1, 2, 4]):
    color, dash = f"C{i}", ["-", "--", "-.", (0, (5, 1))][i]
    ax.plot(priors, belief(priors, eps, 1), color=color, linestyle=dash, marker="")
    ax.text(0.8, belief(0.8, eps, 0) - 0.02, f"ε = {eps:g}", va="top", ha="left", fontsize=11)
    ax.plot(priors, belief(priors, eps, 0), color=color, linestyle=dash, marker="")
ax.plot([0, 1], [0, 1], color="gray", linewidth=1, marker="", linestyle="-")
ax.axvline(share, color="black", linestyle=":", linewidth=1)
ax.set(xlabel="belief before the reply", ylabel="belief after the reply", xlim=(0, 1), ylim=(0, 1.06))
plt.show()
for eps in (0.1, 0.5, 1, 2, 4):
    print(f"ε = {eps:<3g}  {share:.2f} → {belief(share, eps, 1):.2f} after yes, {belief(share, eps, 0):.2f} after no")

# %% [markdown]
# A simpler bettor has to name the truth, with no knowledge but the reply, between two truths that are equally likely beforehand.
# The best guess is the likelier one, and it is right half the time plus half the total variation distance between the two laws.
# So ε says how much privacy there is, and in which direction: *smaller* is more.


# %% tags=["hide-input"]
def best_guess(a, b):
    """Probability that the best guess between two equally likely inputs is right, given a report."""
    return float(sum(max(a.get(y, 0), b.get(y, 0)) for y in a.keys() | b.keys()) / 2)


guesses = {eps: best_guess(*laws(lambda x, rng, eps=eps: reply(x, eps, rng), [0, 1])) for eps in (5, 2, 1, 0.5, 0.1)}
print("best guess right: " + ", ".join(f"{guesses[eps]:.1%} (ε = {eps:g})" for eps in (0.1, 0.5, 1, 2, 5)))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
draws = np.random.default_rng(SEED)
change = 0.0  # of the logarithm of any odds, four values, any prior, any reply
for prior in draws.dirichlet(np.ones(4), size=200):
    for y in range(4):
        after = prior * [float(one[y]) for one in four]
        change = max(change, np.ptp(np.log(after / prior)))
settle(
    "ye2018.background",
    holds={"odds": change <= 1 + 1e-9},
)
settle(
    "ye2018.inference",
    holds={
        "small-epsilon": guesses[0.1] <= 0.55,
        "large-epsilon": guesses[5] <= 0.55,
    },
)
settle(
    "zhang2018.larger-epsilon",
    holds={"worse": guesses[0.5] > guesses[1] > guesses[2]},
    instead={"better": guesses[0.5] < guesses[1] < guesses[2]},
)
blind = laws(lambda x, rng: x if toss(0.5, rng) else 1 - x, [0, 1])  # the reply at ε = 0
settle(
    "zhang2018.epsilon-zero",
    holds={"blind": blind[0] == blind[1] and best_guess(*blind) == 0.5},
)

# %% [markdown]
# (sec-rr-estimate)=
# ## What the replies are worth
#
# Let $\bar y$ be the share of replies that are yes.
# A truth of 1 is reported as 1 with probability $p$, a truth of 0 with probability $1-p$, so
#
# $$ \begin{aligned} \E\,\bar y &= \pi p + (1-\pi)(1-p) \\ &= (1-p) + (2p-1)\,\pi, \end{aligned} $$ (eq-rr-law)
#
# a straight line in $\pi$, which we solve for $\pi$:
#
# $$ \hat\pi = \frac{\bar y - (1-p)}{2p-1}. $$ (eq-rr-estimate)
#
# :::{prf:theorem} The estimate is unbiased, with a variance that does not depend on the answers
# :label: thm-rr-estimate
# If everybody tosses a coin of their own, then for any fixed people $\E\,\hat\pi = \pi$ and
#
# $$ \begin{aligned} \Var \hat\pi &= \frac{p(1-p)}{(2p-1)^2\,n} = \frac{e^\varepsilon}{(e^\varepsilon-1)^2\,n} \\ &= \frac{1}{4\sinh^2(\varepsilon/2)\,n}. \end{aligned} $$
#
# :::
#
# :::{prf:proof}
# Unbiasedness is {eq}`eq-rr-law` put into {eq}`eq-rr-estimate`.
# Replies are independent, and each is a coin of probability $p$ or $1-p$, whose variance is $p(1-p)$ either way; divide by $(2p-1)^2 n$.
# With $p = e^\varepsilon/(1+e^\varepsilon)$ we have $p(1-p) = e^\varepsilon/(1+e^\varepsilon)^2$ and $2p-1 = (e^\varepsilon-1)/(e^\varepsilon+1)$.
# :::
#
# If the people are themselves a random sample of a larger population with share $\pi$, the variance of that sample, $\pi(1-\pi)/n$, comes on top; this is Warner's own formula.
# We keep the people fixed, because the price of privacy is what we are after.
#
# The estimate is the mean of the people's *scores*, $(y_i-(1-p))/(2p-1)$.
# So the theorem holds for any number of people as soon as it holds for one, and for one we have the exact law.


# %%
def score(said, eps):
    """What one reply contributes to the estimate of the share."""
    p = exp(eps) / (1 + exp(eps))
    return (said - (1 - p)) / (2 * p - 1)


# %% tags=["hide-input"]
def mean_and_variance(eps, score):
    """Exact mean and variance of one person's score, for a no and for a yes, from the law of the reply."""
    return moments(lambda x, rng: reply(x, eps, rng), [0, 1], score=lambda said: score(said, eps))


some = (0.1, 0.5, 1, 2, 5)
off = max(np.abs(mean_and_variance(eps, score)[0] - [0, 1]).max() for eps in some)
ratio = max(np.abs(mean_and_variance(eps, score)[1] * 4 * sinh(eps / 2) ** 2 - 1).max() for eps in some)
plain = [np.abs(mean_and_variance(eps, lambda said, eps: said)[0] - [0, 1]) for eps in some]
check(
    "Unbiased",
    "mean of the score = truth, both truths, five ε from 0.1 to 5",
    off < 1e-9,
    control="the replies counted as they are",
    caught=np.max(plain) > 1e-9,
)
half = max(np.abs(mean_and_variance(eps, score)[1] * 4 * sinh(eps) ** 2 - 1).max() for eps in some)


def sampled(eps, pi):
    """Exact variance of the score of somebody drawn at random, with share pi of yes."""
    _, variance = moments(
        lambda pi, rng: reply(int(toss(pi, rng)), eps, rng), [pi], score=lambda said: score(said, eps)
    )
    return variance[0]


extra = max(abs(sampled(eps, 0.3) - 1 / (4 * sinh(eps / 2) ** 2) - 0.3 * 0.7) for eps in (0.5, 1, 2))
check(
    "Variance",
    "of the score = 1/(4 sinh²(ε/2)), both truths, five ε",
    ratio < 1e-9,
    control="ε for ε/2 in the formula",
    caught=half > 1e-9,
)
check(
    "Sampling",
    "people drawn at random with share 0.3: π(1−π) more, three ε",
    extra < 1e-9,
    control="compared with the fixed people's variance",
    caught=abs(sampled(1, 0.3) - 1 / (4 * sinh(0.5) ** 2)) > 0.1,
)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
def yes_from_random_truth(pi, p, rng):
    return 1 if toss(p, rng) == toss(pi, rng) else 0


tried = [(pi, p) for pi in (0.1, 1 / 3, 0.8) for p in (0.25, 0.75, 0.875)]
gap = max(
    abs(float(law(lambda rng, pi=pi, p=p: yes_from_random_truth(pi, p, rng))[1]) - (pi * p + (1 - pi) * (1 - p)))
    for pi, p in tried
)
settle("ye2018.wrr-law", holds={"law": gap < 1e-12})
settle(
    "ye2018.wrr-raw",
    holds={"biased": off < 1e-9 and np.min(plain) > 1e-3},
)
settle(
    "zhang2018.wrr-law",
    holds={"law": gap < 1e-12, "biased": np.min(plain) > 1e-3},
)


def by_probability(p):
    return epsilon(laws(lambda x, rng: x if toss(p, rng) else 1 - x, [0, 1]))


settle(
    "ye2018.wrr-epsilon",
    holds={
        "above-half": all(abs(by_probability(p) - log(p / (1 - p))) < 1e-12 for p in (0.6, 0.75, 0.9)),
        "below-half": abs(by_probability(0.25) - log(0.25 / 0.75)) < 1e-12,
    },
)

# %% [markdown]
# ### The readers, asked again
#
# Now 6,366 readers toss their coins.
# {numref}`fig-rr-fair` shows eight such surveys, one for each of eight budgets: eight worlds, not eight questions to one reader.
# The half-width $1.96/(2\sinh(\varepsilon/2)\sqrt n)$ of an interval does not depend on the answers, so a pollster who sees nothing but replies can draw the same picture.
# One interval in twenty misses the truth.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-fair", "caption": "The share of the 6,366 readers who had an affair, estimated from their perturbed replies at eight budgets (dots, with 95 % intervals from the theorem); the line is the truth, 32.2 %. At ε = 1 the interval reaches 2.4 points to either side, at ε = 0.1 it says next to nothing."}, "image": {"alt": "Dot plot of the estimated share in percent against epsilon on a logarithmic axis from 0.05 to 8, with 95 percent intervals. The intervals shrink from about plus or minus 49 points at 0.05 to a fraction of a point at 8, and the dots settle on the line at 32.2."}}
asked = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8]
rows = []
for eps, child in zip(asked, rng.spawn(len(asked)), strict=True):
    mechanism = GRR(k=2, epsilon=eps)  # the package's client, shown below to have the law of `reply`
    estimate = mechanism.estimate(mechanism.tally(mechanism.perturb(truth, rng=child)))[1]
    rows.append({"ε": eps, "estimate": estimate, "error": sqrt(1 / (4 * sinh(eps / 2) ** 2 * n))})
survey = pd.DataFrame(rows)
fig, ax = plt.subplots()
ax.axhline(100 * share, color="black", linestyle="-", linewidth=1, marker="")
ax.errorbar(survey["ε"], 100 * survey["estimate"], yerr=196 * survey["error"], fmt="o")
ax.set(xscale="log", xlabel="privacy budget ε", ylabel="estimated share of yes, %")
ax.set_xticks(asked, [f"{eps:g}" for eps in asked])
ax.minorticks_off()
plt.show()
for row in survey.itertuples():
    missed = "" if abs(row.estimate - share) <= 1.96 * row.error else "   misses the truth"
    print(f"ε = {row[1]:<4g}  {100 * row.estimate:6.2f} %  ± {196 * row.error:.2f} points{missed}")

# %% [markdown]
# With a million people the same budgets buy $\sqrt{10^6/6366} \approx 12.5$ times less error.
# A million replies need not be drawn one by one: the number of yes among the replies is the sum of two binomials, and `simulate` draws those.
# {numref}`fig-rr-error` compares the spread of 2,000 simulated surveys with the theorem.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-error", "caption": "Standard error of the share against ε, in points, for the 6,366 readers and for a million people. Lines: the theorem; markers: root mean square error of 2,000 simulated surveys with 95 % bars. Halving ε doubles the error as long as ε is small; beyond ε = 2 the error falls exponentially."}, "image": {"alt": "Log-log plot of the standard error in percentage points against epsilon from 0.05 to 8 for n = 6,366 and n = one million. Two parallel lines fall with slope minus one up to epsilon 2 and then faster; the simulated markers lie on the lines."}}
TRIALS = 2000


def rms(errors):
    """Root mean square of simulated errors, in points, and the half-width of its 95 % interval."""
    squares = (100 * errors) ** 2
    error = sqrt(squares.mean())
    return {"error": error, "bar": 1.96 * squares.std() / (2 * error * sqrt(len(squares)))}


def local_error(n, eps, rng):
    yes, mechanism = round(n * share), GRR(k=2, epsilon=eps)
    estimates = mechanism.estimate(mechanism.simulate([n - yes, yes], trials=TRIALS, rng=rng))
    return rms(estimates[:, 1] - yes / n)


simulated = sweep(local_error, rng=rng, n=[n, 10**6], eps=asked)
fig, ax = plt.subplots()
fine = np.geomspace(0.05, 8, 100)
for i, (size, found) in enumerate(simulated.groupby("n")):
    ax.plot(fine, 100 / (2 * np.sinh(fine / 2) * sqrt(size)), color=f"C{i}", linestyle=["-", "--"][i], marker="")
    ax.errorbar(found["eps"], found["error"], yerr=found["bar"], fmt="os"[i], color=f"C{i}", label=f"n = {size:,}")
ax.set(xscale="log", yscale="log", xlabel="privacy budget ε", ylabel="standard error, points")
ax.set_xticks(asked, [f"{eps:g}" for eps in asked])
ax.minorticks_off()
ax.legend()
plt.show()
for eps in (0.1, 0.5, 1, 2):
    need = 1 / (4 * sinh(eps / 2) ** 2 * 0.01**2)
    print(f"ε = {eps:<3g}  people needed for a standard error of one point: {need:,.0f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
p_of = [exp(eps) / (1 + exp(eps)) for eps in budgets]
error_of = [sqrt(GRR(k=2, epsilon=eps).variance([1])[0, 1] / n) for eps in budgets[1:]]
settle(
    "ye2018.fig7",
    holds={
        "rises": p_of[0] == 0.5 and p_of == sorted(p_of) and 0.9999 < p_of[-1] < 1,
        "falls": error_of == sorted(error_of, reverse=True),
    },
)

# %% [markdown]
# (sec-rr-client)=
# ### The client of the package
#
# `reply` answers for one person.
# The package has a vectorised client for any number of answers $k$, of which two are a special case (`GRR`, {ref}`ch-frequency`).
# It is built differently: it keeps the answer with probability $(e^\varepsilon-1)/(e^\varepsilon+1)$ and otherwise picks one of the two blindly, which is how {cite:t}`ren2019bayesnet` (§4.1) describe randomized response.
# That this comes to the same thing is checked by one line, at all eight budgets; the simulator of whole populations is tied to the client in the same way.


# %%
def both(eps, other):
    return (lambda x, rng: reply(x, eps, rng)), GRR(k=2, epsilon=other)


check(
    "Same law",
    "reply and GRR(k=2), both truths, all eight budgets",
    all(same_law(*both(eps, eps), [0, 1]) for eps in asked),
    control="ε = 1.01 for ε = 1",
    caught=not same_law(*both(1, 1.01), [0, 1]),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}


def truth_or_blind(x, rng):
    return x if toss((exp(1) - 1) / (exp(1) + 1), rng) else pick((0, 1), rng)


settle(
    "ren2019.randomized-response",
    holds={"law": same_law(client, truth_or_blind, [0, 1])},
)

# %% tags=["hide-input"]
mechanism = GRR(k=2, epsilon=1.0)
pairs = {pair: np.bincount(pair, minlength=2) for pair in ((0, 0), (0, 1), (1, 1))}


def apart(pair, counts, simulator=mechanism):
    """Total variation distance between the tally of two replies and the simulated tally of a histogram."""
    drawn = law(lambda rng: mechanism.tally(mechanism.perturb(np.array(pair), rng=rng)).counts)
    shortcut = law(lambda rng: simulator.simulate(counts, trials=1, rng=rng).counts[0])
    return sum(abs(drawn.get(y, 0) - shortcut.get(y, 0)) for y in drawn.keys() | shortcut.keys()) / 2


check(
    "Simulation",
    "tallies of two people, three populations, simulated = drawn",
    all(apart(pair, counts) < 2**-50 for pair, counts in pairs.items()),
    control="simulated at ε = 1.01",
    caught=all(apart(pair, counts, GRR(k=2, epsilon=1.01)) > 1e-4 for pair, counts in pairs.items()),
)

# %% [markdown]
# (sec-rr-mle)=
# ### Maximum likelihood, and the price of being sensible
#
# {cite:t}`ye2018survey` and {cite:t}`zhang2018gfim` derive {eq}`eq-rr-estimate` in another way.
# They take the people as drawn at random with share $\pi$, so that $n_1$ yes-replies have likelihood
#
# $$ L(\pi) = q^{n_1} (1-q)^{n-n_1}, \qquad q = \pi p + (1-\pi)(1-p), $$
#
# and look for its maximum.
# It is at $\hat\pi$, unless $n_1/n$ falls outside $[1-p, p]$.
# Then $\hat\pi$ is not a proportion at all, and the likelihood over $[0, 1]$ is largest at the nearer end: the maximum-likelihood estimate is $\hat\pi$ clipped to $[0, 1]$.
#
# Clipping looks harmless, and no single survey gets worse by it.
# But whoever only ever moves low estimates up shifts the average: *a clipped estimate is biased*, and averages of many clipped estimates, over regions or over weeks, are wrong in a way that more data of the same kind does not mend.
# {numref}`fig-rr-clip` shows the exact bias, from the exact law of the number of yes.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-clip", "caption": "Exact bias of the clipped (maximum-likelihood) estimate against the true share, for 200 people, in points. The unclipped estimate has no bias anywhere (line at zero). Rare traits, for which local privacy is wanted most, suffer most: at ε = 0.5 a share of 1 % is reported as 6 % on average."}, "image": {"alt": "Bias of the clipped estimate in percentage points against the true share from 0 to 50 percent, for 200 people at epsilon 0.25, 0.5, 1 and 2. All curves start high at share 0, at 11, 6, 3 and 1 points, and fall towards zero at 50 percent."}}
def law_of_yes(ones, people, p):
    """Exact probabilities of 0, 1, …, people yes-replies when this many truths are 1."""
    return np.convolve(
        binom.pmf(np.arange(ones + 1), ones, p), binom.pmf(np.arange(people - ones + 1), people - ones, 1 - p)
    )


def bias(ones, people, eps, clip):
    p = exp(eps) / (1 + exp(eps))
    estimate = (np.arange(people + 1) / people - (1 - p)) / (2 * p - 1)
    return law_of_yes(ones, people, p) @ (np.clip(estimate, 0, 1) if clip else estimate) - ones / people


few = 200
held = np.arange(0, 101, 2)
fig, ax = plt.subplots()
for eps in (0.25, 0.5, 1, 2):
    ax.plot(100 * held / few, [100 * bias(h, few, eps, clip=True) for h in held], label=f"ε = {eps:g}", markevery=5)
ax.plot(100 * held / few, [100 * bias(h, few, 0.5, clip=False) for h in held], color="gray", linestyle="-", marker="")
ax.set(xlabel="true share of yes, %", ylabel="bias of the clipped estimate, points", xlim=(0, 50))
ax.legend()
plt.show()
for ones in (2, 20, 64):
    printed, clipped = (100 * bias(ones, few, 0.5, clip=c) for c in (False, True))
    print(
        f"ε = 0.5, 200 people, share {ones / few:.0%}: bias {abs(printed):.1f} unclipped, {clipped:+.1f} points clipped"
    )

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
p = 0.75


def likelihood(pi, said_yes, people):
    return (pi * p + (1 - pi) * (1 - p)) ** said_yes * ((1 - pi) * p + pi * (1 - p)) ** (people - said_yes)


shares, twenty = np.linspace(0, 1, 2001), 20
maximiser = [shares[np.argmax(likelihood(shares, y, twenty))] for y in range(twenty + 1)]
printed = [(p - 1) / (2 * p - 1) + y / ((2 * p - 1) * twenty) for y in range(twenty + 1)]
inside = [1 - p <= y / twenty <= p for y in range(twenty + 1)]
agree = [abs(a - b) < 1e-3 for a, b in zip(maximiser, printed, strict=True)]
settle(
    "ye2018.wrr-mle",
    holds={
        "inside": all(a for a, i in zip(agree, inside, strict=True) if i),
        "outside": any(a for a, i in zip(agree, inside, strict=True) if not i),
    },
)
unbiased = max(abs(bias(ones, few, eps, clip=False)) for ones in (0, 20, 200) for eps in (0.5, 1))
settle("ye2018.wrr-unbiased", holds={"unbiased": unbiased < 1e-12})
corrected = (p - 1) / (2 * p - 1) * few + np.arange(few + 1) / (2 * p - 1)
settle(
    "ye2018.wrr-count",
    holds={"unbiased": all(abs(law_of_yes(ones, few, p) @ corrected - ones) < 1e-9 for ones in (0, 20, 200))},
)

# %% [markdown]
# So the estimators of this book are never clipped.
# Where a sensible-looking number is wanted, clipping is a separate step with its bias stated.

# %% [markdown]
# (sec-rr-best)=
# ## Nothing better for one yes or no
#
# Sixty years of work have not improved on Warner's coin, and cannot.
# {cite:t}`kairouz2014extremal` found that for two values every ε-LDP client is randomized response with something done to the reply afterwards.
#
# :::{prf:theorem} All ε-LDP clients for two values
# :label: thm-rr-best
# A client with values $\{0, 1\}$ is ε-LDP if and only if its reports can be drawn by a random function of the reply of randomized response at ε, without looking at the value.
# :::
#
# :::{prf:proof}
# *If*: {prf:ref}`thm-post`.
# *Only if*: let report $y$ have probability $a_y$ under 0 and $b_y$ under 1, or densities with respect to the sum of both laws where reports are a continuum.
# Leave out reports that never occur; then $e^{-\varepsilon} \le b_y/a_y \le e^{\varepsilon}$.
# We look for probabilities $t_y(0), t_y(1)$ of sending $y$ after the replies 0 and 1, so that $p\,t_y(0) + (1-p)\,t_y(1) = a_y$ and $(1-p)\,t_y(0) + p\,t_y(1) = b_y$.
# The solution is
#
# $$ \begin{aligned} t_y(0) &= \frac{p\,a_y - (1-p)\,b_y}{2p-1}, \\ t_y(1) &= \frac{p\,b_y - (1-p)\,a_y}{2p-1}. \end{aligned} $$
#
# Both are non-negative because $b_y/a_y$ and $a_y/b_y$ are at most $p/(1-p) = e^\varepsilon$, and both sum to one over $y$ because $a$ and $b$ do.
# :::
#
# :::{prf:corollary} The limit
# :label: cor-rr-limit
# No estimate from one ε-LDP report a person that is unbiased for every population has a smaller variance than {prf:ref}`thm-rr-estimate` says.
# :::
#
# :::{prf:proof}
# Let $S$ be unbiased, computed from the reports of any ε-LDP clients, a different one for each person if you like.
# By {prf:ref}`thm-rr-best` the reports can be drawn from the replies $y = (y_1, …, y_n)$ of randomized response, so $T(y) = \E[S \mid y]$ is an unbiased estimate from the replies, and $\Var T \le \Var S$.
# But there is only one unbiased estimate from the replies.
# That $\E\,T(y) = \pi$ for all $2^n$ populations is a system of $2^n$ linear equations for the $2^n$ values of $T$.
# Its matrix is the Kronecker product of $n$ matrices $\big(\begin{smallmatrix} p & 1-p \\ 1-p & p\end{smallmatrix}\big)$, one a person, and invertible because each of them is.
# So $T = \hat\pi$.
# :::
#
# A biased estimate, like the clipped one, can trade variance for bias.
# {numref}`fig-rr-best` puts two other clients above it: noise added to the answer ({ref}`sec-rr-laplace`), and unary encoding, which later chapters need for larger domains.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-best", "caption": "Variance of one person's score against ε, times ε² so that the curves start flat, for three ε-LDP ways to ask a yes-or-no question. Randomized response is the limit. Symmetric unary encoding (SUE) sends one bit for yes and one for no, each with half the budget; even with both bits averaged it costs twice as much at small ε. So does Laplace noise, which at ε = 8 costs 93 times as much."}, "image": {"alt": "Variance times epsilon squared against epsilon from 0.1 to 8 on log-log axes. Randomized response starts at 1 and is lowest everywhere; Laplace noise is flat at 2; two-bit symmetric unary encoding starts at 2 and falls below Laplace, but stays above randomized response."}}
fine = np.geomspace(0.1, 8, 60)
curves = {
    "Laplace noise": [eps**2 * laplace(scale=1 / eps).var() for eps in fine],
    "SUE, both bits averaged": [
        eps**2 * SUE(k=2, epsilon=eps).variance([1]).sum() / 4 for eps in fine
    ],  # they are independent
    "W-RR = the limit": [eps**2 * GRR(k=2, epsilon=eps).variance([1])[0, 1] for eps in fine],
}
fig, ax = plt.subplots()
for name, curve in curves.items():
    ax.plot(fine, curve, label=name, markevery=10)
ax.set(xscale="log", yscale="log", xlabel="privacy budget ε", ylabel="ε² × variance of one score")
ax.legend(loc="lower left")
plt.show()
for eps in (0.1, 1, 8):
    costs = laplace(scale=1 / eps).var() / GRR(k=2, epsilon=eps).variance([1])[0, 1]
    print(f"ε = {eps:<3g}  Laplace noise costs {costs:.2f} times the variance of randomized response")


# %% tags=["hide-input"]
def factor_through_rr(channel, eps):
    """The random function of the reply that turns randomized response at ε into a channel (2 × reports)."""
    p = exp(eps) / (1 + exp(eps))
    return np.linalg.solve([[p, 1 - p], [1 - p, p]], channel)


draws = rng.spawn(1)[0]
smallest = inf
for _ in range(500):  # random ε-LDP channels with four reports: random weights, ratios pushed to at most e^ε
    a, b = draws.dirichlet(np.ones(4), size=2)
    low, high = 0.0, 1.0
    for _ in range(60):  # the largest step from the mean of both rows that keeps ε = 1
        step = (low + high) / 2
        one, two = (a + b) / 2 + step * (a - b) / 2, (a + b) / 2 - step * (a - b) / 2
        low, high = (step, high) if np.abs(np.log(one / two)).max() <= 1 else (low, step)
    one, two = (a + b) / 2 + low * (a - b) / 2, (a + b) / 2 - low * (a - b) / 2
    smallest = min(smallest, factor_through_rr(np.array([one, two]), 1.0).min())
too_much = factor_through_rr(np.array([[0.8, 0.2], [0.2, 0.8]]), 1.0).min()
check(
    "Limit",
    "500 random channels with ε ≤ 1 factor through W-RR at ε = 1",
    smallest > -1e-12,
    control="a channel with ε = 1.39",
    caught=too_much < -1e-3,
)
p = exp(1) / (1 + exp(1))
one = np.array([[p, 1 - p], [1 - p, p]])  # rows: truths 0 and 1, columns: replies
everybody = np.kron(np.kron(one, one), one)
patterns = np.array(list(product((0, 1), repeat=3)))
only = np.linalg.solve(everybody, patterns.mean(1))  # the one unbiased estimate, for each pattern of three replies
ours = score(patterns, 1).mean(1)
check(
    "Uniqueness",
    "three people, 8 equations: the only unbiased estimate is the mean score",
    np.abs(only - ours).max() < 1e-12,
    control="the clipped estimate",
    caught=np.abs(only - np.clip(ours, 0, 1)).max() > 0.1,
)

# %% [markdown]
# (sec-rr-trust)=
# ## A trusted collector, or none
#
# Local privacy is the second of two models.
# In the *central* model people hand their true answers to a collector, and the collector perturbs what is published.
# In the *local* model the answers never leave the person.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-models", "caption": "Who holds the truth (after the descriptions of Fig. 1 of the survey and Fig. 2-1 of the thesis). Centrally the collector does, and one perturbation protects the published result. Locally each person perturbs their own value, and everything to the right of the dashed line may be public."}, "image": {"alt": "Two flow diagrams. Central: three people send values x to a trusted collector, who adds noise before publishing. Local: three people perturb their values themselves and send reports y to a collector nobody needs to trust."}}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 4.6))
for ax, title, wall in ((axes[0], "central", 0.855), (axes[1], "local", 0.425)):
    board(ax)
    ax.text(0, 0.99, title, fontweight="bold", va="top")
    for i, y in enumerate((0.75, 0.45, 0.15)):
        box(ax, 0.1, y, "person x" + "₁₂₃"[i], SKY)
        if title == "local":
            box(ax, 0.33, y, "perturb", SAND)
            arrow(ax, (0.183, y), (0.258, y))
        arrow(ax, (0.183 if title == "central" else 0.4, y), (0.466, 0.51 - 0.06 * i))
    box(ax, 0.55, 0.45, "collector", PLAIN)
    arrow(ax, (0.635, 0.45), (0.69, 0.45))
    box(ax, 0.77, 0.45, *(("perturb", SAND) if title == "central" else ("estimate", PLAIN)))
    arrow(ax, (0.845, 0.45), (0.892, 0.45))
    box(ax, 0.945, 0.45, "result", PLAIN)
    border(ax, wall, 0.02, 0.86, "private", "public")
plt.show()

# %% [markdown]
# Central differential privacy asks the same inequality of the *collector's* algorithm, for any two neighbouring data sets.
# {cite:t}`zhang2018gfim` calls data sets neighbours if their numbers of records differ by one and shows its Tables 2-1 and 2-2: three patients, and the same three with a fourth.
# It is the example that says it right, because the sizes alone are not enough: three answers "no" and four answers "yes" differ in size by one, too, and no useful count hides that.
# Local privacy is central privacy for a data set of one person whose record is exchanged; to exchange a record is to remove one and add another, and a count of yes changes by at most one either way.
#
# The price of doing without trust is large.
# Centrally, one draw of noise protects everybody {cite:p}`dwork2006calibrating`: add to the count an integer $Z$ with $\Pr[Z = z]$ proportional to $e^{-\varepsilon|z|}$, and exchanging one record changes no probability by more than $e^\varepsilon$.
# The variance of $Z$ is $1/(2\sinh^2(\varepsilon/2))$, so the share of $n$ people has standard error $1/(\sqrt2 \sinh(\varepsilon/2)\,n)$.
# Locally {prf:ref}`thm-rr-estimate` gives $1/(2 \sinh(\varepsilon/2)\sqrt n)$.
# One error falls like $1/n$, the other like $1/\sqrt n$, and the two formulas are equal when the local survey has exactly $n^2/2$ people for the central one's $n$, whatever ε is.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-central", "caption": "Standard error of a share at ε = 1, in points: central (two-sided geometric noise on the count) and local (randomized response). Lines: theory; markers: 2,000 simulated surveys with 95 % bars. For one point of error a trusted collector needs 136 people, an untrusted one 9,207."}, "image": {"alt": "Log-log plot of standard error in points against the number of people from 10 to one million at epsilon 1. The central line falls with slope minus one, the local line with slope minus one half; they are a factor of 2 apart at ten people and a factor of 707 at one million."}}
def central_error(n, rng):
    noise = rng.geometric(1 - exp(-1), TRIALS) - rng.geometric(1 - exp(-1), TRIALS)  # two-sided geometric at ε = 1
    return rms(noise / n)  # the share plus noise, minus the share


sizes = [10, 100, 1000, 10**4, 10**5, 10**6]
central = sweep(central_error, rng=rng, n=sizes)
local = sweep(local_error, rng=rng, n=sizes, eps=[1.0])
line = np.geomspace(10, 10**6, 50)
fig, ax = plt.subplots()
ax.plot(line, 100 / (sqrt(2) * sinh(0.5) * line), color="C0", linestyle="-", marker="")
ax.plot(line, 100 / (2 * sinh(0.5) * np.sqrt(line)), color="C1", linestyle="--", marker="")
for i, (name, found) in enumerate({"central": central, "local": local}.items()):
    ax.errorbar(found["n"], found["error"], yerr=found["bar"], fmt="os"[i], color=f"C{i}", label=name)
ax.set(xscale="log", yscale="log", xlabel="number of people n", ylabel="standard error, points")
ax.legend()
plt.show()


def people_for_a_point(eps):
    return 1 / (sqrt(2) * sinh(eps / 2) * 0.01), 1 / (4 * sinh(eps / 2) ** 2 * 0.01**2)


for eps in (0.1, 0.5, 1):
    near, far = people_for_a_point(eps)
    print(f"one point of error at ε = {eps:<3g}: {near:6,.0f} people centrally, {far:9,.0f} locally")
print(f"ten people centrally at ε = 0.1: standard error {100 / (sqrt(2) * sinh(0.05) * 10):.0f} points")


# %% tags=["hide-input"]
def geometric(count, eps, outputs):
    """Law of a count plus two-sided geometric noise, P(z) ∝ e^(−ε|z|), at these outputs."""
    return np.tanh(eps / 2) * np.exp(-eps * np.abs(outputs - count))


def ratio_of_counts(count_a, count_b, eps):
    outputs = np.arange(-60, 61)
    return np.abs(np.log(geometric(count_a, eps, outputs) / geometric(count_b, eps, outputs))).max()


reach = np.arange(-600, 601)
mass = [geometric(0, eps, reach).sum() for eps in (0.1, 0.5, 1)]
spread = [geometric(0, eps, reach) @ reach**2 * 2 * sinh(eps / 2) ** 2 for eps in (0.1, 0.5, 1)]
check(
    "Central noise",
    "ε and variance of two-sided geometric noise as stated, three ε",
    np.allclose(mass, 1)
    and np.allclose(spread, 1)
    and all(abs(ratio_of_counts(0, 1, eps) - eps) < 1e-9 for eps in (0.1, 0.5, 1)),
    control="counts that differ by two",
    caught=abs(ratio_of_counts(0, 2, 1.0) - 1) > 0.5,
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
central_error_of_ten = 1 / (sqrt(2) * sinh(0.05) * 10)
unbiased_alone = np.abs(mean_and_variance(0.1, score)[0] - [0, 1]).max() < 1e-9
settle(
    "zhang2018.neighbours",
    holds={
        "added": ratio_of_counts(0, 1, 1.0) <= 1 + 1e-9,
        "sizes-only": ratio_of_counts(0, 4, 1.0) <= 1 + 1e-9,
    },
)
settle(
    "ye2018.no-influence",
    holds={
        "up-to-epsilon": ratio_of_counts(0, 1, 1.0) <= 1 + 1e-9,
        "to-the-letter": ratio_of_counts(0, 1, 1.0) < 1e-9,
    },
)
settle(
    "ye2018.volume",
    holds={
        "people": all(
            abs(people_for_a_point(eps)[1] / people_for_a_point(eps)[0] ** 2 - 0.5) < 1e-9 for eps in (0.1, 0.5, 1, 4)
        ),
        "central-precise": central_error_of_ten < 0.01,
        "unbiased-for-many": not unbiased_alone,
    },
)
settle(
    "zhang2018.volume",
    holds={
        "local": all(np.divide(*people_for_a_point(eps)[::-1]) > 10 for eps in (0.1, 0.5, 1)),
        "central": central_error_of_ten < 0.1,
    },
)

# %% [markdown]
# Both papers say that the central model makes no particular demand on the amount of data.
# It makes a smaller one: ten people at $\varepsilon = 0.1$ get a share with a standard error of 141 points.
# And it is not unbiasedness that local privacy needs many people for, a single reply is already unbiased; it is precision.
#
# (sec-rr-laplace)=
# ### Noise for a single person
#
# Both papers also say that locally there is no global sensitivity, so that the Laplace and the exponential mechanism do not apply.
# Two users do not know each other's records, they argue, so there are no neighbouring data sets.
# But neighbours are a matter of definition, not of what users know, and {prf:ref}`def-ldp` makes any two values of one person neighbours.
# For added noise the sensitivity is then simply the diameter of the domain.
#
# :::{prf:theorem} Local Laplace noise
# :label: thm-local-laplace
# For $x \in [a, b]$, the report $x + Z$ with $Z$ of density $\frac{1}{2s} e^{-|z|/s}$ and $s = (b-a)/\varepsilon$ is exactly ε-LDP.
# :::
#
# :::{prf:proof}
# The density ratio of a report $y$ under $x$ and $x'$ is $\exp\big((|y-x'|-|y-x|)/s\big) \le \exp(|x-x'|/s) \le e^\varepsilon$, with equality for $x = a$, $x' = b$, $y \le a$.
# :::
#
# The exponential mechanism, which scores a reply by whether it is true and draws $y$ with weight $e^{\varepsilon [y = x]}$, *is* randomized response.
# (Its textbook form has $\varepsilon/2$ in the exponent, because in general the sum of the weights changes with $x$ as well; here it does not, so half of the budget need not be given away.)
# And noise leads back to Warner by another road: add the two-sided geometric noise of the central count to a single yes or no and publish only the nearer of 0 and 1.


# %% tags=["hide-input"]
def laplace_epsilon(scale):
    """Exact ε of x + Laplace noise for x in [−1, 1]: largest difference of the log densities."""
    x, y = np.array([-1, -0.3, 0, 1]), np.linspace(-40, 40, 8001)
    return np.ptp(-np.abs(y - x[:, None]) / scale, axis=0).max()


def truth_scored(k, eps):
    weights = np.exp(eps * np.eye(k))
    return weights / weights.sum(1, keepdims=True)


def clamped_geometric(eps, reach=400):
    """Law of the nearer of 0 and 1 to x plus two-sided geometric noise, for x = 0 and 1: rows of a matrix."""
    y = np.arange(-reach, reach + 1)
    return np.array([[geometric(x, eps, y)[y <= 0].sum(), geometric(x, eps, y)[y >= 1].sum()] for x in (0, 1)])


def channel(mechanism):
    """The law of a client as a matrix: rows are values, columns reports."""
    found = laws(mechanism, np.arange(mechanism.k))
    return np.array([[float(one[y]) for y in range(mechanism.k)] for one in found])


laplace_exact = all(abs(laplace_epsilon(2 / eps) - eps) < 1e-9 for eps in (0.5, 1, 4))
check(
    "Local Laplace",
    "ε exact at 0.5, 1 and 4 for values in [−1, 1], noise of scale 2/ε",
    laplace_exact,
    control="scale 1/ε",
    caught=abs(laplace_epsilon(1) - 1) > 0.5,
)
exponential_is_krr = np.abs(truth_scored(5, 1.0) - channel(GRR(k=5, epsilon=1.0))).max() < 1e-12
folded = np.abs(clamped_geometric(1.0) - channel(GRR(k=2, epsilon=1.0))).max()
check(
    "Road to Warner",
    "geometric noise on 0 or 1, then the nearer of both = randomized response",
    folded < 1e-12,
    control="ε = 1.1",
    caught=np.abs(clamped_geometric(1.1) - channel(GRR(k=2, epsilon=1.0))).max() > 0.01,
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.no-sensitivity",
    holds={
        "laplace-fails": not laplace_exact,
        "exponential-fails": not exponential_is_krr,
    },
    instead={
        "laplace-works": laplace_exact,
        "exponential-works": exponential_is_krr,
    },
)
geometric_exact = abs(ratio_of_counts(0, 1, 1.0) - 1) < 1e-9
settle(
    "zhang2018.no-sensitivity",
    holds={"noise-fails": not geometric_exact},
    instead={"noise-works": geometric_exact},
)

# %% [markdown]
# (sec-rr-composition)=
# ## One person, many replies
#
# :::{prf:theorem} Sequential composition
# :label: thm-composition
# Let a person send reports through clients $M_1, …, M_T$, each with coins of its own, where $M_t$ may be chosen by looking at the earlier reports.
# If every $M_t$ that can be chosen is $\varepsilon_t$-LDP, all reports together are $(\varepsilon_1 + \dots + \varepsilon_T)$-LDP.
# :::
#
# :::{prf:proof}
# The probability of the reports $y_1, …, y_T$ given $x$ is $\prod_t \Pr[y_t \mid x, y_1, …, y_{t-1}]$.
# Exchanging $x$ for $x'$ changes factor $t$ by at most $e^{\varepsilon_t}$.
# :::
#
# As for every client, the sum can be read off the law of the list of reports.
# The words "coins of its own" matter: a second report that consists of nothing but the first one's coin knows nothing about the person, and gives everything away.


# %% tags=["hide-input"]
def three_reports(x, rng):
    return reply(x, 0.5, rng), reply(x, 1.0, rng), reply(x, 0.25, rng)


def shy(x, rng):
    """ε = 1, too: says yes half the time if it is true, and e times less often if it is not."""
    return 1 if toss(0.5 if x else 0.5 * exp(-1), rng) else 0


def adaptive(x, rng):
    first = reply(x, 0.5, rng)
    return first, reply(x, 1.0, rng) if first else shy(x, rng)


def in_any_case(x, rng):
    return reply(x, 0.5, rng), reply(x, 1.0, rng)


def shared_coin(x, rng):
    lied = not toss(exp(0.5) / (1 + exp(0.5)), rng)
    return (1 - x if lied else x), lied


together, chosen, leaky = (epsilon(laws(client, [0, 1])) for client in (three_reports, adaptive, shared_coin))
check(
    "Composition",
    f"reports with 0.5, 1 and 0.25 have together ε = {together:.6f}",
    abs(together - 1.75) < 1e-12,
    control="a report of its own coin, ε = ∞",
    caught=leaky == inf,
)
check(
    "Adaptive",
    f"0.5, then one of two clients with 1, chosen by the first report: ε = {chosen:.6f}",
    abs(chosen - 1.5) < 1e-12 and not same_law(adaptive, in_any_case, [0, 1]),
    control="the second client at ε = 1.1",
    caught=epsilon(laws(lambda x, rng: (reply(x, 0.5, rng), reply(x, 1.1, rng)), [0, 1])) > 1.5 + 1e-9,
)


def repeated(x, times, eps, rng):
    return tuple(reply(x, eps, rng) for _ in range(times))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
again = [epsilon(laws(lambda x, rng, t=t: repeated(x, t, 0.5, rng), [0, 1])) for t in (1, 2, 4)]
settle(
    "ye2018.sequential",
    holds={
        "own-coins": abs(together - 1.75) < 1e-12,
        "chosen": abs(chosen - 1.5) < 1e-12,
    },
)
settle(
    "zhang2018.sequential",
    holds={
        "different": abs(together - 1.75) < 1e-12,
        "repeated": np.allclose(again, [0.5, 1.0, 2.0], atol=1e-12, rtol=0),
    },
)

# %% [markdown]
# ### The same person, year after year
#
# Most data about people come in rows, and one person may own several.
# The RAND health insurance experiment {cite:p}`newhouse1993free` followed families for three or five years; the public table has one row a person and year, but no person's number.
# `randhie` takes runs of three or five rows that agree in everything but the visits for one person each, and leaves the others out; most of these presumed people will be people.
# Ask in every row, with $\varepsilon = 1$: did you see a doctor this year?

# %%
visits = datasets.randhie()
years = visits.groupby("person").size()
went = (visits["visits"] > 0).astype(int)
for rows, how_many in years.value_counts().sort_index().items():

    def all_rows(x, rng, rows=rows):
        return repeated(x, rows, 1.0, rng)

    spent = epsilon(laws(all_rows, [0, 1]))
    print(f"{how_many:,} presumed people with {rows} rows: ε = {spent:.0f} a person")

constant = went.groupby(visits["person"]).nunique() == 1
print(f"{constant.mean():.0%} of them have the same answer every year")

# %% [markdown]
# Whoever counts rows as people promises $\varepsilon = 1$ and delivers $\varepsilon = 5$.
# {numref}`fig-rr-repeat` shows what an observer makes of it if the answer is the same every time, as it is for more than half of them.
# The remedies are to divide the budget over the rows, or to ask in one year chosen at random; for an answer that never changes one may also remember the first reply and repeat it (*memoisation*, see {ref}`ch-rappor`).
# At equal $\varepsilon = 1$ for the whole person, asking once is the best of the first two, because error grows like $1/\varepsilon$ and shrinks only like $1/\sqrt T$.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-repeat", "caption": "Probability that an observer names the truth of somebody who gives the same answer T times with fresh coins (exact; the observer follows the majority). With ε = 1 each, five replies give the truth away 88 times in 100, twenty more than 98 times. A remembered reply stays at the first value, the dotted lines."}, "image": {"alt": "Probability of a right guess against the number of replies from 1 to 25 for epsilon 0.25, 0.5, 1 and 2 each. All curves rise towards 1, that of epsilon 2 within ten replies; dotted horizontal lines mark the value for one remembered reply."}}
times = np.arange(1, 26)


def majority_right(count, eps):
    """Exact probability that most of the replies are true, ties broken by a fair coin."""
    p, lies = exp(eps) / (1 + exp(eps)), np.arange(count + 1)
    return binom.pmf(lies, count, 1 - p) @ np.select([2 * lies < count, 2 * lies == count], [1, 0.5], 0)


fig, ax = plt.subplots()
for i, eps in enumerate([0.25, 0.5, 1, 2]):
    right = [majority_right(t, eps) for t in times]
    ax.plot(times, right, label=f"ε = {eps:g} each", markevery=4)
    ax.axhline(right[0], color=f"C{i}", linestyle=":", linewidth=1, marker="")
ax.set(xlabel="number T of replies", ylabel="probability of a right guess", ylim=(0.48, 1.02))
ax.legend(loc="lower right")
plt.show()
print(
    "ε = 1 each, right guesses: " + ", ".join(f"{majority_right(count, 1):.3f} (T = {count})" for count in (1, 5, 20))
)

# %% tags=["hide-input"]
shares_of_years = went.groupby(visits["person"]).mean().to_numpy()  # for each person: the share of years with a visit
persons = len(years)


def one_reply(eps):
    return 1 / (4 * np.sinh(eps / 2) ** 2)


divided = sqrt(np.sum(one_reply(1 / years.to_numpy()) / years.to_numpy())) / persons
drawn = sqrt(np.sum(one_reply(1.0) + shares_of_years * (1 - shares_of_years))) / persons
print(
    f"share of years with a visit, {persons:,} people: {100 * shares_of_years.mean():.1f} %; at ε = 1 a person, standard error"
)
print(f"  every year, with 1/T of the budget:       {100 * divided:.1f} points")
print(f"  one year at random, with all the budget:  {100 * drawn:.1f} points")

# %% [markdown]
# (sec-rr-parallel)=
# ### Different people, and people who choose their own ε
#
# Reports of *different* people do not add up: when one person's answer changes, only that person's report changes its law.
# This is parallel composition, and it holds as long as everybody is in one part only.
# It also lets everybody pick an ε of their own, as long as the choice does not depend on the answer: whoever asks for more protection because there is something to hide has said so.
# The thesis says that the central model cannot do this.
# It can: {cite:t}`jorgensen2015conservative` keep each record with a probability that depends on its owner's ε, before an ordinary central count.


# %% tags=["hide-input"]
def epsilon_of(person, protocol, crowd):
    """Exact ε of everybody's outputs together when only this person's answer changes, for the worst other answers."""
    found = 0.0
    for others in product((0, 1), repeat=crowd - 1):
        found = max(found, epsilon(laws(lambda x, rng, o=others: protocol((*o[:person], x, *o[person:]), rng), [0, 1])))
    return found


def alike(answers, rng):
    return tuple(reply(x, 1.0, rng) for x in answers)


OWN = (0.5, 1.0, 2.0)


def personal(answers, rng):
    return tuple(reply(x, eps, rng) for x, eps in zip(answers, OWN, strict=True))


def twice(answers, rng):  # the control: person 0 is in two parts
    return (*alike(answers, rng), reply(answers[0], 0.5, rng))


def follows(x, rng):  # the control: asks for more protection when the answer is yes, and says so
    eps = 0.5 if x else 2.0
    return eps, reply(x, eps, rng)


each = [epsilon_of(i, alike, 3) for i in range(3)]
own = [epsilon_of(i, personal, 3) for i in range(3)]
check(
    "Parallel",
    "three people at ε = 1, all reports together: ε = 1 for each of them",
    np.allclose(each, 1, rtol=0, atol=1e-12),
    control="one of them asked twice, ε = 1.5",
    caught=epsilon_of(0, twice, 3) > 1.4,
)
check(
    "Personal ε",
    "three people at ε = 0.5, 1 and 2: exactly that for each",
    np.allclose(own, OWN, rtol=0, atol=1e-12),
    control="ε chosen by the answer, ε = ∞",
    caught=epsilon(laws(follows, [0, 1])) == inf,
)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
def central_personal(answers, rng):
    """Central, each person at their own ε: keep a record with probability (e^ε−1)/(e^t−1), then a t-private count."""
    top = max(OWN)
    kept = [toss((exp(eps) - 1) / (exp(top) - 1), rng) for eps in OWN]
    yes = sum(x for x, keep in zip(answers, kept, strict=True) if keep)
    options = len(answers) + 1
    return yes if toss((exp(top) - 1) / (exp(top) + options - 1), rng) else pick(range(options), rng)


central_own = [epsilon_of(i, central_personal, 3) for i in range(3)]


def total(answers, rng):
    return sum(alike(answers, rng))


everybody_in_one_part = np.allclose(each, 1, rtol=0, atol=1e-12)
settle("ye2018.parallel", holds={"one-part": everybody_in_one_part})
settle("zhang2018.parallel", holds={"largest": abs(max(own) - max(OWN)) < 1e-12})
settle(
    "ye2018.trust",
    holds={
        "central": epsilon(laws(lambda x, rng: x, [0, 1])) == inf,
        "local": abs(exact - 1) < 1e-12,
        "sums": all(epsilon_of(i, total, 3) <= 1 + 1e-12 for i in range(3)),
    },
)
settle(
    "zhang2018.stronger",
    holds={
        "holder": epsilon(laws(lambda x, rng: x, [0, 1])) == inf and abs(exact - 1) < 1e-12,
    },
)
settle(
    "ye2018.personal",
    holds={
        "ignores": np.allclose(own, OWN, rtol=0, atol=1e-12),
        "follows": epsilon(laws(follows, [0, 1])) <= 2 + 1e-12,
    },
)
settle(
    "zhang2018.personal",
    holds={
        "local": np.allclose(own, OWN, rtol=0, atol=1e-12),
        "central": not all(a <= b + 1e-12 for a, b in zip(central_own, OWN, strict=True)),
    },
)

# %% [markdown]
# (sec-rr-frameworks)=
# ## Asking in turn, or all at once
#
# {cite:t}`ye2018survey` §2, after {cite:t}`duchi2013local`, describes two ways of asking.
# Write $X_i$ for the answer of person $i$ and $Z_i$ for the report, as random variables.
# In the *non-interactive* framework $Z_i$ depends on $X_i$ only.
# In the *interactive* one the collector may look at the earlier reports $Z_1, …, Z_{i-1}$ before deciding how to ask person $i$; then $Z_i$ depends on $X_i$ and on those reports, and on nothing else.
# Both demand that exchanging $X_i$ changes the law of $Z_i$ by a factor of at most $e^\varepsilon$, the second one for any earlier reports.
# If everybody reports once, all reports together are then ε-LDP for each person, because one person's answer enters one factor of the product only.
#
# Interaction pays where one answer tells which question to ask next, and it costs time: nobody can reply before the ones ahead have.


# %% tags=["hide-input"]
FAMILIES = [(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1), (1, 1, 1)]  # related people: the first two always agree


def in_turn(answers, rng):
    """How a person is asked depends on the parity of the reports so far."""
    said = []
    for x in answers:
        odd = sum(said) % 2
        said.append(1 - reply(x, 0.5, rng) if odd else reply(x, 1.0, rng))
    return tuple(said)


def peeking(answers, rng):  # the control: who follows a yes lies more, although nobody has seen that answer
    return tuple(reply(x, 0.5 if i and answers[i - 1] else 1.0, rng) for i, x in enumerate(answers))


def gap_in_conditionals(protocol, knows_past):
    """Largest change of Pr[Z_i | what it may depend on] when all answers and all earlier reports are told as well."""
    joint = law(lambda rng: (lambda answers: (answers, protocol(answers, rng)))(pick(FAMILIES, rng)))
    worst = Fraction(0)
    for i in range(3):
        allowed, told = {}, {}
        for (x, z), q in joint.items():
            may = (x[i], z[:i] if knows_past else ())
            for table, known in ((allowed, may), (told, (may, x, z[:i]))):
                table.setdefault(known, [Fraction(0), Fraction(0)])
                table[known][z[i]] += q
        for (may, *_), (zero, one) in told.items():
            no, yes = allowed[may]
            worst = max(worst, abs(one / (zero + one) - yes / (no + yes)))
    return worst


interactive_gap = gap_in_conditionals(in_turn, knows_past=True)
plain_gap = gap_in_conditionals(alike, knows_past=False)
misread = gap_in_conditionals(in_turn, knows_past=False)  # asking in turn, taken for non-interactive
peeked = gap_in_conditionals(peeking, knows_past=True)
in_turn_epsilon = [epsilon_of(i, in_turn, 3) for i in range(3)]
check(
    "Frameworks",
    "given what it may depend on, Z_i ignores the rest; ε ≤ 1 each",
    interactive_gap == plain_gap == 0 and max(in_turn_epsilon) <= 1 + 1e-12,
    control="a report that depends on a neighbour's answer",
    caught=min(peeked, misread) > 0.01,
)


def relatives(trait, rng):
    return alike((trait,) * 3, rng)


def relatives_in_turn(trait, rng):
    return in_turn((trait,) * 3, rng)


about_the_trait = [epsilon(laws(client, [0, 1])) for client in (relatives, relatives_in_turn)]
print(
    f"three relatives with one trait, ε = 1 each: all replies together have ε = {about_the_trait[0]:.0f} about the trait"
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.frameworks",
    holds={
        "interactive": interactive_gap == 0,
        "non-interactive": plain_gap == 0,
        "together": max(in_turn_epsilon) <= 1 + 1e-12,
    },
)

means, _ = moments(alike, FAMILIES, score=lambda said: np.mean([score(y, 1.0) for y in said]))
related_unbiased = np.abs(means - np.mean(FAMILIES, 1)).max() < 1e-9
settle(
    "ye2018.correlation",
    holds={
        "exceeded": max(each) > 1 + 1e-12,
        "biased": not related_unbiased,
    },
)
settle(
    "ye2018.correlated-records",
    holds={
        "central": abs(ratio_of_counts(0, 3, 1.0) - 3) < 1e-9,
        "local": max(about_the_trait) < 3 - 1e-9,
    },
)

# %% [markdown]
# The survey recommends the interactive framework for people who are related, a family with a hereditary trait, and the other one for people who are not.
# Its example is a diagnosis that looks at the relatives' outputs as well; a report that is itself about relatives does need the interactive framework, by definition.
# For a report about its owner alone nothing in the definitions asks for it: reports that depend on their owner's answer only keep their ε, and the estimate its mean, whoever is related to whom.
# What relations between people do weaken is what ε means, and they do so in both frameworks and in the central model alike.
# If three sisters share a gene and reply with $\varepsilon = 1$ each, three equal replies change the odds of the gene by $e^3$, as much as one reply with $\varepsilon = 3$ could; for $m$ people who always agree it is $m\varepsilon$.
# Local privacy promises that *your reply* gives little away, not that nobody else's does.
#
# (sec-rr-float)=
# ## When ε meets the machine
#
# On paper the coin falls heads with probability $e^\varepsilon/(1+e^\varepsilon)$.
# In a computer it is `rng.random() < p`, where `rng.random()` is a multiple of $2^{-53}$, and so is `p` once it is above one half.
# For small ε nobody will notice.
# But a lie has what is left to one, $1/(1+e^\varepsilon)$, and at $\varepsilon = 36$ that is 2.1 steps of the grid, of which rounding makes two.
# {numref}`fig-rr-float` shows the ε that the code of `reply` really has.
# From about 33 on it wanders off in both directions; beyond $\ln 2^{53} = 36.74$ rounding often leaves no step at all, beyond $\ln 2^{54} = 37.43$ never one, and then everybody tells the truth and $\varepsilon = \infty$.
# {cite:t}`mironov2012significance` made the same point for Laplace noise, with an attack.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-float", "caption": "How far the exact ε of the running code is from the ε asked for. The plain coin (crosses) is off in both directions, and gives everything away at the budgets marked by triangles (ε = ∞). The package (dots) rounds its thresholds toward privacy, is never above zero, and refuses budgets above 32."}, "image": {"alt": "Exact minus requested epsilon against requested epsilon from 28 to 38. Crosses for the plain coin fan out around zero from 33 on and reach half a unit near 37; triangles along the top mark infinity, some from 36.74 and all from 37.43 on. Dots for the package lie at or just below zero up to 32."}}
wanted = np.round(np.arange(28, 38.001, 0.05), 2)
plain = np.array([epsilon(laws(lambda x, rng, eps=eps: reply(x, eps, rng), [0, 1])) for eps in wanted])
allowed = wanted[wanted <= 32]
ours = np.array([GRR(k=2, epsilon=eps).realised_epsilon for eps in allowed])
fig, ax = plt.subplots()
finite = plain < inf
ax.plot(wanted[finite], (plain - wanted)[finite], "x", color="C1", label="rng.random() < p")
top = ax.get_xaxis_transform()
ax.plot(wanted[~finite], np.full((~finite).sum(), 0.97), "^", color="C1", label="the same, ε = ∞", transform=top)
ax.plot(allowed, ours - allowed, ".", color="C0", label="ldpnb, rounded toward privacy")
ax.axhline(0, color="black", linewidth=1, linestyle="-", marker="")
ax.set(xlabel="ε asked for", ylabel="exact ε of the code, minus that", ylim=(-0.6, 0.8))
ax.legend(loc="upper left", bbox_to_anchor=(0, 0.93))
plt.show()
print(f"steps of 2⁻⁵³ that are left for a lie at ε = 36: {2**53 / (1 + exp(36)):.2f}")
for eps in (1, 20, 32, 36, 37.5):
    found = epsilon(laws(lambda x, rng, eps=eps: reply(x, eps, rng), [0, 1]))
    shown = f"{GRR(k=2, epsilon=eps).realised_epsilon:.4f}" if eps <= 32 else "refused"
    print(f"ε = {eps:<4g}  plain coin {found:.4f}   ldpnb {shown}")

# %% tags=["hide-input"]
tested = [1e-6, 0.1, 1, 5, 10, 20, 30, 31.3, 32]


def within(client, eps):
    """Whether the largest likelihood ratio is at most e^ε, in exact fractions."""
    return worst(laws(client, np.arange(2))).ratio <= odds(eps)


too_much = [eps for eps in tested if not within(lambda x, rng, eps=eps: reply(x, eps, rng), eps)]
check(
    "Rounding",
    f"ratio of the package's law ≤ e^ε to the last digit, {len(tested)} budgets",
    all(within(GRR(k=2, epsilon=eps), eps) for eps in tested),
    control=f"the plain coin, above it at {len(too_much)} of them",
    caught=len(too_much) > 0,
)

# %% [markdown]
# The excess of the plain coin at small ε is in the sixteenth digit and harms nobody.
# But a promise that holds to the last digit can be checked by a machine without asking how much is too much.

# %% [markdown]
# (sec-rr-differs)=
# ## Where the papers err
#
# These printed statements do not survive.
# The {ref}`ledger <ledger>` has all claims that this chapter settles, and {ref}`errata <errata>` those that are wrong.
# We read text extracted from the papers, in which formulas are sometimes damaged; a slip of one character may be the extraction's.
# What the papers say about larger domains, unary encoding and numbers is left to the chapters on those.
#
# :::{admonition} Larger ε, stronger protection
# :class: warning
# *Printed* ({cite:t}`zhang2018gfim` §2.1.1): the larger ε, the stronger the protection.
# *Right*: the other way round, see {ref}`sec-odds`.
# The thesis has it right in §1.1, below property 2.1 and in §4.6, and repeats the slip in §4.2.
# :::
#
# :::{admonition} Strict inequality
# :class: warning
# *Printed* ({cite:t}`zhang2018gfim` (2-1), (2-2)): $\Pr[A(R) \in S] < e^\varepsilon \Pr[A(R') \in S]$.
# *Right*: $\le$.
# Randomized response attains equality, so it would fail its own definition; and for $S = \emptyset$ both sides are 0.
# :::
#
# :::{admonition} The maximum-likelihood estimate of the thesis
# :class: warning
# *Printed* ({cite:t}`zhang2018gfim` (2-6), (2-7), and below): $\hat\pi = \frac{p-1}{2p-1}\,n + \frac{n_1}{(2p-1)\,n}$; factor $\frac{1}{2(p-1)}$ in its expectation; $p = \ln\frac{e^\varepsilon}{e^\varepsilon+1}$.
# *Right*: no factor $n$ in the first term; factor $\frac{1}{2p-1}$; no logarithm.
# The printed formulas give a share of −581 for 1,000 people of whom 10 % have the trait, at $\varepsilon = 1$, and a negative probability.
# :::
#
# :::{admonition} No noise for a single person
# :class: warning
# *Printed* ({cite:t}`ye2018survey` §1.3, {cite:t}`zhang2018gfim` §2.1.3): locally there is no global sensitivity, so the Laplace and the exponential mechanism do not apply.
# *Right*: any two values of a person are neighbours, and both apply, see {ref}`sec-rr-laplace`.
# :::

# %% tags=["hide-input"]
people_asked, has = 1000, 0.1
p = exp(1) / (1 + exp(1))
expected_yes = people_asked * (has * p + (1 - has) * (1 - p))
as_printed = (p - 1) / (2 * p - 1) * people_asked + expected_yes / ((2 * p - 1) * people_asked)
mended = (p - 1) / (2 * p - 1) + expected_yes / ((2 * p - 1) * people_asked)


def log_likelihood(pi):
    yes = pi * p + (1 - pi) * (1 - p)
    return expected_yes * np.log(yes) + (people_asked - expected_yes) * np.log(1 - yes)


best = np.linspace(0, 1, 10001)[np.argmax(log_likelihood(np.linspace(0, 1, 10001)))]
print(
    f"1,000 people, 10 % with the trait, ε = 1: (2-6) as printed {as_printed:.2f}, mended {mended:.4f}, largest likelihood at {best:.4f}"
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
three_to_one = worst(laws(lambda x, rng: x if toss(0.75, rng) else 1 - x, [0, 1])).ratio  # p = 3/4, so e^ε = 3
settle(
    "zhang2018.strict",
    holds={"less": three_to_one < 3},
    instead={"at-most": three_to_one <= 3},
)
settle(
    "zhang2018.mle",
    holds={"printed": abs(as_printed - best) < 1e-3},
    instead={"without-n": abs(mended - best) < 1e-3},
)
inner = [(pi, p - 1 + pi * p + (1 - pi) * (1 - p)) for pi in (0, 0.1, 0.5, 1)]
settle(
    "zhang2018.expectation",
    holds={"printed": all(abs(v / (2 * (p - 1)) - pi) < 1e-12 for pi, v in inner)},
    instead={"right-factor": all(abs(v / (2 * p - 1) - pi) < 1e-12 for pi, v in inner)},
)
printed_p = log(exp(1) / (exp(1) + 1))
settle(
    "zhang2018.p",
    holds={"probability": 0 <= printed_p <= 1},
    instead={"private": abs(exact - 1) < 1e-12},
)

# %% [markdown]
# (sec-rr-wrong)=
# ## What can go wrong
#
# - *People do not follow the protocol.* The estimate trusts the coin.
#   If a tenth of those with the trait say "no" whatever the coin shows, the estimate falls by $\frac{1}{10}\pi\,e^\varepsilon/(e^\varepsilon-1)$: 16 % of $\pi$ at $\varepsilon = 1$, more than all of it at $\varepsilon = 0.1$.
#   The estimate divides by $2p-1$, and the smaller ε is, the more that amplifies what a few people do.
# - *The estimate leaves $[0, 1]$.* With few people or a small ε it will.
#   It is still unbiased; report it with its error, and clip only at the very end, if at all.
# - *The same question twice.* Two independent replies have 2ε.
#   An app that asks on every start has no ε worth mentioning.
# - *The reply is not all that is sent.* Time, address and the order of replies identify people; local privacy covers the reply only.
# - *A small ε and a small crowd.* At $\varepsilon = 0.1$ it takes a million people to learn a share to within a point.
#   No other client, and no other unbiased estimate, can change that ({prf:ref}`cor-rr-limit`).
#
# (sec-rr-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: two fair coins
# A popular classroom version: toss a fair coin; on heads tell the truth; on tails toss again and say yes on heads, no on tails.
# What is its ε, and what is the estimate?
# :::
#
# :::{dropdown} Solution
# The truth is said with probability $\frac12 + \frac14 = \frac34$, so $e^\varepsilon = 3$ and $\varepsilon = \ln 3 = 1.10$: it is randomized response with $p = \frac34$.
# Hence $\hat\pi = 2\bar y - \frac12$.
# The next cell reads the first half off the code.
# :::

# %% tags=["hide-input"]


def two_coins(answer, rng):
    return answer if toss(0.5, rng) else pick((0, 1), rng)


print(f"ε = {epsilon(laws(two_coins, [0, 1])):.4f}, ln 3 = {log(3):.4f}")

# %% [markdown]
# :::{admonition} Exercise 2: always yes on tails
# Another version: toss a coin; on heads tell the truth, on tails say yes whatever the truth is.
# Is it private for everybody?
# :::
#
# :::{dropdown} Solution
# No. Nobody whose truth is yes ever says no, so a "no" is proof: the ratio is infinite.
# A "yes" is well protected.
# This is a common design in questionnaires, and it protects those with the sensitive answer; but {prf:ref}`def-ldp` protects both.
# :::

# %% tags=["hide-input"]


def always_yes(answer, rng):
    return answer if toss(0.5, rng) else 1


print(f"ε = {epsilon(laws(always_yes, [0, 1]))}")

# %% [markdown]
# :::{admonition} Exercise 3: two replies guess no better than one
# Two replies at ε each have 2ε together.
# Show that the best guess from both is right no more often than from one. How does that fit together?
# :::
#
# :::{dropdown} Solution
# If the replies agree, guess what they say; if they differ, they cancel, and any guess is right half the time.
# The probability of a right guess is $p^2 + p(1-p) = p$.
# ε measures the most telling outcome, two equal replies, which changes the odds by $e^{2\varepsilon}$; the best guess measures the average.
# :::

# %% tags=["hide-input"]
for count in (1, 2, 3):
    guess = best_guess(*laws(lambda x, rng, t=count: repeated(x, t, 0.5, rng), [0, 1]))
    print(f"T = {count} at ε = 0.5 each: best guess right with probability {guess:.4f}")

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | {prf:ref}`thm-rr-privacy`: exactly ε-LDP | law of the code |
# | {prf:ref}`thm-post`: post-processing is free | proof; laws of sums of reports |
# | {prf:ref}`thm-odds`: odds change by at most $e^\varepsilon$ | proof; {numref}`fig-rr-odds` from the law |
# | {prf:ref}`thm-rr-estimate`: unbiased, variance $1/(4\sinh^2(\varepsilon/2)\,n)$ | exact moments; 6,366 readers; a million simulated |
# | {prf:ref}`thm-local-laplace`: local Laplace noise | density ratio |
# | {prf:ref}`thm-composition`: ε adds up over one person's reports | law of the list of reports |
# | {prf:ref}`thm-rr-best`, {prf:ref}`cor-rr-limit`: no client for two values is better | proof; 500 random channels; 8 equations for three people |
#
# Next: how to check a mechanism that somebody else wrote.
