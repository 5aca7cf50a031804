# %% [markdown]
# (ch-survey)=
# # Your own survey
#
# *From {cite:t}`warner1965randomized` and {cite:t}`kairouz2016discrete`.*
#
# :::{admonition} In one minute
# You want to ask your own people, and publish a table with error bars.
# First write down the possible answers.
# Each phone looks up the code of its answer, and perturbs the code.
# The server counts the codes, and turns the counts into shares.
# The error of a share has two parts: the noise of the phones, and the choice of the people asked.
# The package takes these steps for tables, files and clusters.
# :::
#
# :::{zh}
# 一份调查由三部分组成：事先写定的类别、一个机制，以及带区间的结果。
# 类别若取自数据，同一个标签在不同文件中会得到不同的编码，而且列表本身会泄露有人给出了哪些答案。
# 不作答也是一种报告：若允许不发送，则就“是否作答”而言 $\varepsilon = \infty$；把“未作答”列为一类则受保护。
# 误差的平方分两部分：机制的噪声，以及抽样的 $\pi(1-\pi)/n$；只关心被问的这些人时，只需第一部分。
# $\varepsilon$ 较大时略去第二部分，区间覆盖总体的概率会明显低于 95 %。
# 要使所有区间同时成立，把误差概率平均分给各区间（Bonferroni）。
# 同样的计数可以来自内存、磁盘上的分区或集群。
# :::
#
# You need k-RR from {ref}`ch-frequency`.
# `odds(eps)` is $e^\varepsilon$ in a form that `prove` understands.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
import logging
from math import exp, inf, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import norm

from ldpnb import GRR, Number, OneOf, Ratings, Strings, Survey, YesNoTable, epsilon, laws, pick, prove, toss
from ldpnb.chance import odds
from ldpnb.collecting import collect, load_tally, save, save_tally
from ldpnb.survey import Account, BudgetError, Waves, pool_waves
from ldpnb_book import check, label_lines, recorded, simulation, style, table, theory
from ldpnb_book.studies import own_survey as study

style()
logging.getLogger("distributed.batched").setLevel("WARNING")  # no remarks when a cluster closes
rng = np.random.default_rng(1965)

# %% [markdown]
# (sec-survey-question)=
# ## Twenty thousand employees
#
# A hospital asks its 20,000 employees: if you left, what would be your main reason?
# Ana's reason is her boss, and the hospital must not learn it.
# **How large is the share of each reason, and how sure can the hospital be?**
#
# We invent a file of answers.
# In a real survey, each row stays on a phone.

# %%
EPS, N = 2.0, 20_000
SHARE = {"pay": 0.27, "hours": 0.22, "boss": 0.16}
SHARE |= {"team": 0.07, "commute": 0.12, "other": 0.04}
POPULATION = {**SHARE, None: 1 - sum(SHARE.values())}


def invented(n, rng):
    """Answers of n people; some give no reason."""
    words, shares = [*POPULATION], [*POPULATION.values()]
    age = 18 + rng.binomial(48, rng.beta(2, 2.5, n))
    nights = rng.random(n) < np.where(age < 35, 0.4, 0.2)
    remote = rng.random(n) < np.where(nights, 0.1, 0.5)
    people = {"reason": rng.choice(words, n, p=shares), "age": age}
    people |= {"remote": 1 * remote, "nights": 1 * nights}
    return pd.DataFrame(people)


folder = TemporaryDirectory()
csv = Path(folder.name) / "staff.csv"
invented(N, rng).to_csv(csv, index=False)
staff = pd.read_csv(csv)
print(staff.head(6).to_string())

# %% [markdown]
# Only the reason may be blank (NaN).
#
# (sec-survey-labels)=
# ## Labels come first
#
# A mechanism needs codes 0, 1, 2, … in place of words.
# pandas offers codes, but takes their list from the data:

# %%
WARDS = ["boss", "pay"], ["boss", "hours", "pay"]
for ward in WARDS:
    codes = pd.Series(ward).astype("category").cat.codes
    print(dict(zip(ward, codes.tolist(), strict=True)))

# %% [markdown]
# Code 1 is pay in one ward and hours in the other; adding the counts mixes them, without an error.
# The list also reveals what was said: if "boss" has a code, somebody in this ward said it.
# So write the labels down before anybody answers, with "other" for unforeseen answers, and one for missing answers.
# The package refuses a list taken from the answers:

# %%
REASONS = ["pay", "hours", "boss", "team", "commute", "other"]
LABELS = [*REASONS, "no answer"]
K = len(LABELS)
try:
    OneOf(staff["reason"].unique(), epsilon=EPS)
except ValueError as refused:
    print(refused)

# %% [markdown]
# (sec-survey-client)=
# ## From an answer to a report
#
# The client on the phone:


# %%
def client(answer, eps, rng):
    """Answer → label → code → k-RR."""
    label = "no answer" if pd.isna(answer) else answer
    x = LABELS.index(label)  # an error for other words
    if toss(odds(eps) / (odds(eps) + K - 1), rng):
        return x
    return pick([v for v in range(K) if v != x], rng)


sent = [client("boss", EPS, rng) for _ in range(6)]
print("Ana may send", [LABELS[x] for x in sent])
(law,) = laws(lambda x, rng: client(x, EPS, rng), ["boss"])
print({LABELS[y]: round(float(p), 3) for y, p in sorted(law.items())})

# %% [markdown]
# The second line is the *distribution (law)* of Ana's report.
# k-RR is exactly ε-LDP ({prf:ref}`thm-freq-privacy`), and so is our client, missing answers included:

# %%
print(prove(client, [*REASONS, None], rounded=False))

# %% [markdown]
# (sec-survey-missing)=
# ### Not answering
#
# May a person send nothing?
# Then the set of possible reports has one more member: nothing.


# %%
def declining(answer, eps, rng):
    """A missing answer sends nothing."""
    return None if pd.isna(answer) else client(answer, eps, rng)


for who in (client, declining):
    for answers in (REASONS, [*REASONS, None]):
        told = laws(lambda x, rng, who=who: who(x, EPS, rng), answers)
        row = f"{who.__name__:<9} {len(answers)} answers"
        print(f"{row}: ε = {epsilon(told):.3g}")

# %% [markdown]
# The seventh answer is the missing one.
# A person without an answer sends nothing with probability 1, all others with probability 0.
# No finite $\varepsilon$ covers this ratio.
# So declining protects *which* reason somebody gave, but not *whether* she gave one.
# A category for missing answers protects both, at the price of one more label and a little more noise.
# Allow declining only if silence is harmless.
# Shares are then among those who answer.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: exact ε of both policies, and codes that shift"}
def spent(who, answers):
    """Exact ε of a client."""
    return epsilon(laws(lambda x, rng: who(x, EPS, rng), answers))


def agree(code):
    """Whether "pay" has one code in both wards."""
    return len({code(ward)[ward.index("pay")] for ward in WARDS}) == 1


check(
    "Policies",
    "a category: ε; declining: ε about the reason alone",
    abs(spent(client, [*REASONS, None]) - EPS) < 1e-9 and abs(spent(declining, REASONS) - EPS) < 1e-9,
    control="declining, silence included: infinite",
    caught=spent(declining, [*REASONS, None]) == inf,
)
check(
    "Labels",
    "a list written down: one code in both wards",
    agree(lambda ward: [LABELS.index(x) for x in ward]),
    control="lists taken from the data",
    caught=not agree(lambda ward: pd.Series(ward).astype("category").cat.codes),
)

# %% [markdown]
# (sec-survey-server)=
# ## From reports to shares
#
# Let $C_x$ be the number of reports that say label $x$, one of $k$.
# A person with $x$ says $x$ with probability $p^*$, any other person with probability $q^*$:
#
# $$ p^* = \frac{e^\varepsilon}{e^\varepsilon+k-1}, \qquad q^* = \frac{1}{e^\varepsilon+k-1}. $$
#
# If the share of $x$ among the $n$ people is $f$, then
#
# $$ \E\,C_x = n\,\big(f\,p^* + (1-f)\,q^*\big). $$
#
# Replace the expectation by the count, and solve for $f$:
#
# $$ \hat f = \frac{C_x/n - q^*}{p^*-q^*}. $$ (eq-survey-share)
#
# **These people.**
# Their answers are fixed, and only the coins of the phones are random.
# The count $C_x$ is a sum of $nf$ coins with probability $p^*$ and $n(1-f)$ coins with probability $q^*$:
#
# $$ \Var C_x = n\,\big(f\,p^*(1-p^*) + (1-f)\,q^*(1-q^*)\big). $$
#
# By {eq}`eq-survey-share`, divide by $n^2(p^*-q^*)^2$:
#
# $$ \E\,(\hat f-f)^2 = \frac{f\,p^*(1-p^*) + (1-f)\,q^*(1-q^*)}{n\,(p^*-q^*)^2}. $$ (eq-survey-noise)
#
# **The population.**
# Now the $n$ people are a random sample from many more, of whom a share $\pi$ has $x$.
# Then $f$ is random: an average of $n$ independent answers, with mean $\pi$ and variance $\pi(1-\pi)/n$.
#
# 1. Write the difference as a sum:
#
#    $$ \hat f - \pi = (\hat f - f) + (f - \pi). $$
#
# 2. Given the people, the second part is fixed and the first has mean 0.
#    So the product of the parts has mean 0:
#
#    $$ \E\,(\hat f-f)(f-\pi) = 0. $$
#
# 3. Hence the squares add:
#
#    $$ \E\,(\hat f-\pi)^2 = \E\,(\hat f-f)^2 + \frac{\pi(1-\pi)}{n}. $$ (eq-survey-both)
#
# The first term is also averaged over the random $f$.
# As {eq}`eq-survey-noise` is linear in $f$, this average is {eq}`eq-survey-noise` at $f = \pi$.
#
# The server knows neither $f$ nor $\pi$.
# As {eq}`eq-survey-noise` is linear, it stays right on average with $\hat f$ in place of $f$.
# But {eq}`eq-survey-both` contains $\pi^2$, and $\hat f^2$ in its place would be biased.
# So let $r$ be the probability that a random person's report says $x$:
#
# $$ r = q^* + \pi\,(p^*-q^*). $$
#
# Then $C_x$ is binomial with variance $n\,r(1-r)$, so by {eq}`eq-survey-share`
#
# $$ \E\,(\hat f-\pi)^2 = \frac{r(1-r)}{n\,(p^*-q^*)^2}. $$ (eq-survey-short)
#
# Count a report as 1 if it says $x$, and otherwise as 0.
# The sample variance of these $n$ numbers, on average $r(1-r)$, is
#
# $$ \frac{n}{n-1}\cdot\frac{C_x}{n}\Big(1-\frac{C_x}{n}\Big). $$
#
# So replace $r$ by $C_x/n$ and $n$ by $n-1$ in {eq}`eq-survey-short`.
# By {eq}`eq-survey-share`, this means $\hat f$ for $\pi$ and $n-1$ for $n$ in {eq}`eq-survey-both`, as in the code:


# %%
def server(counts, eps):
    """Shares, with errors for these people and the population."""
    n, k = counts.sum(), len(counts)
    p = exp(eps) / (exp(eps) + k - 1)  # p*
    q = 1 / (exp(eps) + k - 1)  # q*
    f = (counts / n - q) / (p - q)
    noise = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (p - q) ** 2
    return f, np.sqrt(noise / n), np.sqrt((noise + f * (1 - f)) / (n - 1))


reports = np.array([client(x, EPS, rng) for x in staff["reason"]])
f_hat, these, population = server(np.bincount(reports, minlength=K), EPS)
truth = staff["reason"].fillna("no answer").value_counts(normalize=True)
rows = pd.DataFrame({"label": LABELS})
rows["truth, %"] = [f"{100 * truth[x]:.1f}" for x in LABELS]
rows["estimate, %"] = [f"{100 * f:.1f}" for f in f_hat]
rows["error, these people"] = [f"{100 * e:.2f}" for e in these]
rows["error, population"] = [f"{100 * e:.2f}" for e in population]
table(rows)

# %% [markdown]
# *Truth* is the share among these people; errors are in points.
# An estimate plus or minus 1.96 errors is a 95 % interval, since $\hat f$ is nearly normal.
#
# (sec-survey-coverage)=
# ### Do the intervals cover?
#
# Let $Z$ be the difference between estimate and truth, divided by its standard deviation.
# This is the root of {eq}`eq-survey-noise` for these people's truth, of {eq}`eq-survey-both` for the population's.
# $Z$ is nearly standard normal.
# An interval covers the truth if the two differ by at most 1.96 times the error used, so with probability
#
# $$ \Pr\Big[\,\lvert Z\rvert \le 1.96\cdot\frac{\text{error used}}{\text{standard deviation}}\,\Big]. $$ (eq-survey-covers)
#
# {numref}`fig-survey-coverage` tries both errors on both truths, with reports by our client's law and our server.

# %% mystnb={"figure": {"name": "fig-survey-coverage", "caption": "Coverage of nominal 95 % intervals for the share of pay, with each error. Lines: formula. Marks: 1,000 surveys of 1,000 people per ε, with 95 % bars."}, "image": {"alt": "Two panels of coverage against epsilon from 1 to 6. If the truth is the population, coverage by its error stays at 0.95, and by that for these people falls to 0.26. If it is these people, coverage by their error stays at 0.95, and by the other rises to 1. Marks lie near the lines."}}
BUDGETS = np.arange(1, 7)
drawn = {"n": 1000, "budgets": BUDGETS, "runs": 1000, "rng": rng}
marks = study.coverage(client, server, POPULATION, **drawn)


def errors(eps, n=1000):
    """Both errors at the true share of pay."""
    p, q = exp(eps) / (exp(eps) + K - 1), 1 / (exp(eps) + K - 1)
    expected = np.array([q + f * (p - q) for f in POPULATION.values()])
    return [error[0] for error in server(n * expected, eps)[1:]]


NAMES, TRUTHS = (list(marks[x].unique()) for x in ("error", "about"))
lines = []
for eps in np.linspace(1, 6, 41):
    for name, used in zip(NAMES, errors(eps), strict=True):
        for about, right in zip(TRUTHS, errors(eps), strict=True):
            covered = 2 * norm.cdf(1.96 * used / right) - 1
            lines.append((eps, name, about, covered))
lines = pd.DataFrame(lines, columns=["ε", "error", "about", "covered"])
fig, axes = plt.subplots(1, 2, sharey=True, figsize=(7.6, 3.4))
for ax, about in zip(axes, reversed(TRUTHS), strict=True):
    line, mark = (x[x["about"] == about] for x in (lines, marks))
    look = simulation("error", NAMES)
    sns.lineplot(mark, x="ε", y="covered", ax=ax, **look)
    look = theory("error", NAMES)
    sns.lineplot(line, x="ε", y="covered", ax=ax, **look)
    ax.set(title=f"truth: {about}", xlabel="budget ε", ylabel="coverage")
for ax in axes:
    label_lines(ax)
plt.show()

# %% [markdown]
# With the smaller error, at $\varepsilon = 4$ the interval covers the population only six times out of ten.
# More people do not help: both errors have a factor $1/\sqrt n$, which cancels in {eq}`eq-survey-covers`.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: both errors exactly, and the simulated coverage"}
def variance(eps, pi):
    """Variance of one random person's score, from the law of the client."""
    told = laws(lambda x, rng: client(x, eps, rng), list(POPULATION))
    says = sum(share * float(one[0]) for share, one in zip(pi, told, strict=True))
    p, q = float(told[0][0]), float(told[1][0])
    return says * (1 - says) / (p - q) ** 2


PI = list(POPULATION.values())
exact = [(sqrt(variance(eps, PI) / 999), *errors(eps)) for eps in (0.5, EPS, 4.0)]
check(
    "Errors",
    "for the population: from the exact law, at three budgets",
    all(abs(right / two - 1) < 1e-9 for right, _, two in exact),
    control="errors for these people",
    caught=any(one < 0.99 * right for right, one, _ in exact),
)
seen = marks.groupby(["ε", "error", "about"])["covered"].mean().reset_index()
expected = [
    2 * norm.cdf(1.96 * errors(row["ε"])[NAMES.index(row["error"])] / errors(row["ε"])[TRUTHS.index(row["about"])]) - 1
    for _, row in seen.iterrows()
]
allowed = [5.5 * sqrt(c * (1 - c) / 1000) + 0.01 for c in expected]  # and for the normal approximation
check(
    "Coverage",
    "24 coverages by simulation: as by formula",
    bool((abs(seen["covered"] - expected) < allowed).all()),
    control="nominal 95 % everywhere",
    caught=bool((abs(seen["covered"] - 0.95) > allowed).any()),
)

# %% [markdown]
# (sec-survey-oneof)=
# ## The same by one call
#
# `OneOf` is a list of labels with a mechanism.
# It takes lists, and columns of pandas or Arrow, and refuses words that are not labels.
# With our client's reports:

# %%
krr = GRR(k=K, epsilon=EPS)
reason = OneOf(REASONS, missing="no answer", mechanism=krr)
result = reason.estimate(reason.tally(reports))
result

# %% [markdown]
# Estimates and errors are those of our server, for the population; `people=True` gives errors for these people.
# The intervals are *score intervals* {cite:p}`wilson1927probable`.
# A share belongs to one if the estimate is at most 1.96 errors away, with the error that this share would have.
# They differ from ours for few people or rare labels.
#
# ### All intervals at once
#
# Each interval misses with probability 0.05, so at least one of the seven misses far more often.
# Make each so wide that it misses with probability $0.05/k$ only: here, 2.69 errors in place of 1.96.
# Whether or not the misses are independent,
#
# $$ \begin{aligned} \Pr[\text{some interval misses}] &\le \sum_{x=0}^{k-1} \Pr[\text{interval } x \text{ misses}] \\ &= k\cdot\frac{0.05}{k} = 0.05. \end{aligned} $$ (eq-survey-bonferroni)
#
# With `together=True`, {numref}`fig-survey-result` uses this bound of Bonferroni.

# %% mystnb={"figure": {"name": "fig-survey-result", "caption": "The result to publish: shares with 95 % intervals, all together, about these 20,000 people. Upright strokes: their true shares."}, "image": {"alt": "Seven horizontal intervals, from pay at 27 percent, hours at 23, boss at 16, commute and no answer at 12, team at 7, to other at 3. Each contains the stroke of the true share."}}
asked = {"people": True, "together": True}
result = reason.estimate(reason.tally(reports), **asked)
ax = result.plot()
ax.plot(100 * truth[LABELS], range(K), "|", color="black", ms=18)
plt.show()


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: OneOf gives the numbers of our own server"}
again = reason.perturb(staff["reason"], rng=rng)


def distance(tally):
    """Largest difference from our server: shares and both errors."""
    found = [reason.estimate(tally, people=people) for people in (True, False)]
    pairs = [(found[0].estimate, f_hat), (found[0].error, these), (found[1].error, population)]
    return max(abs(ours - right).max() for ours, right in pairs)


check(
    "Same numbers",
    "the same reports: shares and both errors",
    distance(reason.tally(reports)) < 1e-12,
    control="other reports of the same people",
    caught=distance(reason.tally(again)) > 1e-4,
)

# %% [markdown]
# (sec-survey-contrasts)=
# ### Differences, NPS and Likert scales
#
# How far is pay ahead of hours?
# Both rows come from the same reports: a report that says pay cannot say hours, so their errors do not add like those of two surveys.
# `contrast` takes any weighted sum of rows, and knows how they go together.
# Here it is again, beside the root of the squared errors of the rows:

# %%
ahead = result.contrast({"pay": 1, "hours": -1})
hypot = sqrt(result["pay"].error ** 2 + result["hours"].error ** 2)
print(ahead)
print(f"root of the squared errors: {100 * hypot:.2f} points")

# %% [markdown]
# The *Net Promoter Score (NPS)* is the contrast promoters − detractors.
# A *Likert scale* is a list of numbers, or of labels with `values=`; then `result.mean` has its interval, and `result.top(2)` is its top-two box.
# Ask three labels for an NPS: map the eleven answers to them on the device, since each label more makes more noise.
# `difference` compares two groups, `differences` all their rows, and `same_everywhere` tests several groups at once.
# If people were assigned to two groups at random, as in an A/B test, do not use `people=True`:
# the assignment is chance, too, and an error about these people does not contain it.
#
# (sec-survey-plan)=
# ## Before you ask
#
# For a given mechanism, $n$ times {eq}`eq-survey-short` depends on $\pi$ only.
# With a guess of $\pi$, a given half-width needs
#
# $$ n = \Big(\frac{1.96}{\text{half-width}}\Big)^2\cdot\frac{r(1-r)}{(p^*-q^*)^2} $$ (eq-survey-people)
#
# people: half the half-width needs four times as many.
# `reason.question(N)` plans this way, with the best mechanism and $\pi = 1/k$.
# For `people=True`, {eq}`eq-survey-noise` replaces {eq}`eq-survey-short`:

# %%
planned = reason.question(N)
own = planned.people_for(0.01, people=True)
print(f"± 1 point: {planned.people_for(0.01):,} people")
print(f"about themselves: {own:,} people")
print(f"with {N:,} people: ε = {planned.epsilon_for(0.01):.3f}")
for choice in planned.rank()[:3]:
    width = f"± {100 * choice.half_width():.2f} points"
    print(f"{choice.name:<12}  {width}  {choice.code}")

# %% [markdown]
# Here k-Subset takes sets of size 1, and is then k-RR.
# `choice.code` is the Python to copy.
# Without a mechanism, `OneOf` takes the first of `rank()`, here at other budgets:

# %%
rows = []
for eps in (0.5, 1.0, 2.0, 4.0):
    question = OneOf(REASONS, missing="no answer", epsilon=eps)
    planned = question.question(N)
    points = planned.half_width(), planned.smallest_share()
    row = [eps, planned.rank().best.name]
    row += [f"{100 * x:.1f}" for x in points]
    rows.append([*row, f"{planned.people_for(0.01):,}"])
columns = ["ε", "mechanism", "±, points", "told from 0, points"]
table(pd.DataFrame(rows, columns=[*columns, "people for ± 1 point"]))

# %% [markdown]
# Columns three and four are for 20,000 people.
# If a share is that of column four, about half of all intervals leave out 0.
# In the first row, k-Subset ties, with longer reports.
# `reason.plan(N, share=0.1)` gives the error at another share.
# For two groups, `people_for_difference(0.05, share=0.2)` gives the number of people *in each group* that see a difference between 20 % and 25 % with probability 0.8.
#
# (sec-survey-several)=
# ## Several questions, one budget
#
# One person's reports together cost the sum of their ε ({ref}`ch-composition`).
# A `Survey` holds several questions, and a limit for this sum.
# `Number` estimates a mean, and `YesNoTable` shares of yes, also for pairs of columns.
# `yes=1, no=0` are the codes of our file:

# %%
survey = Survey(
    {
        "reason": OneOf(REASONS, epsilon=1.0, missing="no answer"),
        "age": Number(16, 70, epsilon=0.5),
        "habits": YesNoTable(
            ["remote", "nights"], epsilon=0.5, yes=1, no=0, pairs=True
        ),
    },
    limit=2.0,
)  # fmt: skip
tallies = survey.tally(survey.perturb(staff, rng=rng))
results = survey.estimate(tallies, people=True)
print(results)

habits = staff[["remote", "nights"]]
truths = {**truth, "mean": staff["age"].mean(), **habits.mean()}
truths["remote and nights"] = habits.all(axis=1).mean()
print()
for row in (row for result in results.values() for row in result):
    if not row.low <= truths[row.label] <= row.high:
        print(f"missed: {row.label}, truth {truths[row.label]:.3f}")

# %% [markdown]
# One interval misses.
# If eleven such intervals were independent, at least one would miss with probability $1-0.95^{11} = 0.43$.
#
# With `missing="decline"`, the server would see who gives no reason, which `limit` does not cover.
#
# With half the budget, the errors of the reasons have more than doubled.
# With more questions, it is better to ask each person only some of them, with more of ε each ({ref}`sec-survey-drawn`).
#
# On Ana's phone there is one row, and an account of the ε spent.
# The survey's limit is for its questions, the account's for all surveys on this phone:

# %%
ana = {"reason": "boss", "age": 41, "remote": 0, "nights": 1}
with TemporaryDirectory() as phone:
    account = Account(f"{phone}/account", limit=2.5)
    sent = survey.answer(ana, account=account)
    print(f"reports on {', '.join(sent)}; spent {account.spent}")
    try:
        survey.answer(ana, account=account)
    except BudgetError as refused:
        print(refused)

# %% [markdown]
# (sec-survey-drawn)=
# ## Twelve questions, 3,000 people
#
# Another survey has twelve questions with five labels each.
# It has 3,000 people, and a limit of ε = 1.
# If everybody answers all questions, each gets a twelfth of ε; `plan` shows what this costs:

# %%
GRADES = ["very good", "good", "fair", "poor", "very poor"]
names = [f"question {i + 1}" for i in range(12)]
twelve = {name: OneOf(GRADES, epsilon=1.0) for name in names}
one_each = Survey(twelve, limit=1.0, draw=1)
print(one_each.plan(3000))

# %% [markdown]
# The error is that of a share of one fifth.
# With a split ε, it is more than 35 points, and the survey is worth nothing.
# With `draw=1`, each person answers one question with all of ε, and the error is about 10 points ({eq}`eq-choosing-drawn`, Exercise 1).
# A survey of one of these questions alone would have an error of about 3 points.
#
# The questions are drawn before anybody looks at an answer.
# For a table, `perturb` deals them in equal numbers, here to 250 people each:

# %%
dice = np.random.default_rng(12)
ODDS = [0.3, 0.3, 0.2, 0.1, 0.1]
grades = {name: dice.choice(GRADES, 3000, p=ODDS) for name in names}
counted = one_each.tally(one_each.perturb(grades, rng=dice))
one_each.estimate(counted, people=True)["question 1"]

# %% [markdown]
# These errors are about all 3,000 people, and contain the chance of who was asked.
#
# A phone asks `one_each.drawn(account)` for its owner's question.
# The account keeps the draw, also if the owner declines.
# If there were another draw then, the questions that are answered would tell something about the answers.

# %% [markdown]
# (sec-survey-weekly)=
# ## A weekly question
#
# Every week, the hospital asks the same 500 employees whether they slept well.
# A week is a *wave*, and its tally keeps the name of the wave.
# Tallies of different waves do not add:

# %%
sleep = OneOf(["well", "badly"], epsilon=2.0)
weekly = np.random.default_rng(48)
sleeper = weekly.random(500)
tallies = []
PARTS = {"2026-W48": 0.35, "2026-W49": 0.45, "2026-W50": 0.60}
for week, part in PARTS.items():
    nights = np.where(sleeper < part, "well", "badly")
    sent = sleep.perturb(nights, rng=weekly)
    tallies.append(sleep.tally(sent, wave=week))
try:
    tallies[0] + tallies[1]
except ValueError as refused:
    print(refused)

# %% [markdown]
# `Waves` compares them.
# Each week has fresh coins, so the squared errors about these people add:

# %%
found = [sleep.estimate(one, people=True) for one in tallies]
waves = Waves(found, same=True)
print(waves)
print(waves.slope("well"))

# %% [markdown]
# About a population, the errors also depend on how the answers of one person go together.
# Without `people=True`, the package takes the way that makes the error largest.
# Scores go the same way: `Waves([one.mean for one in found], same=True)`, or with `one.top(2)`.
#
# You may also want one share over all weeks.
# If each of the $n$ people sent $T$ reports, the noise is averaged over $nT$ reports.
# But there are only $n$ people: if nobody's answer changes, the second term of {eq}`eq-survey-both` stays $\pi(1-\pi)/n$, and otherwise it is smaller.
# `pool_waves` adds the waves, and `rounds` is $T$:

# %%
pooled = pool_waves(tallies)
for rounds in (1, 3):
    found = sleep.estimate(pooled, rounds=rounds)
    who = found.said.partition(", ε")[0]
    print(f"± {100 * found['well'].error:.2f} points: {who}")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: what repeated people add to the squared error"}
def added(rounds):
    """Squared error about the population less that about these people, times nT, over π(1 − π)."""
    both = [sleep.estimate(pooled, people=people, rounds=rounds)["well"] for people in (False, True)]
    return pooled.n * (both[0].error ** 2 - both[1].error ** 2) / (both[0].share * (1 - both[0].share))


check(
    "Rounds",
    "three reports per person: three times the sampling part",
    abs(added(3) - 3) < 0.05,
    control="reports taken for people",
    caught=abs(added(1) - 3) > 1,
)

# %% [markdown]
# Numbers of reports may differ: then $T$ is $\sum T_i^2/\sum T_i$, if $T_i$ does not depend on the answers.
#
# Each week costs ε again.
# If answers rarely change, let the phone remember its report: `account.remembered(sleep, "well", label="sleep, 2026")` costs ε once, and hands out the same report all year.
# It speaks of the first answer, so a new period needs a new label.
# Copies of a report say no more than one: estimate one week of them, and do not pool.
# To compare weeks of them, say `Waves(found, same=True, remembered=True)`: else a mean over weeks looks surer than it is.
#
# (sec-survey-hold)=
# ## Do the intervals hold?
#
# Real clients answered hundreds of simulated surveys in each of many settings, with new people each time.
# Among them are few people, many categories, items that nobody rates, and ε from 0.2 to 6.
# The table shows how often a 95 % interval held the truth, on average over the rows of the record and in the worst row.
# A row is a setting, about the population or about these people.
# The worst of many rows is some points lower by chance alone: lines that end in *again* are 3,000 surveys of other people for the rows that were lowest.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The recorded surveys"}
shares, drawn = recorded("coverage"), recorded("drawn_coverage")
compared, repeated = recorded("contrasts"), recorded("repeated")
groups = {
    "each interval alone": (shares, "alone"),
    "all of a result together": (shares, "together"),
    "… the lowest, again": (recorded("coverage.again"), "together"),
    "questions drawn in public": (drawn, "alone"),
    "differences and scores": (compared, "covers"),
    "… with errors of rows added": (compared, "hypot"),
    "people asked again": (repeated, "rounds said"),
    "… taken for new people": (repeated, "alone"),
    "changes, new people": (repeated, "change, new"),
    "slopes, these people": (repeated, "slope, people"),
    "… the lowest slope, again": (recorded("repeated.again"), "slope, people"),
}
held = []
for name, (record, column) in groups.items():
    told = record[record[column] >= 0]
    share = 100 * told[column]
    average = np.average(share, weights=told["surveys"])
    held.append([name, len(told), f"{told['surveys'].min():,}", f"{average:.1f} %", f"{share.min():.1f} %"])
table(pd.DataFrame(held, columns=["intervals", "rows", "surveys a row", "hold, average", "worst row"]))

# %% [markdown]
# (sec-survey-disk)=
# ## On disk, and on a cluster
#
# Counts add, so reports may lie in several files, called *partitions*, and be counted in any order.
# Reports in a file are codes without labels.
# So mark the file with `reason.identity`, a name for labels and mechanism; `collect` refuses files with another mark.
# Questions with equal labels and mechanisms share the mark, and need different folders.

# %%
days = Path(folder.name) / "reports"
days.mkdir()
MARK, mechanism = reason.identity, reason.mechanism
for day in range(4):
    path = days / f"day-{day}.parquet"
    save(reports[day::4], path, mechanism, label=MARK)
found = collect(mechanism, days, label=MARK)
print(f"{found.reports:,} reports in {len(found.partitions)} partitions")
boss = reason.estimate(found.tally)["boss"]
print(f"boss: {100 * boss.share:.1f} %")

# %% [markdown]
# A dask cluster takes the same call.
# Here, two workers share this process; workers on other machines must see the folder.

# %%
from distributed import Client

local = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
with Client(**local, dashboard_address=":0") as workers:
    far = collect(mechanism, days, label=MARK, scheduler=workers)
same = np.array_equal(far.tally.counts, found.tally.counts)
print("same counts:", same)

tally_file = Path(folder.name) / "so-far.tally"
save_tally(far.tally, tally_file, label=MARK)

# %% [markdown]
# The saved tally is all that tomorrow's estimate needs; {ref}`ch-collect` treats damaged files, copies and real clusters.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: one tally from memory, disk, cluster and file"}
def is_ours(tally):
    """Whether it is the tally of all reports in one array."""
    right = reason.tally(reports)
    return tally.n == right.n and np.array_equal(tally.counts, right.counts)


kept = load_tally(tally_file, mechanism, label=MARK)
check(
    "Tallies",
    "memory, partitions, two workers, a saved file",
    all(map(is_ours, (found.tally, far.tally, kept))),
    control="three of the four days",
    caught=not is_ours(collect(mechanism, sorted(days.iterdir())[1:], label=MARK).tally),
)
folder.cleanup()

# %% [markdown]
# (sec-survey-doors)=
# ## Which question for which data
#
# | a person has | ask | estimated | taught in |
# |---|---|---|---|
# | one of a list | `OneOf(labels)` | shares | {ref}`ch-frequency` |
# | a string not on a list | `Strings()` | shares of strings that you name later | {ref}`ch-wheel` |
# | a number | `Number(low, high)` | mean | {ref}`ch-means` |
# | ratings of some items | `Ratings(items, low, high, most)` | shares, mean ratings | {ref}`ch-keyvalue`, {ref}`ch-wheel` |
# | yes or no to several things | `YesNoTable(columns)` | shares, pairs | {ref}`ch-joint`, {ref}`ch-publish` |
#
# All have `perturb`, `tally`, `estimate` and `plan`.
# Below, 60 % write "mail", and half of the people rate the canteen, 3 on average:

# %%
tool = Strings(epsilon=EPS)
told = tool.perturb(["mail"] * 3000 + ["rota app"] * 2000, rng=rng)
print(tool.estimate(tool.tally(told, ["mail", "rota app", "fax"])))

stars = Ratings(["canteen", "parking", "gym"], 1, 5, most=2, epsilon=EPS)
people = [{"canteen": 4, "parking": 1}, {"canteen": 2}, {}, {"gym": 5}]
rated = stars.perturb(people * 5000, rng=rng)
print(f"\n{stars.estimate(stars.tally(rated))}")

# %% [markdown]
# Estimates may leave the range 1 to 5.
#
# (sec-survey-wrong)=
# ## What can go wrong
#
# - *An answer that no label fits.*
#   A list that grows later is another question, and costs its own ε.
# - *Those who take part differ.*
#   No interval shows this, at any $n$.
# - *Rare labels.*
#   Their estimates are often negative; do not set them to 0 before you add or average.
# - *The collector perturbs.*
#   If you run `perturb` on other people's answers, you know them all, and ε covers only what you pass on.
#
# (sec-survey-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 6 minutes)
# Four questions have seven labels each, and the limit is ε = 2.
# Everybody either answers all four by k-RR at ε = 0.5, or draws one and answers at ε = 2.
# Compare the variances for a label that hardly anybody has.
# :::
#
# :::{dropdown} Solution
# For $f = 0$, {eq}`eq-survey-noise` is
#
# $$ \frac{q^*(1-q^*)}{n(p^*-q^*)^2} = \frac{e^\varepsilon+k-2}{n\,(e^\varepsilon-1)^2}. $$
#
# All four: $(1.649 + 5)/0.649^2 = 15.8$, divided by $n$.
# One of four, so with $n/4$ people: $4\,(7.389+5)/6.389^2 = 1.21$, divided by $n$.
# Answering all four has 13 times the variance, as in {eq}`eq-choosing-drawn` with $d = 4$ and $f = 0$.
# The question must be drawn without looking at the answers.
# :::
#
# :::{admonition} Exercise 2 (code, 14 minutes)
# You only want the share of people who would leave for pay *or* hours.
# Write a client that sends one bit, and its estimator with the standard error for the population.
# Is it better than adding two shares of this lesson?
# For their sum, count the reports that say either label.
# :::
#
# :::{dropdown} Solution
# Randomized response on the bit "pay or hours" has $k = 2$.
# A person with one of the two says either with probability $p^*+q^*$, any other person with $2q^*$, so the sum is
#
# $$ \frac{(C_0+C_1)/n - 2q^*}{p^*-q^*}. $$
#
# The count is binomial, and the error is that of {eq}`eq-survey-short`, with $(C_0+C_1)/n$ for $r$, and $n-1$ for $n$.
# One bit is better: at ε = 2, its error is about two thirds of the other.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def one_bit(answer, eps, rng):
    """Whether the reason is pay or hours, by randomized response."""
    bit = int(answer in ("pay", "hours"))
    return bit if toss(odds(eps) / (odds(eps) + 1), rng) else 1 - bit


def share_of(reports, eps, k, labels):
    """Share of some labels together, of k, with its standard error."""
    p, q = exp(eps) / (exp(eps) + k - 1), 1 / (exp(eps) + k - 1)
    n, says = len(reports), np.isin(reports, labels).mean()
    error = sqrt(says * (1 - says) / (n - 1)) / (p - q)
    return (says - len(labels) * q) / (p - q), error


bits = [one_bit(x, EPS, rng) for x in staff["reason"]]
print(prove(one_bit, [*REASONS, None], rounded=False))
print(f"truth      {100 * (truth['pay'] + truth['hours']):.1f} %")
for name, found in {"one bit": (bits, EPS, 2, [1]), "two labels": (reports, EPS, K, [0, 1])}.items():
    share, error = share_of(*found)
    print(f"{name:<10} {100 * share:.1f} ± {100 * error:.2f} %")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes)
# The hospital asked all its 20,000 employees, and all took part.
# Why is the smaller error right in the report to its board?
# The board also wants to learn about the staff of all hospitals: which error does it need, and is that enough?
# :::
#
# :::{dropdown} Solution
# The report is about these people, and there is nobody else: only the phones' coins are random.
# If the staff of all hospitals are the population, the larger error is needed.
# It is not enough: it assumes a random sample, and the staff of one hospital hardly are one.
# :::
#
# ## Summary
#
# - A survey is a list of labels written down beforehand, a mechanism, and intervals.
# - Sending nothing is a report, and reveals that there is no answer.
# - The error about these people is the noise of the phones; for the population, add $\pi(1-\pi)/n$ to its square.
# - Intervals for all labels together share the probability of a miss.
# - The same people asked again are not new people: say how many reports each sent.
#
# ## Letters
#
# Here $f$ is always the share of those asked, and $\pi$ the population's.
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $k$ | size of the domain of one attribute; items are $0, \dots, k-1$ |
# | $x$ | an item, or another value that one person has |
# | $f$ | share of people who have something (of the population, for a random sample) |
# | $C_x$ | number of reports that support item $x$ |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $\pi$ | distribution of items or values, where a whole distribution is modelled |
# | $r$ | probability that a random person's report says a given label (here only) |
# | $T$ | number of reports per person (here only) |
# | $Z$ | a standard normal number (here only) |
