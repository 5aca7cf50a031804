# %% [markdown]
# (ch-verify)=
# # Checking a privacy claim
#
# :::{admonition} In one minute
# Somebody hands you a client and says that it is ε-LDP.
# If all its random choices go through `ldpnb.chance`, its law can be read off its code, and ε, bias and variance are exact, for every domain small enough to walk through.
# If it also computes its coins from ε by `ldpnb.chance.odds`, all of this can be proved for every ε at once.
# If all you can do is run it, an *audit* bounds ε from below: it looks for an event that is likely under one value and unlikely under another, and counts how often it happens.
#
# A bound above the claimed ε refutes the claim, at a stated level.
# A bound below it proves nothing: what happens once in a million reports cannot be seen in a hundred thousand.
# :::
#
# :::{zh}
# 本章讨论如何检验一个用户端是否满足其所声称的 $\varepsilon$-本地化差分隐私。
# 若全部随机选择都经由 `ldpnb.chance`，便可从代码读出概率律，在可以穷举的值域上得到精确的 $\varepsilon$、偏差与方差。
# 若只能运行程序，则以审计求 $\varepsilon$ 的下界：寻找在一个取值下常见、在另一取值下罕见的事件，再用新的样本计数。
# 高于声称值的下界在给定的显著性水平上否定该声称，低于声称值的下界则什么也不能证明：百万份报告中出现一次的泄露，在十万份报告中无从察觉。
# $\varepsilon$、偏差与方差是三个不同的问题，用户端可以只在其中一个上出错；本章汇集了各含一处典型错误的用户端，并逐一说明哪种工具能够发现它。
# 其中有的用户端由报告得到的直方图看似正确，$\varepsilon$ 却为无穷大。
# 本章不判定五篇论文的论断，但后续各章的判定都以这里的工具为据。
# :::
#
# You will check ten lines of a stranger's code by its law and by an audit, check an estimate by samples, learn what each way can and cannot see, and meet a gallery of mistakes with the tools that catch them.
# You need {ref}`the first chapter <ch-rr>` up to its composition theorem.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
import warnings
from math import exp, log

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import beta, binom

from ldpnb import GRR, OLH, SUE, epsilon, law, laws, pick, prove, toss, worst
from ldpnb.book import check, gallery, style, table
from ldpnb.chance import TooManyBranches, bernoulli, odds, round_down
from ldpnb.verify import audit, ceiling, sampled

style()
SEED = 2018  # the year of StatDP
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-verify-stranger)=
# ## Ten lines of a stranger's code
#
# A survey asks which of eight things worries people most.
# Its client sends, for each of the eight, one perturbed bit, and to save space only the numbers of the bits that are set.
# An empty list looked like a broken report, so the author made sure that there is none.
# The comment claims $\varepsilon = 1$.


# %%
def send(answer, rng):
    """Unary encoding over eight items, epsilon = 1."""
    keep = exp(1) / (1 + exp(1))
    ones = []
    for item in range(8):
        if toss(keep if item == answer else 1 - keep, rng):
            ones.append(item)
    if not ones:  # never send nothing
        ones.append(pick(range(8), rng))
    return ones


# %% [markdown]
# Two things look odd, the probability `keep` and the last three lines.
# Are they wrong?
# Let us ask the law first: `laws` walks through all branches of the client's random choices for each answer, and `worst` looks for the report that tells two answers apart best.

# %%
found = worst(laws(send, range(8)))
print(f"ε = {found.epsilon:.3f}")
print(f"the list {list(found.report)} is {float(found.ratio):.2f} times as likely")
print(f"from somebody who means {found.pair[0]} as from one who means {found.pair[1]}")

# %% [markdown]
# The claim is off by a factor of two.
# Two answers differ in *two* bits, each of which shows a ratio of $e$, so a bit must be kept with $e^{1/2}/(1+e^{1/2})$.
# That is one mistake; the lines that fill an empty list are innocent of it, because they do not look at the answer ({prf:ref}`thm-post`).


# %%
def send_mended(answer, rng):
    keep = exp(1 / 2) / (1 + exp(1 / 2))
    ones = []
    for item in range(8):
        if toss(keep if item == answer else 1 - keep, rng):
            ones.append(item)
    if not ones:
        ones.append(pick(range(8), rng))
    return ones


mended = worst(laws(send_mended, range(8)))
check(
    "Stranger",
    f"mended client: ε = {mended.epsilon:.6f} where 1 is stated, 8 answers × {len(laws(send_mended, [0])[0])} reports",
    abs(mended.epsilon - 1) < 1e-9,
    control=f"as it came, ε = {found.epsilon:.3f}",
    caught=found.epsilon > 1.5,
)

# %% [markdown]
# So it is private now.
# Is it any good?
# The author estimates the share of an item from the share of reports that list it, as is right for unary encoding: with $p$ = `keep` and $q = 1-p$, the score of an item is $(1-q)/(p-q)$ if it is listed and $-q/(p-q)$ if not.
# The law tells the mean of that score as well.


# %%
def mean_score(client, answer, item, p):
    """Exact mean of the score of an item, given the answer."""
    q = 1 - p
    lists = law(lambda rng: client(answer, rng))
    listed = float(sum(w for ones, w in lists.items() if item in ones))
    return (listed - q) / (p - q)


p = exp(1 / 2) / (1 + exp(1 / 2))
own, other = (mean_score(send_mended, 0, item, p) for item in (0, 1))
print(f"mean score of the own item {own:.4f} (should be 1), of another one {other:.4f} (should be 0)")

# %% [markdown]
# Here the innocent lines strike: a client that never sends nothing lists every item a little too often.
# Every share comes out too high, by the same amount for everybody, and no number of people averages it away.
# (The cure is to drop the lines; an empty report is a report.)
#
# ε, bias and variance are three different questions, and a client may fail any of them without failing the others.

# %% tags=["hide-input"]
plain = SUE(k=8, epsilon=1.0)


def send_plain(answer, rng):
    return np.flatnonzero(plain.perturb([answer], rng=rng)[0])


off = max(abs(mean_score(send_plain, 0, item, p) - (item == 0)) for item in (0, 1))
check(
    "Bias",
    "without the last lines the mean score is 1 for the own item and 0 for another",
    off < 1e-9,
    control="with them",
    caught=abs(own - 1) > 0.001 and abs(other) > 0.001,
)

# %% [markdown]
# (sec-verify-exact)=
# ## What the law sees, and what it does not
#
# `laws` runs the client once for every branch of its choices.
# Unary encoding over $k$ items has $2^k$ branches, so $k = 8$ takes a blink, $k = 16$ some seconds, and $k = 128$ forever.
# The tool notices that and gives up early.

# %%
try:
    law(lambda rng: bernoulli(0.5, (128,), rng))
except TooManyBranches as error:
    print(error)

# %% [markdown]
# That is why a mechanism in this book comes with a theorem *and* a check.
# The theorem speaks of every $k$ and every ε, and of a formula.
# The check speaks of small $k$ and chosen ε, and of the code; {ref}`sec-verify-every` makes that every ε.
# A mistake that shows only beyond the domains that were walked through, an overflow at $k = 2^{31}$ say, escapes both, and this is what samples are for.
#
# The law also takes the coins on trust.
# It is exact only if *all* randomness comes through `ldpnb.chance`.
# A client with a generator of its own is noticed if a branch that is walked again happens to end differently; a rare choice from outside usually escapes, so search the code for other generators.
# A client with a fixed seed repeats itself, and is seen as what it is, a client without randomness.
#
# (sec-verify-every)=
# ## Every ε at once
#
# The law above is that of a client at $\varepsilon = 1$.
# Whether another ε would do as well is a question about formulas, and the formulas are in the code.
#
# Take Warner's coin by hand.
# With $x = e^\varepsilon$, a person tells the truth with probability $x/(x+1)$ and lies with probability $1/(x+1)$.
# Leave out the common denominator: a reply has weight $x$ if it is the truth, and weight 1 if it is a lie.
# No reply may be more than $x$ times as likely under one answer as under the other.
# That is two inequalities, for the reply that is true under the first answer and for the one that is false; the other order of the answers gives the same two:
#
# $$ x \le x \cdot 1 \qquad\text{and}\qquad 1 \le x \cdot x. $$
#
# The first is an identity, so all of ε is spent, whatever ε is.
# For the second write $x = 1 + u$.
# Since ε is positive, so is $u$, and $x^2 - 1 = 2u + u^2$ has no negative coefficient: it cannot be negative.
# This holds for every ε.
#
# Over $k$ items, k-RR keeps the truth with probability $(x-1)/(x+k-1)$, which is a probability because $x \ge 1$, and else, with probability $k/(x+k-1)$, draws any of the $k$ items.
# So it reports the person's item with probability $x/(x+k-1)$ and each other item with $1/(x+k-1)$.
# Compare two people with different items: their own two items give the two inequalities above, and an item of neither gives $1 \le x$, which is $u \ge 0$.
#
# A program can do the same if the client computes its coins itself.
# `prove` runs the client along all branches with a symbol in place of ε.
# Sums and quotients of the symbol are formulas, exact fractions of polynomials.
# If the client asks a formula for its value, or makes a comparison whose result depends on ε, `prove` raises an error.
# So a run that ends took the same steps for every ε.
#
# The proof needs one assumption: that the client treats a number as it treats the symbol.
# That is only tested: `prove` also runs the client with numbers, compares laws at ε = 0.3 and 2.5, and checks at six ε from a millionth to 40, exactly, that ε is kept.
# A client with coins in floats raises an error there, or is called "not shown"; one that misbehaves at an ε that is not tested escapes.
#
# In the code, `odds` is $e^\varepsilon$.


# %%
def warner(answer, epsilon, rng):
    e = odds(epsilon)
    return answer if toss(round_down(e / (e + 1)), rng) else 1 - answer


proof = prove(warner, [0, 1])
print(proof)

# %% [markdown]
# *Ideal* coins have the probability of the formula.
# A coin that a computer tosses has a probability $m/2^{53}$, with a whole number $m$; `round_down` sees to it that this is not above the formula.
# `prove` treats each rounded coin as any number between its formula and the value of the formula at $\varepsilon = 0$, where nobody learns anything.
# The second sentence is about all of these, so about the coins that are tossed.
# (From a millionth on: at smaller ε a step of $2^{-53}$ can be larger than that range.)
#
# The package's own mechanisms are proved in this way, at the sizes named, and so are bias and variance: the mean and the variance of one person's score are formulas, too, and equal those that the class states.

# %%
five = prove(GRR(k=5, epsilon=1.0), range(5))
print(five)

# %% [markdown]
# A client like the stranger's, which sends a set of four items and spends all of ε on each of them, is refuted by a formula.


# %%
def send_for(answer, epsilon, rng):
    e = odds(epsilon)
    return tuple(item for item in range(4) if toss(e / (e + 1) if item == answer else 1 / (e + 1), rng))


refuted = prove(send_for, range(4))
print(refuted)

# %% tags=["hide-input"]
check(
    "Every ε",
    f"Warner's coin, and k-RR at k = 5 with {five.moments} identities of mean and variance: for every ε",
    all(one.holds and one.shipped and one.tight for one in (proof, five)) and five.moments > 0 == five.wrong,
    control="all of ε for each item, x²",
    caught=refuted.holds is False and str(refuted.ratio) == "x^2",
)

# %% [markdown]
# The next table does this for the ten clients of {ref}`sec-verify-gallery` whose privacy fails by coins that are functions of ε; ∞ means that a report gives an input away.

# %% tags=["hide-input"]
table(gallery.formulas())

# %% [markdown]
# All of them exceed $e^\varepsilon$ right above $\varepsilon = 0$.
# The second stops doing so where $3x(x-1) = 4$, at $\varepsilon = 0.56$: its report is the worst one at small ε only, and a check at $\varepsilon = 1$ has nothing to complain about.
# A gap that `prove` can show neither to keep its sign nor to change it is reported as such, "neither proved nor refuted".
#
# The sizes are fixed in such a proof: `GRR(k=5)` says nothing of six items.
# No size is needed for a client that only compares items, draws them and sends them.
# It treats all items alike, so two of them, called a and b, stand for any two; the others are drawn as one, with weight $k-2$, and $k$ is a symbol, too.
# (A client that compares two of the others with each other raises an error.)


# %%
def krr(x, items, epsilon, rng):
    e = odds(epsilon)
    return x if toss((e - 1) / (e + items.k - 1), rng) else items.pick(rng)


print(prove(krr))

# %% [markdown]
# That this is the client of `GRR` is a second statement; the tests of the package compare their laws for $k$ = 2, 3 and 4.
#
# What must be trusted: the replay along all branches, Python, that the client does the same with numbers, and the arithmetic of polynomials.
# The last is written down in a certificate (`proof.laws.certificate`), to be checked with whole numbers alone.
#
# (sec-verify-sampled)=
# ## Samples of the estimate
#
# Local hashing over a thousand items ({ref}`api`, `OLH`) draws one of $2^{93}$ public seeds; nobody walks through that.
# Its bias and variance can be *sampled*: draw many reports of one value, compare the mean of the scores with the target and their spread with the stated noise.
# The limit for the mean comes from the stated variance, that for the variance from an estimated fourth moment; by a normal approximation a right mechanism raises an alarm about once in $10^9$ checks.
# A sampled check finds large mistakes, and none within a few standard errors.

# %% tags=["hide-input"]
thousand = OLH(k=1000, epsilon=1.0)
right = sampled(thousand, np.array([0, 999]), reports=2000, rng=rng)


class Forgetful(OLH):
    """Estimates with 1/k for the chance that another item is supported."""

    def estimate(self, tally):
        p, q = self.support[0], 1 / self.k
        return (tally.counts / tally.n - q) / float(p - q)


wrong = sampled(Forgetful(k=1000, epsilon=1.0), np.array([0, 999]), reports=2000, rng=rng)
check(
    "Sampled",
    f"OLH over 1,000 items, 2 × 2,000 reports: mean {right.bias:.1f} standard errors off, {right.limit:.1f} allowed",
    right.unbiased,
    control=f"1/k for 1/g, off by {wrong.bias:.0f}",
    caught=not wrong.unbiased,
)


class Optimist(OLH):
    """States half of the variance."""

    def variance(self, values, items=None):
        return super().variance(values) / 2


hopeful = sampled(Optimist(k=1000, epsilon=1.0), np.array([0, 999]), reports=2000, rng=rng)
check(
    "Sampled variance",
    f"of the same reports: {right.variance:.1f} standard errors off, {right.limit:.1f} allowed",
    right.variance_right,
    control=f"half the variance stated, {hopeful.variance:.0f} off",
    caught=not hopeful.variance_right,
)

# %% [markdown]
# (sec-verify-audit)=
# ## Samples of the privacy: the audit
#
# Take two values $x, x'$ and a set $S$ of reports.
# If the client is ε-LDP, then $\Pr[M(x) \in S] \le e^\varepsilon \Pr[M(x') \in S]$, so
#
# $$ \varepsilon \;\ge\; \ln \frac{\Pr[M(x) \in S]}{\Pr[M(x') \in S]}. $$ (eq-audit)
#
# Both probabilities can be bounded from counts.
# {cite:t}`clopper1934use` give, for $a$ hits among $n$ trials, a lower bound $L(a, n)$ and an upper bound $U(a, n)$ that are each wrong with probability at most $\alpha$, whatever the true probability is.
#
# :::{prf:theorem} An audit's bound
# :label: thm-audit
# Let $m$ events $(x, x', S)$ be chosen independently of a fresh sample of $n$ independent reports of each value, and let $a, a'$ count how often an event happens there under $x$ and $x'$.
# With $\alpha = \delta/(2m)$, the largest of the $m$ numbers $\ln\big(L(a, n)/U(a', n)\big)$ is above the true ε with probability at most $\delta$.
# :::
#
# :::{prf:proof}
# By {eq}`eq-audit` each of the $m$ numbers is at most ε unless one of its two bounds is wrong.
# There are $2m$ bounds, each wrong with probability at most $\delta/(2m)$.
# :::
#
# The word *fresh* matters.
# An auditor who picks the event on the same reports on which it is counted picks the one that luck favoured.
# So `audit` halves the sample: on one half all pairs of values and many events compete, and on the other only two winners are counted, a bold one that promises most and a safe one: $m = 2$, $\alpha = \delta/4$.
#
# Which event?
# The best set for two known laws holds the reports with the largest likelihood ratio.
# If reports are few, their ratios are estimated from counts; if a report is a vector, a set or a hash, a classifier that tells the reports of $x$ from those of $x'$ learns the ratio, and the event is "the classifier's score is above a threshold" {cite:p}`bichsel2021sniper`.

# %%
verdict = audit(send, [0, 1], samples=10_000, rng=rng, claimed=1.0)
print(f"stranger's client: ε ≥ {verdict.bound:.2f}, claimed 1: {'refuted' if verdict.flagged else 'not refuted'}")
print("event: " + ", ".join(verdict.event.split(", ")[:2]))
after = audit(send_mended, [0, 1], samples=10_000, rng=rng, claimed=1.0)
print(f"mended client:     ε ≥ {after.bound:.2f}, claimed 1: {'refuted' if after.flagged else 'not refuted'}")

# %% [markdown]
# The audit knows nothing of the code, and comes close enough to refute the claim for the first client and not for the second.
# Its event is a score, and the heaviest features of the score are the two bits that matter.
#
# ### How close can it come?
#
# Reports are finite in number, so even somebody who knew the laws could only count.
# The event that is easiest to count against a client with exactly ε is that of randomized response, $e^\varepsilon/(1+e^\varepsilon)$ against $1/(1+e^\varepsilon)$, and `audit` returns its `ceiling`: the bound that it would give if it knew this event and both counts fell on their means.
# Luck can lift a single audit above it.
#
# {numref}`fig-verify-samples` puts the audit to a hard test, unary encoding over 128 items, where practically no report comes twice.
# An event of the simplest kind, "an attacker who names one of the set bits at random names $x$", sees one of the two bits that matter and nothing of the other, and cannot get beyond about half of ε however many samples there are.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-verify-samples", "caption": "Lower bounds on ε for symmetric unary encoding over 128 items at ε = 1, against the number of reports of each of two values. Dots: the audit (logistic regression, level 0.001); dashed: what a perfect auditor could expect who knows the best event and counts all reports; dotted: the most that the event “a randomly chosen set bit is that of x” can show, whatever the sample. The audit gets within a tenth of the truth with 100,000 reports."}, "image": {"alt": "Lower bound on epsilon against the number of reports from 1,000 to 100,000 on a logarithmic axis. The audit's dots rise from 0 at 1,000 reports to above 0.9 at 100,000, below the dashed curve of the perfect auditor, which approaches the line at 1. A dotted line at about one half marks the guessing event."}}
def guessing_epsilon(k, eps):
    """Exact logarithm of the ratio of P(a random set bit is that of x) under x and under x'."""
    p, q, others = exp(eps / 2) / (1 + exp(eps / 2)), 1 / (1 + exp(eps / 2)), np.arange(k - 1)
    among = binom.pmf(others, k - 2, q)  # set bits among the k − 2 items that are neither x nor x'
    under_x = p * (among @ (q / (2 + others) + (1 - q) / (1 + others)))
    under_other = q * (among @ (p / (2 + others) + (1 - p) / (1 + others)))
    return log(under_x / under_other)


counts = [1000, 3000, 10_000, 30_000, 100_000]
hard = SUE(k=128, epsilon=1.0)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of a thousand reports the audit says itself that it sees nothing in them
    audits = [audit(hard, np.array([0, 1]), samples=m, rng=rng, claimed=1.0) for m in counts]
fig, ax = plt.subplots()
ax.axhline(1, color="black", linewidth=1, linestyle="-")
ax.plot(counts, [one.perfect for one in audits], linestyle="--", color="C1", label="perfect auditor")
ax.plot(counts, [one.bound for one in audits], "o", color="C0", label="audit")
ax.axhline(guessing_epsilon(128, 1.0), linestyle=":", color="C2", label="a random set bit, any sample")
ax.set(xscale="log", xlabel="reports of each value", ylabel="lower bound on ε", ylim=(0, 1.08))
ax.legend(loc="lower right")
plt.show()
for m, one in zip(counts, audits, strict=True):
    print(f"{m:>7,} reports: audit ε ≥ {one.bound:.2f}, perfect auditor {one.perfect:.2f}")
print(f"a random set bit: at most {guessing_epsilon(128, 1.0):.2f}")

# %% [markdown]
# ### Is the level kept?
#
# A bound that is above the true ε is a false alarm, and at level $\delta$ it may happen at most once in $1/\delta$ audits of a right client, on average.
# We audit randomized response over eight items at its exact ε many times, at the very generous level 1/2, and beside it run an auditor who bounds in the same way but looks and counts on the same reports.

# %% tags=["hide-input"]
LEVEL, RUNS, EACH = 0.5, 200, 2000
coin = GRR(k=8, epsilon=1.0)
honest = [audit(coin, np.arange(8), samples=EACH, rng=child, level=LEVEL).bound for child in rng.spawn(RUNS)]


def careless(child, n=EACH // 2, alpha=LEVEL / 4):
    """The control: of all pairs and all single reports takes the best, and counts it where it was found."""
    hits = np.array([np.bincount(coin.perturb(np.full(n, x), rng=child), minlength=8) for x in range(8)])
    lower, upper = beta.ppf(alpha, hits, n - hits + 1), beta.ppf(1 - alpha, hits + 1, n - hits)
    return max(log(lower[x, y] / upper[z, y]) for x in range(8) for z in range(8) for y in range(8) if x != z)


false_alarms = sum(bound > 1 for bound in honest)
allowed = int(binom.isf(1e-9, RUNS, LEVEL))
caught = sum(careless(child) > 1 for child in rng.spawn(RUNS))
check(
    "Level",
    f"{RUNS} audits at level {LEVEL}, false alarms: {false_alarms}; more than {allowed} would refute the level",
    false_alarms <= allowed,
    control=f"looks and counts on the same reports, {caught}",
    caught=caught > allowed,
)

# %% [markdown]
# The audit stays far below its level, because Clopper and Pearson's bounds are cautious and so is adding up their errors.

# %% [markdown]
# (sec-verify-power)=
# ## Why a passed test proves nothing
#
# Take a client that is right, except that it reports "error 17" for one in a thousand of those who mean 1, and never for those who mean 0.
# Whoever sends it has given the answer away: $\varepsilon = \infty$.
# The law says so at once.
# An audit must see that report often enough, and in a sample of $n$ it is seen about $n/1000$ times.
#
# {numref}`fig-verify-power` shows the probability that an audit refutes the claim $\varepsilon = 1$, exactly, for an auditor who even knows which report to look for and counts nothing else.
# The report has to be seen some forty times in the counted half.
# A sharper test would need about half of that, but none can do with a report that never shows up.
#
# The floating-point coin of {ref}`sec-rr-float` is the extreme case.
# At $\varepsilon = 37.5$ it always tells the truth.
# To see that it never lies, one would have to expect a lie, and a right client lies once in $2 \cdot 10^{16}$ replies.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-verify-power", "caption": "Probability that an audit at level 0.001 refutes ε = 1 for a client with one report that gives its author away, against the probability of that report, for four sample sizes (exact; one event, known to the auditor, half of the n reports counted). Below about 40/n a refutation is very unlikely, although ε = ∞ for every positive probability."}, "image": {"alt": "Probability of refutation against the probability of the telling report from one in a million to one in ten, on a logarithmic axis, for 1,000, 10,000, 100,000 and one million reports. Each curve rises steeply from 0 to 1; each tenfold sample moves it one decade to the left."}}
def refutes(delta, n, level=0.001, claimed=1.0):
    """Exact probability that one event, seen only under one value, refutes a claim; half of n reports are counted."""
    held = n // 2
    alpha = level / 2  # two bounds
    upper = beta.ppf(1 - alpha, 1, held)  # nothing was seen under the other value
    seen = np.arange(held + 1 if held < 2000 else 2000)
    lower = np.where(seen > 0, beta.ppf(alpha, np.maximum(seen, 1), held - seen + 1), 0)
    needed = int(np.argmax(lower > exp(claimed) * upper))
    return binom.sf(needed - 1, held, delta)


deltas = np.geomspace(1e-6, 0.1, 120)
fig, ax = plt.subplots()
for m in (10**6, 10**5, 10**4, 10**3):
    ax.plot(deltas, [refutes(delta, m) for delta in deltas], label=f"n = {m:,}")
ax.set(xscale="log", xlabel="probability of the telling report", ylabel="probability of refutation")
ax.legend(loc="upper left")
plt.show()


def error_17(answer, rng):
    if answer == 1 and toss(0.001, rng):
        return "error 17"
    return answer if toss(exp(1) / (1 + exp(1)), rng) else 1 - answer


silent = audit(error_17, [0, 1], samples=2000, rng=rng, claimed=1.0)
print(
    f"law: ε = {epsilon(laws(error_17, [0, 1]))}; audit with 2,000 reports: ε ≥ {silent.bound:.2f}, flagged: {silent.flagged}"
)
for m in (2000, 20_000, 100_000):
    print(f"probability of refutation with {m:>7,} reports: {refutes(0.001, m):.3f}")

# %% [markdown]
# (sec-verify-gallery)=
# ## A gallery of mistakes
#
# `ldpnb.book.gallery` holds clients with one mistake each, of the kinds that real code makes, beside their right versions.
# Every tool is run on every client.
# "Law" means that the law differs from that of the right version; "even" and "skewed" are the tests that everybody writes: estimate a histogram from perturbed reports, of a population with all values equally frequent or with ever rarer ones, and see whether it comes out right.
# "Refused" means that the client draws past `ldpnb.chance`, and that the tool says so.
# The largest bound that 3,000 reports of each value can give stands where the audit saw an event under one value only.

# %% tags=["hide-input"]
mistakes = gallery.overview(rng=rng, samples=3000)
table(mistakes)

# %% [markdown]
# The same tools on the right versions are the control of the whole table.

# %% tags=["hide-input"]
right_caught = sum(gallery.examine(b.mended(), rng=rng, samples=3000)["caught"] != () for b in gallery.GALLERY)
check(
    "Right versions",
    f"{len(gallery.GALLERY)} clients without the mistake, every tool: {right_caught} complaints",
    right_caught == 0,
    control="the clients of the table",
    caught=bool((mistakes["caught by"] != "nothing").all()),
)

# %% [markdown]
# Read the table by columns.
# The exact ε catches whatever leaks through `ldpnb.chance`, however rarely, among the values that were walked through, and is silent about estimates.
# The exact bias catches servers that decode something else than clients send, which leaks nothing and is useless.
# The audit catches what leaks *often*, without reading the code, in any language.
# And a histogram of reports that looks right is passed by clients with $\varepsilon = \infty$.
#
# (sec-verify-prior)=
# ## Who did this before
#
# Checking private programs is a field of its own, and nothing here is the first of its kind.
#
# StatDP {cite:p}`ding2018detecting`
# : runs the program, searches inputs and events, and tests hypotheses about them on samples; it cannot prove privacy.
#
# DP-Sniper {cite:p}`bichsel2021sniper`
# : runs the program, finds near-optimal events by a classifier, and gives a lower bound on ε; it cannot prove privacy.
#
# LDP auditing {cite:p}`arcolezi2024auditing`
# : runs the client and bounds ε from below by how often an attacker names the value, for many local protocols.
#
# CheckDP {cite:p}`wang2020checkdp`
# : reads the program's text, with annotations, and searches for a proof for all inputs and parameters or for a counterexample; Laplace noise.
#
# A decision procedure {cite:p}`barthe2020deciding`
# : reads the text of a program with finitely many inputs and outputs, in a small language, and decides privacy for all ε; randomized response is one of its examples.
#
# LightDP {cite:p}`zhang2017lightdp`
# : types a program so that a checker can follow how far two runs drift apart; a proof for all ε, of the text.
#
# [SampCert](https://github.com/leanprover/SampCert) and [OpenDP](https://opendp.org)
# : prove for all ε, too: the first in a proof assistant, from which running code is extracted; the second on paper beside the code.
#
# `ldpnb.verify.prove`
# : runs the client with a symbol in place of ε: privacy, bias and variance for every ε, at fixed sizes; privacy at all sizes for clients that only compare, draw and send items.
#
# `ldpnb.verify.laws`
# : runs the client, written on `chance`, along all branches: exact ε, bias and variance, for the domain and the parameters walked through.
#
# `ldpnb.verify.audit`
# : runs any client; events by counts or by a classifier, counted on fresh samples; a lower bound on ε.
#
# Where their search succeeds, the tools that read the text go furthest, because their proofs hold for all parameters.
# Our law is exact for the code as it is, thresholds included, but only for what was walked through; `prove` takes ε out of that, and the sizes for the simplest clients.
# StatDP and DP-Sniper were made for the central model, where finding two neighbouring data sets is part of the problem; in the local model any two values are neighbours, so on a small domain all pairs can be tried.
# From DP-Sniper our audit takes the classifier's events.
#
# (sec-verify-wrong)=
# ## What can go wrong
#
# - *The inputs.*
#   An audit of two values says nothing about the third.
#   A client may treat the value 0, or the longest string, in its own way.
# - *The sample size.*
#   A bound of 0.3 for a claimed 1 may mean a better client than stated, or a report that is hard to classify.
#   Look at the `ceiling`: if it is not near the claim, more samples are needed before anything can be concluded.
# - *One seed.*
#   A client that seeds its generator with a constant sends the same report for the same value every time; as soon as two values give different reports, ε is infinite.
# - *What is not in the report.*
#   How long the client took, how long its message was, whether it came at all: put it into the report that you audit, if an observer can see it.
# - *Looking twice.*
#   Ten audits at level 0.001 may raise a false alarm once in a hundred times, not once in a thousand.
#
# (sec-verify-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: a harmless retry
# A client for unary encoding throws an empty list away and draws again until it is not empty.
# Does that change ε?
# :::
#
# :::{dropdown} Solution
# No.
# The list is empty with probability $(1-p)(1-q)^{k-1}$ whatever the answer is, so every other probability is divided by one minus that, the same number for all answers.
# Had it depended on the answer, ε could have changed.
# The law cannot be read off an endless loop; the next cell takes a similar client, which gives up after three rounds and then sends one item at random.
# :::

# %% tags=["hide-input"]


def retry(answer, rng, rounds=3):
    keep = exp(1 / 2) / (1 + exp(1 / 2))
    for _ in range(rounds):
        ones = tuple(i for i in range(3) if toss(keep if i == answer else 1 - keep, rng))
        if ones:
            return ones
    return pick([(0,), (1,), (2,)], rng)


print(f"ε = {epsilon(laws(retry, range(3))):.4f}")

# %% [markdown]
# :::{admonition} Exercise 2: how many reports?
# How many reports of each value does our audit need at best, so that refuting $\varepsilon = 1$ for a client with $\varepsilon = 1.1$ at level 0.001 is about as likely as not?
# And an auditor who knows the event beforehand and counts all reports?
# :::
#
# :::{dropdown} Solution
# Put the best event, $e^{1.1}/(1+e^{1.1})$ against $1/(1+e^{1.1})$, into Clopper and Pearson's bounds and search.
# Our audit counts half of the reports, the other half having chosen the event, and pays for several bounds.
# :::

# %% tags=["hide-input"]


for known, who in ((False, "this audit"), (True, "who knows the event")):
    enough = next(m for m in range(1000, 200_000, 1000) if ceiling(1.1, samples=m, known=known) > 1)
    print(f"{who}: about {enough:,} reports of each value")

# %% [markdown]
# ## Summary
#
# | question | tool | answer |
# |---|---|---|
# | how private is this client? | `laws`, `worst` | exact ε and the most telling report, on small domains |
# | and for every ε? | `prove` | a proof, a ratio as a formula, or neither; at fixed sizes, and at all sizes for the simplest clients |
# | is its estimate right? | `moments` | exact bias and variance |
# | and on large domains? | `sampled` | alarms at a stated rate; no proof |
# | how private is a program I can only run? | `audit` | a lower bound on ε at a stated level; no proof of privacy |
