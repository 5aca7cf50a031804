# %% [markdown]
# (ch-verify)=
# # Checking a privacy claim
#
# *After {cite:t}`ding2018detecting` and {cite:t}`bichsel2021sniper`; others: {ref}`sec-verify-prior`.*
#
# :::{admonition} In one minute
# A stranger gives you a client and says how private it is.
# If you can run its code, replay it along every branch of its random choices.
# This gives its exact privacy, bias and variance, on small domains.
# If the code runs with a symbol for ε, you can prove its privacy for every budget.
# If you can only collect its reports, an audit bounds the budget from below.
# A high bound refutes the stated budget.
# A low bound proves nothing, and neither does a correct estimate.
# :::
#
# :::{zh}
# 本课讨论如何检验一个用户端是否满足其所声称的 $\varepsilon$-本地化差分隐私。
# 若全部随机选择都经由 `toss` 与 `pick`，便可沿每条分支重放代码，得到报告的精确分布以及精确的 $\varepsilon$、偏差与方差。
# 若硬币的概率由 $e^\varepsilon$ 的公式算出，`prove` 可以对所有 $\varepsilon$ 一次证明隐私；若用户端只比较、抽取和发送项，则可对任意项数 $k$ 一次证明。
# 若只能收集报告，则以审计求 $\varepsilon$ 的下界：用一半报告选事件，用另一半计数。
# 高于声称值的下界在给定的显著性水平上否定该声称；低于声称值的下界什么也不能证明。
# 估计正确并不意味着隐私正确：有的用户端直方图无偏，$\varepsilon$ 却为无穷大。
# 最后汇集十六种典型错误，并列出哪种工具能发现哪种错误。
# :::
#
# You need {ref}`ch-rr` and {prf:ref}`thm-post`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
import warnings
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import exp, log
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import beta, binom, norm

from ldpnb import GRR, OLH, SUE, check_mechanism, epsilon, laws, pick, prove, toss, worst
from ldpnb.chance import law, odds, round_down
from ldpnb.verify import audit, ceiling, of_size, same_law, sampled
from ldpnb_book import check, diagram, gallery, label_lines, simulation, style, table, theory
from ldpnb_book.studies import checking as study

style()
warnings.filterwarnings("ignore", "this audit says little")  # of 1,000 reports
rng = np.random.default_rng(2018)  # the year of StatDP

# %% [markdown]
# (sec-verify-stranger)=
# ## Ten lines of a stranger's code
#
# A survey asks what worries people most: health, money or work.
# Its client tosses a coin for each item and lists those whose coin says yes.
# If the list is empty, the *fill* adds a random item.


# %%
ITEMS = ["health", "money", "work"]


def send(x, eps, rng):
    """A list of items; claimed to be ε-LDP."""
    keep = odds(eps) / (odds(eps) + 1)
    listed = []
    for item in range(3):
        own = item == x
        if toss(keep if own else 1 - keep, rng):
            listed.append(item)
    if not listed:  # never send nothing
        listed.append(pick(range(3), rng))
    return tuple(listed)


def server(reports, eps):
    """Shares of all items, and their standard errors."""
    n, p = len(reports), exp(eps) / (exp(eps) + 1)
    C = np.array([sum(x in y for y in reports) for x in range(3)])
    f_hat = (C / n - (1 - p)) / (2 * p - 1)
    error = np.sqrt(C / n * (1 - C / n) / n) / (2 * p - 1)
    return f_hat, error


# %% [markdown]
# **Is the client ε-LDP, and are the estimates right?**
#
# (sec-verify-exact)=
# ## Every branch once
#
# All randomness of `send` comes from `toss` and `pick`.
# Instead of a generator `rng`, give them a script that fixes each choice.
# The first script takes the first option at every choice.
# For the next, go back to the last choice with an untried option, take it, and forget all later choices.
# So the replay takes every branch once.
# {numref}`fig-verify-tree` shows the result for the answer health.


# %% mystnb={"figure": {"name": "fig-verify-tree", "caption": "The stranger's client for the answer health (H; M is money, W is work), with \u03b5 = ln 2. Equal reports have one colour."}, "image": {"alt": "Tree with ten leaves, drawn from the client's code. Three coins in a row, for health with 2/3 and 1/3, for money and work with 1/3 and 2/3. Where all three are out, a fourth fork lists one of the three items with 1/3 each; these leaves have probability 4/81 each."}}
def stranger(x, rng):
    return send(x, log(2), rng)


sets = [y for r in (3, 2, 1) for y in combinations(range(3), r)]
NAMES = {y: "".join("HMW"[item] for item in y) for y in sets}
coins = [["in", "out"]] * 3 + [["H", "M", "W"]]
look = {"steps": ["H?", "M?", "W?", "fill"], "options": coins}
diagram.tree(stranger, 0, **look, names=NAMES, root="H")
plt.show()

# %% [markdown]
# The probabilities along a branch multiply.
# `laws` adds up the branches that end in the same report, for a list of values.
# `worst` finds the report and the two values with the largest ratio.

# %%
found = worst(laws(stranger, range(3)))
against = " against ".join(ITEMS[x] for x in found.pair)
print(f"report {NAMES[found.report]}, {against}:")
print(f"ratio {float(found.ratio):.3f}, so ε = {found.epsilon:.3f}")

# %% [markdown]
# The ratio should be at most $e^\varepsilon = 2$.
# But two answers differ in the coins of *two* items, and each coin contributes a factor of $e^\varepsilon$:
#
# $$ \frac{\Pr[\text{HM} \mid \text{health}]}{\Pr[\text{HM} \mid \text{work}]} = \frac{\frac23 \cdot \frac13 \cdot \frac23}{\frac13 \cdot \frac13 \cdot \frac13} = 4 = e^{2\varepsilon}. $$
#
# Each coin may spend only $\varepsilon/2$.
# The fill looks at the list alone, so by {prf:ref}`thm-post` it costs no privacy.
#
# Limits of this method:
#
# - It is exact only if *all* randomness comes from `toss`, `pick` and their relatives.
# - It covers the values and the ε tried.
# - *Unary encoding*, one coin for each of $k$ items, has $2^k$ branches: $k = 8$ is instant, $k = 128$ impossible.
#
# (sec-verify-every)=
# ## Every ε at once
#
# Start with randomized response.
# Without the common denominator, the truth has weight $e^\varepsilon$ and a lie has weight 1.
# The truth is $e^\varepsilon$ times as likely as a lie, as allowed.
# The weight of a lie may not exceed $e^\varepsilon$ times that of the truth.
# Write $e^\varepsilon = 1 + u$ with $u > 0$; the difference is
#
# $$ e^\varepsilon \cdot e^\varepsilon - 1 = (1+u)^2 - 1 = 2u + u^2. $$
#
# No coefficient is negative, so this is positive.
#
# `prove` does the same: it replays all branches with a symbol for ε, so every probability is a formula.
# Code whose steps depend on ε, such as `if eps > 1`, raises an error; other code takes the same steps for every ε.

# %%
print(prove(send, range(3), rounded=False))


# %% [markdown]
# The factor is again $e^{2\varepsilon}$, now for every ε.
#
# Give each coin half of ε, leave the fill out, and round down:


# %%
EPS = log(2)


def plain(x, eps, rng):
    """The stranger's client without the fill."""
    keep = round_down(odds(eps) / (odds(eps) + 1))
    coin = [keep if item == x else 1 - keep for item in range(3)]
    return tuple(item for item in range(3) if toss(coin[item], rng))


def mended(x, eps, rng):
    """Half of ε for each coin."""
    return plain(x, eps / 2, rng)


print(prove(mended, range(3)))


# %% [markdown]
# *Ideal* coins have exactly the formula's probability.
# A computer *rounds* it to 53 bits, a multiple of $2^{-53}$; `round_down` takes the one below.
# Round the *likelier* outcome down; this can only bring the two probabilities closer.
# There is no formula for the rounded probability.
# So `prove` shows more: the claim holds for *every* probability between the formula and its value at ε = 0.
# From $\varepsilon = 10^{-6}$ on, the rounded probability lies in this interval.
#
# The proof is about the symbol.
# `prove` also runs the client with numbers, at the values of ε that it counts, and compares the laws.
# A client that asks the symbol a question without an answer is refused, even if it catches the error.
# But it can ask for the *type* of ε, and do something else at a number that nobody tried.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the stranger's client, mended; proofs for every \u03b5"}
fixed = worst(laws(lambda x, rng: mended(x, EPS, rng), range(3)))
check(
    "Stranger",
    f"mended client: ratio {float(fixed.ratio):.6f} where {exp(EPS):.3g} is allowed",
    abs(fixed.epsilon - EPS) < 1e-9,
    control=f"as it came, ε = {found.epsilon:.3f}",
    caught=found.epsilon > log(2) + 0.5,
)
three, five, refuted = prove(mended, range(3)), prove(GRR(k=5, epsilon=1.0), range(5)), prove(send, range(3))
check(
    "Every ε",
    f"three rounded coins, and k-RR at k = 5 with {five.moments} identities of mean and variance",
    all(p.holds and p.shipped and p.tight for p in (three, five)) and five.moments > 0 == five.wrong,
    control="all of ε for each item, e^(2ε)",
    caught=refuted.holds is False and str(refuted.ratio) == "e^(2ε)",
)

# %% [markdown]
# (sec-verify-items)=
# ## Any number of items ★
#
# *You can skip this section at a first reading.*
#
# So far, `range(3)` limited each proof to three items.
# Suppose that you ask about 300 illnesses, or that you do not know yet how many.
# Nobody can try 300 values on paper, and nobody has to, if the client treats all items alike.
#
# An example is *k-RR*, the randomized response for $k$ items of {ref}`ch-frequency`.
# The method `pick` of `items` draws one of them, and `k` is their number:


# %%
def krr(x, items, eps, rng):
    """k-RR: keep the item, or draw any of the k."""
    keep = (odds(eps) - 1) / (odds(eps) + items.k - 1)
    return x if toss(keep, rng) else items.pick(rng)


print(prove(krr))

# %% [markdown]
# How can one replay cover every $k$?
# We put the client into a sealed room.
# It gets items that it can only compare with each other, and symbols for $k$ and ε that it can only use in the probability of a coin.
# `of_size(krr, 300)` makes a client for 300 items, and that client sits in the same room.
# Only where its coins fall do numbers take the place of the symbols.
# So it takes the same steps in the proof and on the phone.
#
# In this room, a client may
#
# - compare two items;
# - draw an item with `pick`;
# - or instead answer about each item with `each`, which asks it for one coin for its own item, and one coin for all others;
# - toss coins whose probabilities are formulas in $k$ and ε, and send items, answers and plain values.
#
# Let a and b be two values.
# Keep their names in each report, and call the others c, d, … in the order in which the report mentions them.
# With `each`, keep the answers about a and b, and the coin for the others.
# What remains is the *form* of the report.
# For example, k-RR has the forms a, b and c, whatever $k$ is.
#
# :::{prf:theorem} One proof for every number of items
# :label: thm-verify-items
# Let such a client draw at most $h$ items in a run, and let $K = \max(2, h+1)$.
# Suppose that, for all forms and $\varepsilon > 0$,
#
# $$ \Pr[\text{form} \mid a] \le e^\varepsilon \Pr[\text{form} \mid b] \quad\text{and}\quad \Pr[\text{form} \mid b] \le e^\varepsilon \Pr[\text{form} \mid a], $$
#
# as formulas for all real $k \ge K$, and at each $k = 2, \dots, K-1$.
# Then the client is ε-LDP for every $k \ge 2$.
# :::
#
# :::{prf:proof}
# *Formulas.*
# Besides its coins, the client sees only whether two items are the same.
# After it has drawn $o$ different others, the next draw is a, b or one of these $o$ with probability $1/k$ each.
# It is a new item with probability $(k-2-o)/k$.
# So each form has a probability that is a formula in $k$.
# Before a draw, $o \le h-1$, so for $k \ge h+1$ no probability in it is negative.
#
# *Names.*
# Exchange the names of items other than a and b.
# Every run becomes another run with the same probability, whether the value is a or b.
# So all reports of one form are equally likely, and a report has the ratio of its form.
#
# *Answers about each item.*
# Given the form, the answers about the other $k-2$ items are tosses of the coin that the form contains.
# So $\Pr[y \mid \text{form}]$ is the same for both values, and
#
# $$ \Pr[y \mid a] = \sum_{\text{forms}} \Pr[\text{form} \mid a]\, \Pr[y \mid \text{form}] \le e^\varepsilon \sum_{\text{forms}} \Pr[\text{form} \mid b]\, \Pr[y \mid \text{form}] = e^\varepsilon \Pr[y \mid b]. $$
#
# *Any two values.*
# Rename a and b: the client does not notice.
# :::
#
# For k-RR, $h = 1$ and $K = 2$, so `prove` needs one replay, with a symbol for $k - 2 \ge 0$.
# It compares coefficients, as above, now in $u$ and $k - 2$.
# Python cannot lock the room: a client that reads private attributes or asks for types can break out.
# No proof here covers that.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: every number of items, and the client that runs"}
every, shut = prove(krr), of_size(krr, 5)
careless = prove(lambda x, items, e, rng: x if toss(odds(e) / (odds(e) + items.k - 1), rng) else items.pick(rng))
check(
    "Any number of items",
    "k-RR for every k and ε; at k = 5 and ε = 1, the client that runs has the law of k-RR",
    every.tight and same_law(lambda x, rng: shut(x, 1.0, rng), GRR(k=5, epsilon=1.0), range(5)),
    control=f"own item drawn again, {careless.ratio} for e^ε",
    caught=careless.holds is False and careless.witness.k == 2,
)

# %% [markdown]
# (sec-verify-sampled)=
# ## A right estimate, a wrong client
#
# People list their item with probability $p$, and each other item with probability $q = 1-p$.
# Let $C_x$ of the $n$ reports list item $x$.
# Without the fill,
#
# $$ \E\,\frac{C_x}{n} = f_x\,p + (1-f_x)\,q, \qquad \hat f_x = \frac{C_x/n - q}{p - q}. $$
#
# Reports of random people are independent, so $C_x$ is binomial.
# With $C_x/n$ for the unknown probability, the standard error of $\hat f_x$ is
#
# $$ \frac{1}{p-q}\,\sqrt{\frac1n \cdot \frac{C_x}{n}\Big(1-\frac{C_x}{n}\Big)}. $$
#
# But the list is empty with probability $(1-p)\,p^2$, whatever the answer.
# The fill then adds each item with probability 1/3:
#
# $$ \begin{aligned} \E\,\frac{C_x}{n} &= f_x\,p + (1-f_x)\,q + \frac{(1-p)\,p^2}{3}, \\[1ex] \E \hat f_x - f_x &= \frac{(1-p)\,p^2}{3\,(2p-1)}. \end{aligned} $$
#
# At $\varepsilon = \ln 2$, this bias is 0.148, and 0.276 with half of ε for each coin.
# More people do not reduce it.
# Here 10,000 random people use each version:


# %%
def halved(x, eps, rng):
    """The stranger's client with half of ε for each coin."""
    return send(x, eps / 2, rng)


VERSIONS = {  # the client, and the budget of one coin
    "as it came": (send, EPS),
    "without the fill": (plain, EPS),
    "half of ε per coin": (halved, EPS / 2),
    "both": (mended, EPS / 2),
}
SHARES = [0.5, 0.3, 0.2]
people = rng.choice(3, 10_000, p=SHARES).tolist()
rows = [["truth", f"{exp(EPS):.3g} allowed", *map(str, SHARES)]]
for name, (client, per_coin) in VERSIONS.items():
    exact = laws(lambda x, r, c=client: c(x, EPS, r), range(3))
    ratio = float(worst(exact).ratio)
    reports = [client(x, EPS, rng) for x in people]
    estimates = np.transpose(server(reports, per_coin))
    shown = [f"{f:.3f} ± {error:.3f}" for f, error in estimates]
    rows.append([name, f"{ratio:.2f}", *shown])
columns = ["client", "largest ratio", *ITEMS]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# The second client's estimates are right, but it spends twice the stated budget.
# The third is private, but its estimates are too high.
# The last keeps ε and is *unbiased*.
#
# On large domains, `sampled` tests mean and variance of the scores, not ε.
# With 1,000 items, it allows deviations of 7.3 standard errors, so that right mechanisms fail with probability about $10^{-9}$.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the exact bias, and sampled scores over 1,000 items"}
def bias(client, per_coin, x, item):
    """Exact mean of one person's score for an item, minus what it should be."""
    q = 1 / (exp(per_coin) + 1)
    listed = sum(w for y, w in law(lambda rng: client(x, EPS, rng)).items() if item in y)
    return (float(listed) - q) / (1 - 2 * q) - (item == x)


biases = {name: max(abs(bias(*c, x, item)) for x in range(3) for item in range(3)) for name, c in VERSIONS.items()}
p = exp(EPS) / (exp(EPS) + 1)
check(
    "Bias",
    f"without the fill none; with it {biases['as it came']:.3f} and {biases['half of ε per coin']:.3f} as in the text",
    max(biases["without the fill"], biases["both"]) < 1e-9
    and abs(biases["as it came"] - (1 - p) * p**2 / (6 * p - 3)) < 1e-9,
    control="with them",
    caught=min(biases["as it came"], biases["half of ε per coin"]) > 0.01,
)
pair = np.array([0, 999])
right = sampled(OLH(k=1000, epsilon=1.0), pair, reports=2000, rng=rng)


class Forgetful(OLH):
    """Estimates with 1/k for the chance that another item is supported."""

    def estimate(self, tally):
        return (tally.counts / tally.n - 1 / self.k) / float(self.support[0] - Fraction(1, self.k))


class Optimist(OLH):
    """States half of the variance."""

    def variance(self, values, items=None):
        return super().variance(values) / 2


wrong, hopeful = (sampled(kind(k=1000, epsilon=1.0), pair, reports=2000, rng=rng) for kind in (Forgetful, Optimist))
check(
    "Sampled",
    f"local hashing, 1,000 items: mean {right.bias:.1f} standard errors off, {right.limit:.1f} allowed",
    right.unbiased,
    control=f"1/k for 1/g, off by {wrong.bias:.0f}",
    caught=not wrong.unbiased,
)
check(
    "Sampled variance",
    f"of the same reports: {right.variance:.1f} standard errors off, {right.limit:.1f} allowed",
    right.variance_right,
    control=f"half the variance stated, {hopeful.variance:.0f} off",
    caught=not hopeful.variance_right,
)

# %% [markdown]
# (sec-verify-audit)=
# ## The audit of a black box
#
# If you cannot read the code, collect reports of two values, $x$ and $x'$.
# Take any set $A$ of reports, an *event*.
# For an ε-LDP client, $\Pr[A \mid x] \le e^\varepsilon \Pr[A \mid x']$, so
#
# $$ \varepsilon \;\ge\; \ln \frac{\Pr[A \mid x]}{\Pr[A \mid x']}. $$ (eq-audit)
#
# Take $t$ fresh reports of each value.
# Let $a$ of those from $x$, and $a'$ of those from $x'$, lie in $A$ (*hits*).
# These counts bound the two probabilities {cite:p}`clopper1934use`.
# The lower bound $L(a)$ is the hit probability under which $a$ hits or more have a small probability $\eta$:
#
# $$ \Pr\big[\mathrm{Bin}(t, L(a)) \ge a\big] = \eta, \qquad L(0) = 0. $$
#
# Under the upper bound $U(a)$, $a$ hits or fewer also have probability $\eta$, and $U(t) = 1$.
#
# :::{prf:theorem} An audit's bound
# :label: thm-audit
# Choose $r$ events without looking at the $t$ fresh reports of each value.
# With $\eta = \lambda/(2r)$, the largest of the $r$ numbers $\ln\big(L(a)/U(a')\big)$ exceeds the true ε with probability at most the *level* $\lambda$.
# :::
#
# :::{prf:proof}
# Let one of the events have the probabilities $P$ under $x$ and $P'$ under $x'$.
# Let $a_0$ be the smallest number of hits with $L(a_0) > P$.
# Since $L$ grows with the number of hits, $L(a) > P$ holds exactly if $a \ge a_0$.
# The probability of $a_0$ hits or more is $\eta$ under $L(a_0)$, so it is smaller under $P < L(a_0)$:
#
# $$ \Pr[L(a) > P] = \Pr[\mathrm{Bin}(t, P) \ge a_0] < \eta. $$
#
# Likewise, $U(a')$ is too small with probability below $\eta$.
# By the union bound, all $2r$ bounds are right except with probability at most $2r\eta = \lambda$.
# Then no event's bound exceeds its $\ln(P/P')$, which is at most ε, by {eq}`eq-audit`.
# :::
#
# If you choose an event by the reports that you count, the count is too large by luck.
# So our auditor uses half of the reports to choose one event and the other half to count hits.


# %%
def bound(a, b, t, level):
    """ln(L(a)/U(b)), or 0 if that says nothing."""
    # L and U are quantiles of beta distributions
    low = beta.ppf(level / 2, a, t - a + 1)
    high = beta.ppf(1 - level / 2, b + 1, t - b)
    return np.fmax(0, np.log(low / high))


def auditor(first, second, level=0.001):
    """A lower bound on ε from reports of two values; the event."""
    t = len(first) // 2  # this half chooses
    seen, other = Counter(first[:t]), Counter(second[:t])
    order = sorted(seen, key=lambda y: other[y] / seen[y])
    a = np.cumsum([seen[y] for y in order])
    b = np.cumsum([other[y] for y in order])
    best = np.argmax(bound(a, b, t, level))
    event = set(order[: best + 1])
    a, b = (sum(y in event for y in r[t:]) for r in (first, second))
    return float(bound(a, b, t, level)), event


for client in (send, mended):
    first = [client(0, EPS, rng) for _ in range(10_000)]
    second = [client(1, EPS, rng) for _ in range(10_000)]
    least, event = auditor(first, second)
    names = sorted(NAMES.get(y, "none") for y in event)
    print(f"{client.__name__}: ε ≥ {least:.2f}, event {names}")

# %% [markdown]
# The audit refutes $\varepsilon = \ln 2 = 0.69$ for the first client only.
#
# The package's `audit` tries all pairs of values with one half of the reports, and counts $r = 2$ events with the other.
# If reports hardly ever repeat, it trains a classifier to tell the two values apart; the event is then an output above a threshold.
# `SUE` is unary encoding with $\varepsilon/2$ for each coin, here over 128 items:

# %%
hard = SUE(k=128, epsilon=EPS)
least = audit(hard, np.arange(2), samples=30_000, rng=rng).bound
print(f"128 items: ε ≥ {least:.2f}")

# %% [markdown]
# ### How close can it come?
#
# Take the truthful reply of randomized response as the event, with $P = e^\varepsilon/(e^\varepsilon+1)$ and $P' = 1/(e^\varepsilon+1)$.
# The share of hits $a/t$ has mean $P$ and variance $P(1-P)/t$.
# If it equals its mean and $t$ is large, $L(a)$ lies about $z$ standard deviations below $P$.
# Here $z$ is the upper normal quantile of $\eta$, 3.3 at $\lambda = 0.001$ and $r = 1$:
#
# $$ \ln L(a) \approx \ln\Big(P - z\sqrt{\tfrac{P(1-P)}{t}}\Big) \approx \ln P - \frac{z}{\sqrt t}\sqrt{\frac{1-P}{P}}. $$
#
# Here $(1-P)/P = e^{-\varepsilon}$, and $(1-P')/P' = e^\varepsilon$.
# So an auditor who knows this event expects
#
# $$ \ln\frac{L(a)}{U(a')} \approx \varepsilon - \frac{z}{\sqrt t}\,\big(e^{-\varepsilon/2} + e^{\varepsilon/2}\big). $$ (eq-audit-reach)
#
# {numref}`fig-verify-samples` compares this, the upper curve, with our audit of the mended client; there, even the best event is rarer ($P = 0.34$, $P' = 0.17$).

# %% mystnb={"figure": {"name": "fig-verify-samples", "caption": "Lower bounds on \u03b5 at level 0.001. Best event: that of randomized response, counted on all reports; our auditor counts half. Lines: bounds at mean counts. Marks: means of 20 audits, with 95 % bars."}, "image": {"alt": "Bounds against reports of each value from 1,000 to 30,000 on a logarithmic axis. Both rise towards a line at 0.69. The curve for the best event lies on top. The curve of our auditor lies below it, with its marks on it from 3,000 reports on and slightly below it at 1,000."}}
exact = laws(lambda x, rng: mended(x, EPS, rng), range(2))
SIZES = [1000, 3000, 10_000, 30_000]
marks = study.audits(auditor, exact, SIZES, runs=20, rng=rng)
lines = []
names = ["best event", "our auditor"]
for n in SIZES:
    best = ceiling(EPS, samples=n, known=True)
    half = study.reach(bound, exact, n // 2, 0.001)
    lines += [(n, best, names[0]), (n, half, names[1])]
lines = pd.DataFrame(lines, columns=["reports", "bound", "audit"])
marks["audit"] = names[1]
axes = {"x": "reports", "y": "bound"}
ax = sns.lineplot(lines, **axes, **theory("audit", names))
sns.lineplot(marks, ax=ax, **axes, **simulation("audit", names))
ax.axhline(EPS, color="black", linewidth=1, linestyle="-")
ax.text(1000, 1.02 * EPS, "true ε", fontsize=11)
ax.set(xscale="log", ylabel="lower bound on ε", ylim=(0, 1.12 * EPS))
ax.set_xlabel("reports of each value")
ax.set_xticks(SIZES, [f"{n:,}" for n in SIZES])
ax.minorticks_off()
label_lines(ax)
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the level; the approximation"}
LEVEL, RUNS, EACH = 0.5, 200, 2000
coin = GRR(k=8, epsilon=1.0)


def eight(child, n=EACH):
    """Reports of all eight values."""
    return [coin.perturb(np.full(n, x), rng=child).tolist() for x in range(8)]


def careless(child, n=EACH // 2):
    """The control: of all pairs and all single reports takes the best, and counts it where it was found."""
    hits = np.array([np.bincount(reports, minlength=8) for reports in eight(child, n)])
    return float(bound(hits[:, None], hits[None], n, LEVEL).max())


alarms = sum(auditor(*eight(child)[:2], level=LEVEL)[0] > 1 for child in rng.spawn(RUNS))
allowed = int(binom.isf(1e-9, RUNS, LEVEL))
caught = sum(careless(child) > 1 for child in rng.spawn(RUNS))
check(
    "Level",
    f"{RUNS} audits at level {LEVEL}: {alarms} false alarms of at most {allowed}",
    alarms <= allowed,
    control=f"looks and counts on the same reports, {caught}",
    caught=caught > allowed,
)
z = norm.isf(0.001 / 2)
gaps = [(n, EPS - ceiling(EPS, samples=n, known=True)) for n in (10_000, 100_000)]
check(
    "Reach",
    "two sizes: the gap of the best event within 6 %",
    all(abs(gap * n**0.5 / z / (exp(EPS / 2) + exp(-EPS / 2)) - 1) < 0.06 for n, gap in gaps),
    control="one square root for both counts",
    caught=all(abs(gap * n**0.5 / z / exp(EPS / 2) - 1) > 0.06 for n, gap in gaps),
)

# %% [markdown]
# (sec-verify-power)=
# ## Why a passed test proves nothing
#
# The next client is right, except that it sends "error 17" with probability $\tau = 1/1000$ if the value is 1.


# %%
def reply(x, eps, rng):
    """Randomized response with a rounded coin."""
    truth = round_down(odds(eps) / (odds(eps) + 1))
    return x if toss(truth, rng) else 1 - x


def error_17(x, rng, tau=0.001):
    """Randomized response with a report that only x = 1 sends."""
    if x == 1 and toss(tau, rng):
        return "error 17"
    return reply(x, EPS, rng)


print(f"law: ε = {epsilon(laws(error_17, [0, 1]))}")
first = [error_17(1, rng) for _ in range(10_000)]
second = [error_17(0, rng) for _ in range(10_000)]
print(f"audit: ε ≥ {auditor(first, second)[0]:.2f}")

# %% [markdown]
# That report gives the value away; the law shows this, the audit does not.
# Suppose you know this report.
# Under the value 0 it never appears, and the upper bound for no hits is
#
# $$ (1 - U(0))^t = \frac{\lambda}{2}, \qquad\text{so}\qquad U(0) \approx \frac{\ln(2/\lambda)}{t} = \frac{7.6}{t}. $$
#
# To refute $\varepsilon = \ln 2$, you need $L(a) > 2\,U(0) \approx 15/t$:

# %%
hits = np.arange(1, 60)
for t in (500, 5000, 50_000):
    enough = bound(hits, 0 * hits, t, 0.001) > EPS
    print(f"t = {t:,}: at least {hits[enough][0]} hits")

# %% [markdown]
# So you refute the claim half of the time at $\tau \approx 30/t$ ({numref}`fig-verify-power`).
# An audit counts half of its reports, so 10,000 reports give $t = 5{,}000$.

# %% mystnb={"figure": {"name": "fig-verify-power", "caption": "Probability that an audit refutes \u03b5 = ln 2, at level 0.001, for a client with one telling report. Lines: exact, if the event is known. Marks: 60 runs of our auditor each, with 95 % bars."}, "image": {"alt": "Probability of refutation against the probability \u03c4 of the telling report, from one in 100,000 to one in five, for 1,000, 10,000 and 100,000 reports of each value. Each curve rises steeply from 0 to 1, one decade further left for ten times as many reports. Marks lie on or slightly below the curves."}}
sizes = ["1,000 reports", "10,000", "100,000"]
curves, marks = [], []
for name, n in zip(sizes, (1000, 10_000, 100_000), strict=True):
    taus = np.geomspace(1e-5, 0.2, 120)
    sure = study.refutes(bound, taus, n // 2, claimed=EPS, level=0.001)
    curves += [(*point, name) for point in np.transpose([taus, sure])]
    for hits in (30, 60, 80, 120) if n < 100_000 else ():
        tau = hits / n
        leaky = laws(lambda x, r, tau=tau: error_17(x, r, tau), (1, 0))
        runs = study.audits(auditor, leaky, [n], runs=60, rng=rng)
        marks += [(tau, float(b > EPS), name) for b in runs["bound"]]
columns = ["tau", "refuted", "audit"]
curves = pd.DataFrame(curves, columns=columns)
marks = pd.DataFrame(marks, columns=columns)
axes = {"x": "tau", "y": "refuted"}
ax = sns.lineplot(curves, **axes, **theory("audit", sizes))
sns.lineplot(marks, ax=ax, **axes, **simulation("audit", sizes))
ax.set(xscale="log", ylabel="probability of refutation")
ax.set_xlabel("probability τ of the telling report")
ax.legend(title="", loc="upper left")
plt.show()

# %% [markdown]
# No test finds a report that its sample does not contain, although ε is infinite for every $\tau > 0$.
#
# (sec-verify-gallery)=
# ## A gallery of mistakes
#
# `ldpnb_book.gallery` holds sixteen clients and servers, each with one typical mistake.
# We run every tool on each.
# "Bias" is the largest exact bias of one person's score; "law" compares the law with that of the right client.
# "Even" and "skewed" are surveys: all values equally frequent, or each half as frequent as the one before.
# "Refusal" means that the replay stops because the client uses its own random numbers.
# A *blind draw* takes any of the $k$ items, the true one included.

# %%
mistakes = gallery.overview(rng=rng, samples=1000)
table(mistakes)

# %% [markdown]
# - The exact ε catches every leak through `toss` and `pick`, however rare, among the values tried.
# - The audit catches *frequent* leaks.
# - Several clients with $\varepsilon = \infty$ pass both surveys.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: every tool on the right versions; the ratios as formulas"}
complaints = sum(gallery.examine(b.mended(), rng=rng, samples=1000)["caught"] != () for b in gallery.GALLERY)
check(
    "Right versions",
    f"{len(gallery.GALLERY)} clients without the mistake, every tool: {complaints} complaints",
    complaints == 0,
    control="the clients of the table",
    caught=bool((mistakes["caught by"] != "nothing").all()),
)
endless = mistakes[mistakes["exact ε (claimed)"].str.startswith("∞")]["caught by"]
check(
    "Histogram",
    f"{len(endless)} clients with infinite ε, of which {sum(~endless.str.contains('even|skewed'))} pass both histograms",
    sum(~endless.str.contains("even|skewed")) >= 3,
    control="a client that draws from too few items",
    caught="skewed" in mistakes.set_index("mistake").loc["blind draw misses the last item", "caught by"],
)
table(gallery.formulas())

# %% [markdown]
# (sec-verify-own)=
# ## Your own mechanism
#
# A mechanism written as a class states its ε, its variance and the length of its reports; `check_mechanism` compares these with its law.
# `GRR` is k-RR as a class; `Mine` forgets that the blind draw can hit the truth:


# %%
class Mine(GRR):
    """k-RR with one mistake."""

    @property
    def keep(self):
        e = exp(self.epsilon)
        return e / (e + self.k - 1)


kept = check_mechanism(GRR(k=3, epsilon=1.0), range(3))
print(f"GRR passes all {len(kept)} checks that apply")
try:
    check_mechanism(Mine(k=3, epsilon=1.0), range(3))
except AssertionError as error:
    for line in str(error).splitlines():
        print(fill(line, 66))

# %% [markdown]
# (sec-verify-prior)=
# ## Related tools
#
# Other audits also search for events {cite:p}`ding2018detecting,bichsel2021sniper,arcolezi2024auditing,xu2025kvauditor`; the classifier is from {cite:t}`bichsel2021sniper`.
# Other proofs start from a program's text {cite:p}`wang2020checkdp,zhang2017lightdp,barthe2020deciding,bhusal2025gaussian`.
# On released packages: {ref}`ch-wild`.
#
# (sec-verify-wrong)=
# ## What can go wrong
#
# - *An observer may see more than the report*, such as the running time.
#   Audit that, too.
# - *You audit more than once.*
#   Ten audits at level 0.001 raise a false alarm with probability up to 0.01.
#
# (sec-verify-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 5 minutes): a harmless retry
# A client for unary encoding throws an empty list away and draws again until it is not empty.
# Does this change ε?
# :::
#
# :::{dropdown} Solution
# With three items and $q = 1-p$, a list is not empty with probability
#
# $$ 1 - (1-p)\,p^2, $$
#
# whatever the answer is.
# Each list that is not empty has its old probability divided by this number.
# So all other ratios stay as they were.
# The empty list has the ratio 1, so it was not the worst report, and ε does not change.
# The server must divide both $p$ and $q$ by this number, too.
# :::
#
# :::{admonition} Exercise 2 (code, 12 minutes): what does not worry you
# A shy client usually names an item that does *not* worry the person most.
# The person's item has probability $1/(2e^\varepsilon+1)$, and each other item $e^\varepsilon/(2e^\varepsilon+1)$.
# Write the client, so that `prove` also covers its rounded coin (which outcome is likelier?).
# Write its estimator with standard errors.
# :::
#
# :::{dropdown} Solution
# Toss for *another* item, the likelier outcome, with its probability rounded down.
#
# Of $n$ reports, $C_x$ name item $x$, so
#
# $$ \begin{aligned} \E\,\frac{C_x}{n} &= \frac{f_x + (1-f_x)\,e^\varepsilon}{2e^\varepsilon+1}, \\[1ex] \hat f_x &= \frac{e^\varepsilon - (2e^\varepsilon+1)\,C_x/n}{e^\varepsilon-1}. \end{aligned} $$
#
# The standard error of $\hat f_x$ is that of $C_x/n$, multiplied by $(2e^\varepsilon+1)/(e^\varepsilon-1)$.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def shy(x, eps, rng):
    """An item that the person worries less about."""
    other = round_down(2 * odds(eps) / (2 * odds(eps) + 1))
    return pick([y for y in range(3) if y != x], rng) if toss(other, rng) else x


def shy_server(reports, eps):
    e, n = exp(eps), len(reports)
    share = np.bincount(reports, minlength=3) / n
    gain = (2 * e + 1) / (e - 1)
    return e / (e - 1) - gain * share, gain * np.sqrt(share * (1 - share) / n)


print(prove(shy, range(3)))
f_hat, f_error = shy_server([shy(x, 1.0, rng) for x in people], 1.0)
print(*(f"{name}: {f:.3f} ± {e:.3f}" for name, f, e in zip(ITEMS, f_hat, f_error, strict=True)), sep=", ")
told = law(lambda rng: shy(0, 1.0, rng))
means = sum(float(w) * shy_server([y], 1.0)[0] for y, w in told.items())
check(
    "Shy client",
    "exact mean of the score: 1 for the person's item, 0 for others",
    np.allclose(means, [1, 0, 0]),
    control="estimated with ε = 1.1",
    caught=not np.allclose(sum(float(w) * shy_server([y], 1.1)[0] for y, w in told.items()), [1, 0, 0]),
)

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes): how many reports?
# A vendor states $\varepsilon = 1$.
# An audit with 10,000 reports of each of two values, at level 0.001, gives $\varepsilon \ge 0.85$.
# What do you conclude?
# How many reports would it take to refute $\varepsilon = 1$ half of the time if the true ε is 1.1?
# :::
#
# :::{dropdown} Solution
# Nothing: a right client may well give 0.85, and so may one with a rare telling report, or one that fails for a third value.
# Compute the law of the code.
#
# By {eq}`eq-audit-reach`, an auditor who knows the best event needs $z\,(e^{-0.55}+e^{0.55})/\sqrt t < 0.1$.
# With $z = 3.29$ this is $t > (3.29 \cdot 2.31/0.1)^2 \approx 5{,}800$ counted reports of each value.
# An audit that chooses its event on half of the reports needs twice as many.
# The package's audit counts two events, so its η is half as large, and it needs at least 13,000.
# :::
#
# ## Summary
#
# A passed audit proves no privacy, nor does a correct survey.
#
# | question | tool | answer |
# |---|---|---|
# | How private is this client? | `laws`, `worst` | exact ε, on small domains |
# | And for every ε, or every number of items? | `prove` | a proof, a counterexample, or no answer |
# | Is its estimate right? | the law, `sampled` | exact; or alarms at a known rate |
# | And a black box? | `audit` | a lower bound at a level |
# | Is my class right? | `check_mechanism` | what it breaks |
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $k$ | size of the domain of one attribute; items are $0, \dots, k-1$ |
# | $C_x$ | number of reports that support item $x$ |
# | $q$ | chance that the bit of another item is set |
# | $u$ | $e^\varepsilon - 1$ (here only) |
# | $h$ | number of items that a client draws at most (here only) |
# | $K$ | number of items from which on one proof covers all (here only) |
# | $o$ | different other items drawn so far (here only) |
# | $A$ | an event: a set of reports (here only) |
# | $t$ | counted reports of each value (here only) |
# | $a$ | counted reports in $A$; $a'$ for the other value (here only) |
# | $P$ | probability of $A$; $P'$ for the other value (here only) |
# | $L$ | lower bound from a count (here only) |
# | $U$ | upper bound from a count (here only) |
# | $\eta$ | chance that a bound is wrong (here only) |
# | $r$ | number of events (here only) |
# | $\lambda$ | level of an audit (here only) |
# | $z$ | upper normal quantile of $\eta$ (here only) |
# | $\tau$ | probability of a telling report (here only) |
#
# Next: {ref}`ch-frequency`.
