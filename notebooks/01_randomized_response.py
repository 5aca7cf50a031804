# %% [markdown]
# (ch-rr)=
# # Randomized response
#
# *From {cite:t}`warner1965randomized` and {cite:t}`ye2018survey`; {ref}`paper-ye2018` goes through the second paper claim by claim.*
#
# :::{admonition} In one minute
# You ask people a question that they would rather not answer.
# Each person tosses a biased coin in private.
# On heads, the reply is the truth; on tails, the opposite.
# Any reply may be a lie, so no reply proves anything about a person.
# But you know how often the coin makes people lie.
# So you can correct the share of "yes" among many replies.
# This is *randomized response*.
# :::
#
# :::{zh}
# 随机响应是最早的本地化差分隐私机制：每人私下抛一枚有偏的硬币，正面如实作答，反面则作相反的回答。
# 沿用户端程序的每一个随机分支运行一遍，便得到报告的精确分布（概率律）。
# 以概率 $p=e^\varepsilon/(1+e^\varepsilon)$ 如实作答时，这一机制恰好满足 $\varepsilon$-本地化差分隐私。
# 无论对方事先知道什么，一份报告改变赌注赔率的倍数至多为 $e^\varepsilon$。
# 服务器校正谎言之后，比例的估计无偏，标准误差为 $1/(2\sinh(\varepsilon/2)\sqrt n)$。
# 我们用 1974 年某杂志的 6,366 名读者的回答完成一次完整的调查，并把估计与真值并列。
# 对固定的一群人，有可信的收集者时，标准误差按 $1/n$ 下降；没有可信的收集者时，只按 $1/\sqrt n$ 下降。
# 若这群人是随机样本，两种误差都按 $1/\sqrt n$ 下降。
# :::
#
# You need basic probability: Bayes' rule and variances.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from math import exp, log, sinh, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import epsilon, laws, moments, prove, toss
from ldpnb.chance import odds
from ldpnb_book import check, datasets, diagram, label_lines, plain_ticks, simulation, style, theory

style()
rng = np.random.default_rng(1965)

# %% [markdown]
# (sec-rr-question)=
# ## A question nobody likes
#
# In 1974 a magazine asked its readers, married women, about their lives.
# One question was about affairs.
# {cite:t}`fair1978theory` analysed the answers of 6,366 readers.

# %%
people = datasets.fair()
truth = people["affair"].to_numpy().astype(int)
n, f = len(truth), truth.mean()
print(f"{truth.sum():,} of {n:,} had an affair: {f:.1%}")

# %% [markdown]
# A person's true answer is $x = 1$ for yes or $x = 0$ for no.
# The magazine wants the share $f$ of yes among its $n$ readers.
# We take their answers as the truth.
# But people who do not trust a magazine may answer falsely, and asking more people does not correct the error.
# **Can the magazine estimate $f$ without seeing the true answers?**
#
# We begin with five invented readers.

# %%
EPS = 1.0  # of the survey
FIVE = {"Ana": 1, "Bea": 0, "Cleo": 0, "Dora": 1, "Eve": 0}

# %% [markdown]
# (sec-rr-reply)=
# ## A coin in private
#
# {cite:t}`warner1965randomized` let each person spin a pointer that the interviewer could not see.
# It chose a question or its opposite, which the person answered truthfully.
# Our coin chooses the truth or a lie; each reply is as likely as with the pointer.
# It shows heads with probability
#
# $$ p = \frac{e^\varepsilon}{1+e^\varepsilon}. $$
#
# Everybody knows $\varepsilon > 0$, the *privacy budget*.
#
# The *client* is the program that turns a value $x$ into a *report* $y$, here the reply.
# In code, `toss(p, rng)` is heads with probability $p$.
# `odds(eps)` is $e^\varepsilon$, the ratio of $p$ to $1-p$; it also accepts a symbol, which a proof below needs.


# %%
def reply(x, eps, rng):
    """The truth on heads, the opposite on tails."""
    heads = toss(odds(eps) / (1 + odds(eps)), rng)
    return x if heads else 1 - x


for name, x in FIVE.items():
    y = reply(x, log(2), rng)
    print(f"{name:<5} truth {x}  reply {y}", "" if x == y else " a lie")

# %% [markdown]
# We took $\varepsilon = \ln 2$, so $e^\varepsilon = 2$ and $p = 2/3$.
# Of many replies, only a third are lies; of these five, three are, by chance.
#
# How often does Ana's client lie?
# We run it once with heads and once with tails, and note each probability ({numref}`fig-rr-tree`).
# The function `laws` does this for each value $x$.
# The leaves give the *distribution (law)* of the reply: the probability $\Pr[y \mid x]$ of each reply $y$.


# %% mystnb={"figure": {"name": "fig-rr-tree", "caption": "Ana's client for \u03b5 = ln 2, along both branches of its coin. Her true answer is yes."}, "image": {"alt": "Tree with two leaves. From the true answer yes, the branch heads with probability 2/3 leads to the report yes, the branch tails with probability 1/3 to the report no."}}
def at_ln2(x, rng):
    return reply(x, log(2), rng)


coin = {"steps": ["coin"], "options": [["heads", "tails"]]}
diagram.tree(at_ln2, 1, **coin, names={0: "no", 1: "yes"}, root="yes")
plt.show()

# %%
found = laws(at_ln2, [0, 1])
for x in (0, 1):
    no, yes = float(found[x][0]), float(found[x][1])
    print(f"truth {x}:  says 0 {no:.3f}  says 1 {yes:.3f}")

# %% [markdown]
# (sec-rr-privacy)=
# ## What a reply gives away
#
# A reply tells us something only if it is more likely under one value than under the other.
# So we limit the ratio of these two probabilities.
#
# :::{prf:definition} ε-local differential privacy
# :label: def-ldp
# A client is *ε-locally differentially private* (ε-LDP) if, for any two values $x$, $x'$ and every report $y$,
#
# $$ \Pr[y \mid x] \;\le\; e^\varepsilon\, \Pr[y \mid x']. $$
#
# It is *exactly* ε-LDP if no smaller ε does.
# :::
#
# If reports are real numbers, read "every set of reports" for "every report".
#
# :::{prf:theorem} Randomized response is exactly ε-LDP
# :label: thm-rr-privacy
# The probabilities of a reply under the two values differ by a factor of exactly $e^\varepsilon$.
# :::
#
# :::{prf:proof}
# A reply $y$ has probability $p$ if the value is $y$, and $1-p = 1/(1+e^\varepsilon)$ if it is not.
# Their ratio is $e^\varepsilon$.
# :::
#
# A program may differ from this formula.
# The function `prove` follows our client along its branches, with a symbol in place of ε:

# %%
print(prove(reply, [0, 1], rounded=False))

# %% [markdown]
# An *ideal coin* has exactly the probability in the code.
# A computer rounds this probability to 53 bits, so the true ε can be slightly larger.
# Without `rounded=False`, `prove` also checks rounded coins, and these fail; {ref}`ch-verify` shows the remedy.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the exact \u03b5 at one budget, with a client that lies too rarely as control"}
def eager(x, rng):
    """A mistake at ε = 1: it lies with probability (e^−ε)/2."""
    return x if toss(1 - exp(-1) / 2, rng) else 1 - x


wrong = epsilon(laws(eager, [0, 1]))
check(
    "Privacy",
    "two truths, two replies: exactly 1",
    abs(epsilon(laws(lambda x, rng: reply(x, 1.0, rng), [0, 1])) - 1) < 1e-12,
    control=f"lies with probability e^-ε/2, ε = {wrong:.3f}",
    caught=abs(wrong - 1) > 0.1,
)

# %% [markdown]
# (sec-odds)=
# ## ε as betting odds
#
# What does $e^\varepsilon$ mean to Dora?
# Suppose somebody bets that she had an affair.
# The *odds* are the probability of yes over that of no.
# Before the reply, they depend on what the bettor knows.
# The reply $y$ multiplies them by the ratio of its two probabilities.
#
# :::{prf:theorem} A report changes no odds by more than a factor of $e^\varepsilon$
# :label: thm-odds
# Let a client be ε-LDP.
# Take any prior beliefs, two values $x$, $x'$ of positive probability, and a report $y$ that can occur.
# Then
#
# $$ e^{-\varepsilon}\,\frac{\Pr[x]}{\Pr[x']} \;\le\; \frac{\Pr[x \mid y]}{\Pr[x' \mid y]} \;\le\; e^{\varepsilon}\,\frac{\Pr[x]}{\Pr[x']}. $$
#
# Randomized response attains both ends.
# :::
#
# :::{prf:proof}
# Some value gives $y$ a positive probability.
# By {prf:ref}`def-ldp`, every other value gives it at least $e^{-\varepsilon}$ times as much, so nothing below divides by 0.
# Divide Bayes' rule for $x$ by that for $x'$.
# The denominator $\Pr[y]$ cancels:
#
# $$ \frac{\Pr[x \mid y]}{\Pr[x' \mid y]} = \frac{\Pr[y \mid x]}{\Pr[y \mid x']}\cdot\frac{\Pr[x]}{\Pr[x']}. $$
#
# By {prf:ref}`def-ldp` the first factor on the right is at most $e^\varepsilon$.
# Exchange $x$ and $x'$: this factor is at least $e^{-\varepsilon}$.
# For randomized response, it equals one of these two bounds, by {prf:ref}`thm-rr-privacy`.
# :::


# %%
def belief(before, y, eps):
    """Probability of yes after the reply y, by Bayes' rule."""
    no, yes = laws(lambda x, rng: reply(x, eps, rng), [0, 1])
    after = before / (1 - before) * float(yes[y] / no[y])
    return after / (1 + after)


print("belief after the reply")
for eps in (0.1, 0.5, 1, 2, 4):
    p = exp(eps) / (1 + exp(eps))
    yes, no = belief(f, 1, eps), belief(f, 0, eps)
    print(f"ε = {eps:<3}  p = {p:.1%}  yes: {yes:.0%}, no: {no:3.0%}")

# %% [markdown]
# A bettor who knows only $f$ gives "yes" a probability of 32 %.
# At $\varepsilon = 1$, a reply changes it to 56 % or 15 %.
# At $\varepsilon = 4$, a "yes" is almost a confession: *smaller* budgets protect more.
#
# In {numref}`fig-rr-odds` the bettor also knows how a reader rates her marriage.

# %% mystnb={"figure": {"name": "fig-rr-odds", "caption": "Belief in an affair before and after the reply: \u201cyes\u201d above the diagonal, \u201cno\u201d below. Lines: Bayes' rule. Marks: readers in four groups, by how they rate their marriage (top; \u201cpoor\u201d includes \u201cvery poor\u201d), with 95 % bars."}, "image": {"alt": "Belief after the reply against belief before it, both from 0 to 1. For \u03b5 of 1, 2 and 4 one curve bows above the diagonal and its mirror image below, further for larger \u03b5. Marks at four beliefs, from 0.18 for very good marriages to 0.66 for poor or very poor ones, lie on the curves."}}
BUDGETS = [1, 2, 4]
grid, xy = np.linspace(0.001, 0.999, 200), {"x": "before", "y": "after"}
rating = people["marriage"].clip(lower=2)  # only 99 said "very poor"
before = people.groupby(rating)["affair"].transform("mean")
mark = pd.DataFrame({"before": before, "after": truth})
lines, marks = [], []
for eps in BUDGETS:
    said = np.array([reply(x, eps, rng) for x in truth])
    marks.append(mark.assign(said=said, ε=eps))
    for y in (1, 0):
        line = {"before": grid, "after": belief(grid, y, eps)}
        lines.append(pd.DataFrame(line).assign(said=y, ε=eps))
lines, marks = pd.concat(lines), pd.concat(marks)
fig, ax = plt.subplots(figsize=(6.4, 5))
look, dots = theory("ε", BUDGETS), simulation("ε", BUDGETS)
for y in (1, 0):
    one = lines[lines["said"] == y]
    sns.lineplot(one, **xy, **look, legend=bool(y))
    sns.lineplot(marks[marks["said"] == y], **xy, **dots, markersize=8)
ax.legend(title="ε", loc="upper left", bbox_to_anchor=(1, 1))
ratings = ["very good", "good", "fair", "poor"]
for at, name in zip(np.unique(before), ratings, strict=True):
    ax.text(at, 1.04, name, ha="center", fontsize=11)
ax.plot([0, 1], [0, 1], color="gray", linewidth=1, linestyle="-")
ax.set(xlabel="belief before the reply", xlim=(0, 1))
ax.set(ylabel="belief after the reply", ylim=(-0.02, 1.02))
plt.show()

# %% [markdown]
# (sec-rr-estimate)=
# ## What many replies are worth
#
# The magazine's *server* collects the replies $y_1, \dots, y_n$ and computes their share of yes, $\bar y$.
# The reply is 1 with probability $p$ if the truth is 1, and $1-p$ if it is 0.
# So the expectation of $\bar y$ is
#
# $$ \E\,\bar y = f\,p + (1-f)(1-p) = (1-p) + (2p-1)\,f. $$ (eq-rr-law)
#
# At $\varepsilon = 1$, this is 26.9 % if nobody had an affair, and 73.1 % if all had one.
# Suppose that 45 % say yes.
# This is 39 % of the way from 26.9 % to 73.1 %, so we estimate $f$ as 39 %.
# In general, replace the expectation in {eq}`eq-rr-law` by the observed share, solve for $f$, and multiply numerator and denominator by $e^\varepsilon+1$:
#
# $$ \hat f = \frac{\bar y - (1-p)}{p - (1-p)} = \frac{(e^\varepsilon+1)\,\bar y - 1}{e^\varepsilon-1}. $$ (eq-rr-estimate)
#
# :::{prf:theorem} The estimate is unbiased, and its variance does not depend on the answers
# :label: thm-rr-estimate
# For any fixed people with independent coins, $\E\,\hat f = f$ and
#
# $$ \Var \hat f = \frac{e^\varepsilon}{(e^\varepsilon-1)^2\,n} = \frac{1}{4\sinh^2(\varepsilon/2)\,n}. $$
#
# :::
#
# :::{prf:proof}
# For the mean, put {eq}`eq-rr-law` into the first form of {eq}`eq-rr-estimate`, whose denominator is $2p-1$.
#
# For the variance, $y_i$ is 1 with probability $p$ or $1-p$; its variance is $p(1-p)$ either way.
# The coins are independent, so the variances add up, and $\Var \bar y = n\,p(1-p)/n^2 = p(1-p)/n$.
# The estimate divides $\bar y$ by $2p-1$, and so its variance by $(2p-1)^2$:
#
# $$ \Var \hat f = \frac{p(1-p)}{(2p-1)^2\,n} = \frac{e^\varepsilon}{(e^\varepsilon-1)^2\,n} = \frac{1}{(e^{\varepsilon/2}-e^{-\varepsilon/2})^2\,n}. $$
#
# The second step multiplies numerator and denominator by $(e^\varepsilon+1)^2$; the third divides both by $e^\varepsilon$.
# The last bracket is $2\sinh(\varepsilon/2)$.
# :::
#
# The standard error is the root of this variance, $1/\big(2\sinh(\varepsilon/2)\sqrt n\big)$.
# The server can compute it without knowing any answer:


# %%
def server(yes, n, eps):
    """Estimated share of yes and its standard error."""
    e = exp(eps)
    f_hat = ((e + 1) * yes / n - 1) / (e - 1)
    error = sqrt(e / n) / (e - 1)
    return f_hat, error


# %% [markdown]
# Now all 6,366 readers reply, with $\varepsilon = 1$:

# %%
replies = [reply(x, EPS, rng) for x in truth]
yes = sum(replies)
f_hat, error = server(yes, n, EPS)
print(f"replies of yes: {yes / n:.1%}")
print(f"estimate: {f_hat:.1%} ± {error:.1%}; truth: {f:.1%}")

# %% [markdown]
# The raw share is too large: of the 4,313 readers without an affair, about 1,160 say yes.
#
# Would a direct question do better?
# If 3.7 % of the readers with an affair denied it, the share would be 0.037 · 32.2 = 1.2 percentage points too low.
# That is our standard error.
# If more deny it, the bias is larger.
#
# Our standard error is for *these* readers: only the coins are random.
# Now let the readers be a random sample, and $f$ the share in the population.
# For given readers, $\hat f$ has their share as its mean and the variance of {prf:ref}`thm-rr-estimate`, whoever they are.
# Across samples, their share has variance $f(1-f)/n$.
# By the law of total variance, the two variances add up {cite:p}`warner1965randomized`.
#
# {numref}`fig-rr-fair` repeats the survey at eight budgets.

# %% mystnb={"figure": {"name": "fig-rr-fair", "caption": "The share, estimated from one reply per reader at each budget (dots, with 95 % intervals). Line: truth."}, "image": {"alt": "Estimated share in percent against \u03b5 on a logarithmic axis from 0.05 to 8, with 95 percent intervals that shrink from about 49 points to either side at 0.05 to a fraction of a point at 8, around the line at 32.2."}}
asked = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8]


def survey(eps):
    return server(sum(reply(x, eps, rng) for x in truth), n, eps)


f_hats, errors = 100 * np.transpose([survey(eps) for eps in asked])
fig, ax = plt.subplots()
ax.axhline(100 * f, color="black", linewidth=1)
ax.errorbar(asked, f_hats, 1.96 * errors, fmt="o")
ax.set(xscale="log", xlabel="budget ε")
ax.set_ylabel("estimated share of yes, %")
plain_ticks(ax)
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: mean and variance of the estimate from one reply, exactly"}
some = (0.1, 0.5, 1, 2, 5)


def exact(eps, score, draw=lambda x, rng: x, values=(0, 1)):
    """Exact mean and variance of one person's score, from the law of the reply."""
    return moments(lambda x, rng: reply(draw(x, rng), eps, rng), list(values), score=lambda y: score(y, eps))


def score(y, eps):
    """The estimate from one reply alone; f_hat is the mean of these."""
    return server(y, 1, eps)[0]


def off(score):
    return [np.abs(exact(eps, score)[0] - [0, 1]).max() for eps in some]


check(
    "Unbiased",
    "mean of the score = truth, both truths, five ε",
    max(off(score)) < 1e-9,
    control="the replies counted as they are",
    caught=min(off(lambda y, eps: y)) > 1e-3,
)
ratios = [exact(eps, score)[1] / server(0, 1, eps)[1] ** 2 for eps in some]
check(
    "Variance",
    "of the score = 1/(4 sinh²(ε/2)), both truths, five ε",
    np.allclose(ratios, 1, rtol=1e-9) and all(abs(server(0, 1, eps)[1] * 2 * sinh(eps / 2) - 1) < 1e-9 for eps in some),
    control="ε for ε/2 in the formula",
    caught=all(abs(server(0, 1, eps)[1] * 2 * sinh(eps) - 1) > 1e-3 for eps in some),
)
drawn = [exact(eps, score, lambda f, rng: int(toss(f, rng)), [0.3])[1][0] for eps in some]
extra = np.array(drawn) - [server(0, 1, eps)[1] ** 2 for eps in some]
check(
    "Sampling",
    "people drawn at random with share 0.3: 0.21 more, five ε",
    np.abs(extra - 0.3 * 0.7).max() < 1e-9,
    control="compared with the fixed people's variance",
    caught=np.abs(extra).min() > 0.1,
)

# %% [markdown]
# (sec-rr-trust)=
# ## The price of having no trusted collector
#
# In the *central* model, people hand over their true answers, and a trusted collector perturbs only the published result.
# Here ε-differential privacy means: if one person's answer changes, the probability of any result changes by a factor of at most $e^\varepsilon$.
#
# One noise draw is enough for everybody {cite:p}`dwork2006calibrating`.
# The collector adds *two-sided geometric noise*, a random integer $Z$, to the number of yes {cite:p}`ghosh2012universally`:
#
# $$ \Pr[Z = z] = \frac{e^\varepsilon-1}{e^\varepsilon+1}\; e^{-\varepsilon|z|}, \qquad z = 0, \pm1, \pm2, \dots $$
#
# For a given result, a changed answer moves the noise $z$ by 1, and so its probability by a factor of at most $e^\varepsilon$.
#
# The published share has the standard deviation of $Z$ {cite:p}`inusah2006discrete`, divided by $n$.
# Compare it with {prf:ref}`thm-rr-estimate`:
#
# $$ \text{central: } \frac{1}{\sqrt2\,\sinh(\varepsilon/2)\;n} \quad\; \text{local: } \frac{1}{2\sinh(\varepsilon/2)\,\sqrt n} $$
#
# The first falls like $1/n$, the second only like $1/\sqrt n$ ({numref}`fig-rr-central`).

# %% mystnb={"figure": {"name": "fig-rr-central", "caption": "Standard error of a share at \u03b5 = 1, central (trusted collector) and local. Lines: formulas. Marks: 2,000 simulated surveys each."}, "image": {"alt": "Log-log plot of the standard error against the number of people from 10 to one million. The central line falls with slope minus one, the local line with slope minus one half; marks lie on both lines."}}
p, lines, marks = exp(1) / (1 + exp(1)), [], []
for size in 10 ** np.arange(1, 7):
    yes, z = round(f * size), rng.geometric(1 - exp(-1), (2, 2000))
    told = rng.binomial([yes, size - yes], [p, 1 - p], (2000, 2)).sum(1)
    found, local = server(told, size, EPS)
    central = 1 / (sqrt(2) * sinh(0.5) * size)
    lines.append({"n": size, "central": central, "local": local})
    noisy = (yes + z[0] - z[1]) / size
    both = {"n": size, "central": noisy, "local": found}
    marks.append(pd.DataFrame(both))
names, models = ["model", "error"], ["central", "local"]
lines = pd.DataFrame(lines).melt("n", models, *names)
marks = pd.concat(marks).melt("n", models, *names)
ax = sns.lineplot(lines, x="n", y="error", **theory("model", models))
look = simulation("model", models, of="std")
sns.lineplot(marks, x="n", y="error", **look)
ax.set(xscale="log", xlabel="number of people n")
ax.set(yscale="log", ylabel="standard error of the share")
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.yaxis.set_major_formatter(lambda y, _: f"{y:.6f}".rstrip("0"))
label_lines(ax)
plt.show()

# %% [markdown]
# To match a central survey of $n$ people, a local one needs $n^2/2$.
#
# Both formulas are for fixed people; a random sample adds $f(1-f)/n$ to both variances.
# A standard error of 0.01 at $\varepsilon = 1$ takes, for $f = 32.2\,\%$:
#
# | people | central | local | factor |
# |---|---|---|---|
# | fixed | 136 | 9,207 | 68 |
# | random sample | 2,193 | 11,392 | 5 |
#
# For the sample, nearly all central error comes from sampling.
#
# No unbiased local estimate is more precise than ours ({prf:ref}`cor-rr-limit`).


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: \u03b5 and variance of the central noise, and a better collector"}
def noisy(count, eps, outputs):
    """Law of a count plus two-sided geometric noise."""
    return np.tanh(eps / 2) * np.exp(-eps * np.abs(outputs - count))


def cost(a, b, eps):
    outputs = np.arange(-60, 61)
    return np.abs(np.log(noisy(a, eps, outputs) / noisy(b, eps, outputs))).max()


reach = np.arange(-600, 601)
mass = [noisy(0, eps, reach).sum() for eps in (0.1, 0.5, 1)]
spread = [noisy(0, eps, reach) @ reach**2 * 2 * sinh(eps / 2) ** 2 for eps in (0.1, 0.5, 1)]
check(
    "Central noise",
    "ε and variance of two-sided geometric noise, three ε",
    np.allclose(mass, 1) and np.allclose(spread, 1) and all(abs(cost(0, 1, eps) - eps) < 1e-9 for eps in (0.1, 0.5, 1)),
    control="counts that differ by two",
    caught=abs(cost(0, 2, 1.0) - 1) > 0.5,
)


def sizes(extra, eps=1.0):
    """People for a standard error of 0.01, central and local; people drawn at random add extra = f(1 − f)."""
    one, goal = server(0, 1, eps)[1] ** 2, 0.01**2
    central = (extra + sqrt(extra**2 + 8 * one * goal)) / (2 * goal)  # solves 2 one / n² + extra / n = goal
    return round(central), round((extra + one) / goal)


needed = sizes(0) + sizes(f * (1 - f))
check(
    "People",
    "as in the table",
    needed == (136, 9207, 2193, 11392),
    control="ε = 1.01",
    caught=sizes(0, 1.01)[1] != 9207,
)


def people_for(count, n, eps):
    """Local people, over n²/2, for the error of a collector who cuts the count to 0..n and corrects for the bias."""
    outputs = np.arange(-700, 701)
    channel = np.zeros((n + 1, n + 1))
    for c in range(n + 1):
        np.add.at(channel[c], np.clip(outputs, 0, n), noisy(c, eps, outputs))
    right = np.linalg.solve(channel, np.arange(n + 1))  # the only unbiased estimate from the cut count
    central = (channel[count] @ right**2 - count**2) / n**2
    return server(0, 1, eps)[1] ** 2 / central / (n**2 / 2)


prices = [people_for(5, 10, 0.1), people_for(0, 136, 1.0)]
check(
    "Cut counts",
    "a collector who cuts counts to the range: 1.47 and 1.58 times n²/2",
    np.allclose(prices, [1.47, 1.58], rtol=0, atol=0.005),
    control="half of 136 people, where the cut does nothing",
    caught=people_for(68, 136, 1.0) < 1.001,
)

# %% [markdown]
# (sec-rr-wrong)=
# ## What can go wrong
#
# - *People do not follow the protocol.*
#   Suppose that a tenth of those with truth 1 say no, whatever their coin shows.
#   This lowers $\E\,\bar y$ by $0.1\,p f$, and the estimate by $0.1\,p f/(2p-1)$, which is 16 % of $f$ at $\varepsilon = 1$.
# - *The estimate leaves the range from 0 to 1*, with few people or a small ε.
#   {ref}`ch-sensible` says what to do.
# - *The same question is asked twice.*
#   Two replies give away more than one: {ref}`ch-composition`.
# - *The reply is not all that is sent.*
#   The time or the address of a message may identify a person; ε covers only the reply.
#
# (sec-rr-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 5 minutes): two fair coins
# Toss a fair coin.
# On heads, tell the truth; on tails, toss again, and say yes on heads and no on tails.
# What is the ε of this client?
# Of 1,000 replies, 400 are yes: estimate $f$ with its standard error for these people.
# :::
#
# :::{dropdown} Solution
# The reply is the truth with probability $\frac12 + \frac14 = \frac34$.
# So this is randomized response with $p = \frac34$, and $e^\varepsilon = \frac{3/4}{1/4} = 3$, that is, $\varepsilon = \ln 3 = 1.10$.
#
# The estimate is $\hat f = \frac{0.4 - 0.25}{0.5} = 0.30$.
# Its standard error is $\sqrt{\frac{3/16}{(1/2)^2\cdot 1000}} = 0.027$.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes): always yes on tails
# Toss a fair coin.
# On heads, tell the truth; on tails, say yes.
# Write this client and its estimator, and try them on the readers.
# Which truths can a reply prove?
# :::
#
# :::{dropdown} Solution
# The replies have mean $\E\,\bar y = f + \frac12(1-f) = \frac12 + \frac12 f$, so $\hat f = 2\bar y - 1$.
#
# No budget is large enough: nobody with the truth "yes" ever says "no".
# A "no" is proof, and the ratio of its two probabilities is infinite.
# The reply "yes" has a ratio of only 2.
# {prf:ref}`def-ldp` limits the ratio for *every* report.
# Below, `prove` writes x for $e^\varepsilon$, not for a value.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def always_yes(x, eps, rng):
    """The truth on heads, yes on tails; it ignores eps."""
    return x if toss(0.5, rng) else 1


y_bar = np.mean([always_yes(x, 1.0, rng) for x in truth])
print(f"estimate {2 * y_bar - 1:.1%}, truth {f:.1%}")
print(prove(always_yes, [0, 1], rounded=False))

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes)
# The survey finds that most readers who rate their marriage as poor or very poor had an affair.
# Fay never replied, but a neighbour knows that she rates hers as poor.
# He now believes more firmly that she had an affair.
# Has randomized response failed?
# :::
#
# :::{dropdown} Solution
# No.
# The neighbour learned this from other readers' replies; Fay never replied.
# ε limits what *her own reply* adds to what is known about her.
# It does not limit what the survey finds out about people in general, which is its purpose.
# In {numref}`fig-rr-odds`, such knowledge changes the belief before the reply.
# :::
#
# ## Summary
#
# - In randomized response, the client tells the truth with probability $e^\varepsilon/(1+e^\varepsilon)$ and is exactly ε-LDP.
# - A report from an ε-LDP client changes no odds by more than a factor of $e^\varepsilon$, whatever else is known.
# - The server corrects for the lies; the estimate is unbiased, and its standard error is $1/(2\sinh(\varepsilon/2)\sqrt n)$ for fixed people.
# - For fixed people, the standard error falls like $1/n$ with a trusted collector, and like $1/\sqrt n$ without one.
#   For a random sample, both errors fall like $1/\sqrt n$.
#
# ## Letters
#
# *Nats* means natural logarithms; *items*, *keys* and *bits* come later.
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $i$ | a person, one of the $n$ |
# | $x$ | an item, or another value that one person has |
# | $y$ | one report |
# | $\bar y$ | mean of the reports (here only) |
# | $\varepsilon$ | privacy budget, in nats |
# | $e^\varepsilon$ | the largest ratio of probabilities allowed, always written so |
# | $p$ | chance that a coin tells the truth; for bits, that the bit of the person's item is set |
# | $f$ | share of people who have something (of the population, for a random sample) |
# | $\hat f$ | estimate of $f$; a hat marks any estimate |
# | $\Pr[y \mid x]$ | distribution (law) of a client |
# | $\E$ | mean over the coins of the clients, and over people drawn at random |
# | $\Var$ | variance over the same |
# | $Z$ | noise of the collector, with values $z$ (here only) |
#
# Next, {ref}`ch-composition` asks one person many questions.
