# %% [markdown]
# (ch-verify)=
# # Checking a privacy claim
#
# *After {cite:t}`ding2018detecting` and {cite:t}`bichsel2021sniper`; related tools: {ref}`sec-verify-prior`.*
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
# 本章讨论如何检验一个用户端是否满足其所声称的 $\varepsilon$-本地化差分隐私。
# 若全部随机选择都经由 `toss` 与 `pick`，便可沿每条分支重放代码，得到报告的精确分布以及精确的 $\varepsilon$、偏差与方差。
# 若硬币的概率由 $e^\varepsilon$ 的公式算出，`prove` 可以对所有 $\varepsilon$ 一次证明隐私。
# 若只能收集报告，则以审计求 $\varepsilon$ 的下界：用一半报告选事件，用另一半计数。
# 高于声称值的下界在给定的显著性水平上否定该声称；低于声称值的下界什么也不能证明。
# 估计正确并不意味着隐私正确：有的用户端直方图无偏，$\varepsilon$ 却为无穷大。
# 最后汇集十六种典型错误，并列出哪种工具能发现哪种错误。
# :::
#
# You need {ref}`ch-rr` and {prf:ref}`thm-post`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
import warnings
from collections import Counter, defaultdict
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
from ldpnb.book import check, diagram, gallery, label_lines, simulation, style, table, theory
from ldpnb.book.studies import checking as study
from ldpnb.chance import law, odds, round_down, walk
from ldpnb.verify import audit, ceiling, sampled

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
# The first script takes the first option everywhere.
# Each later script takes the next option at the last choice that has one left, and drops what follows.
# So the replay takes every branch once.
# {numref}`fig-verify-tree` shows the result for a person who answers health, with $\varepsilon = \ln 2$.


# %% mystnb={"figure": {"name": "fig-verify-tree", "caption": "The stranger's client for the answer health (H; M is money, W is work), with ε = ln 2. Equal reports have one colour."}, "image": {"alt": "Tree with ten leaves, drawn from the client's code. Three coins in a row, for health with 2/3 and 1/3, for money and work with 1/3 and 2/3. Where all three are out, a fourth fork lists one of the three items with 1/3 each; these leaves have probability 4/81 each."}}
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
# Adding up the branches that end in the same report gives its distribution (*law*):

# %%
total = defaultdict(Fraction)
for path, y in walk(lambda rng: stranger(0, rng)):
    total[y] += path.probability
for y, name in NAMES.items():
    print(name, total[y].limit_denominator(99), end="   ")

# %% [markdown]
# The function `laws` does this for a list of values, and `worst` finds the report and the two values with the largest ratio.

# %%
found = worst(laws(stranger, range(3)))
one, other = (ITEMS[x] for x in found.pair)
print(f"report {NAMES[found.report]}, {one} against {other}:")
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
# The law has limits:
#
# - It is exact only if *all* randomness comes from `toss`, `pick` and their relatives.
# - It covers the values and the ε that were tried.
# - *Unary encoding*, one coin for each of $k$ items, has $2^k$ branches: $k = 8$ is instant, $k = 128$ impossible.
#
# (sec-verify-every)=
# ## Every ε at once
#
# Start with randomized response.
# Without the common denominator, the truth has weight $e^\varepsilon$ and a lie has weight 1.
# No reply may be more than $e^\varepsilon$ times as likely under one answer as under the other:
#
# $$ \underbrace{e^\varepsilon}_{\text{truth}} \le e^\varepsilon \cdot \underbrace{1}_{\text{lie}}, \qquad\qquad \underbrace{1}_{\text{lie}} \le e^\varepsilon \cdot \underbrace{e^\varepsilon}_{\text{truth}}. $$
#
# The first inequality is an identity.
# For the second, write $e^\varepsilon = 1 + u$ with $u > 0$:
#
# $$ e^\varepsilon \cdot e^\varepsilon - 1 = (1+u)^2 - 1 = 2u + u^2. $$
#
# No coefficient is negative, so this is positive.
#
# The function `prove` does the same: it replays all branches with a symbol for ε, so every probability is a formula.
# Code whose steps depend on ε, such as `if eps > 1`, raises an error; all other code takes the same steps for every ε.

# %%
print(prove(send, range(3), rounded=False))


# %% [markdown]
# Here `x` is $e^\varepsilon$, not a value, and "right above" means for all small $\varepsilon > 0$.
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
# *Ideal* coins have exactly the probability of the formula.
# A computer *rounds* it to a multiple of $2^{-53}$; `round_down` takes the one below.
# Round the *likelier* outcome down: this can only bring the two probabilities closer.
# No formula gives the rounded probability, so `prove` allows all between the formula and its value at $\varepsilon = 0$.
# From $\varepsilon = 10^{-6}$ on, the rounded probability is among them.
#
# The proof is about formulas.
# Whether the client does the same with numbers is only *tested*, at eight values of ε.
#
# If a client only compares, draws and sends items, the proof covers all $k$.
# Here `items.k` is $k$, `items.pick` draws an item, and a and b stand for any two items:


# %%
def krr(x, items, eps, rng):
    """k-RR: keep the item, or draw any of the k."""
    keep = (odds(eps) - 1) / (odds(eps) + items.k - 1)
    return x if toss(keep, rng) else items.pick(rng)


print(prove(krr))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the stranger's client, mended; proofs for every ε"}
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
    control="all of ε for each item, x²",
    caught=refuted.holds is False and str(refuted.ratio) == "x^2",
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
# Its standard deviation, with $C_x/n$ for the unknown probability, gives the standard error of $\hat f_x$:
#
# $$ \frac{1}{p-q}\,\sqrt{\frac1n \cdot \frac{C_x}{n}\Big(1-\frac{C_x}{n}\Big)}. $$
#
# The stranger's server computes both values.
# But the list is empty with probability $(1-p)(1-q)^2 = (1-p)\,p^2$, whatever the answer is.
# The fill then adds each item with probability 1/3:
#
# $$ \begin{aligned} \E\,\frac{C_x}{n} &= f_x\,p + (1-f_x)\,q + \frac{(1-p)\,p^2}{3}, \\[1ex] \E \hat f_x - f_x &= \frac{(1-p)\,p^2}{3\,(2p-1)}. \end{aligned} $$
#
# More people do not reduce this bias.
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
    found_f = np.transpose(server(reports, per_coin))
    shown = [f"{f:.3f} ± {error:.3f}" for f, error in found_f]
    rows.append([name, f"{ratio:.2f}", *shown])
columns = ["client", "largest ratio", *ITEMS]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# The second client's estimates are right, but it spends twice the stated budget.
# The third is private, but its estimates are far too high.
# The last keeps ε and is *unbiased*.
# *Privacy and bias each need their own check.*
#
# On large domains, bias and variance can only be sampled.
# `sampled` compares both with what a mechanism states, and takes the largest deviation over all items.
# Among 1,000 items, one deviation of four standard errors is no alarm.


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
    f"OLH over 1,000 items: mean {right.bias:.1f} standard errors off, {right.limit:.1f} allowed",
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
# Of $t$ fresh reports of each value, let $a$ from $x$ and $a'$ from $x'$ be *hits*, that is, lie in $A$.
# These counts bound the two probabilities {cite:p}`clopper1934use`.
# The lower bound $L(a)$ is the hit probability at which $a$ hits or more have a small chance $\eta$:
#
# $$ \Pr\big[\mathrm{Bin}(t, L(a)) \ge a\big] = \eta, \qquad L(0) = 0. $$
#
# At the upper bound $U(a)$, $a$ hits or fewer also have chance $\eta$, and $U(t) = 1$.
# Both bounds grow with the number of hits.
#
# :::{prf:theorem} An audit's bound
# :label: thm-audit
# Choose $r$ events without looking at the $t$ fresh reports of each value.
# With $\eta = \lambda/(2r)$, the largest of the $r$ numbers $\ln\big(L(a)/U(a')\big)$ exceeds the true ε with probability at most the *level* $\lambda$.
# :::
#
# :::{prf:proof}
# Let $P = \Pr[A \mid x]$ and $P' = \Pr[A \mid x']$ for one of the events.
# Let $a_0$ be the smallest number of hits with $L(a_0) > P$.
# Since $L$ grows with $a$, $L(a) > P$ holds exactly if $a \ge a_0$.
# The chance of $a_0$ hits or more is $\eta$ at $L(a_0)$, so it is smaller at $P < L(a_0)$:
#
# $$ \Pr[L(a) > P] = \Pr[\mathrm{Bin}(t, P) \ge a_0] < \eta. $$
#
# In the same way, $U(a')$ is too small with probability below $\eta$.
# All $2r$ bounds are right except with probability $2r\eta = \lambda$.
# Then, by {eq}`eq-audit`,
#
# $$ \varepsilon \ge \ln\frac{\Pr[A \mid x]}{\Pr[A \mid x']} \ge \ln\frac{L(a)}{U(a')}. $$
#
# :::
#
# If you choose an event by the same reports that you count, luck inflates the count.
# So our auditor uses half of the reports to choose one event and the other half to count hits.


# %%
def bound(a, b, t, level):
    """ln(L(a)/U(b)), or 0 if that says nothing."""
    low = beta.ppf(level / 2, a, t - a + 1)
    high = beta.ppf(1 - level / 2, b + 1, t - b)
    return np.fmax(0, np.log(low / high))


def auditor(these, those, level=0.001):
    """A lower bound on ε from reports of two values; the event."""
    t = len(these) // 2  # this half chooses
    seen, other = Counter(these[:t]), Counter(those[:t])
    order = sorted(seen, key=lambda y: other[y] / seen[y])
    a = np.cumsum([seen[y] for y in order])
    b = np.cumsum([other[y] for y in order])
    best = np.argmax(bound(a, b, t, level))
    event = set(order[: best + 1])
    a, b = (sum(y in event for y in r[t:]) for r in (these, those))
    return float(bound(a, b, t, level)), event


for client in (send, mended):
    these = [client(0, EPS, rng) for _ in range(10_000)]
    those = [client(1, EPS, rng) for _ in range(10_000)]
    least, event = auditor(these, those)
    names = sorted(NAMES.get(y, "none") for y in event)
    print(f"{client.__name__}: ε ≥ {least:.2f}, event {names}")

# %% [markdown]
# The audit refutes $\varepsilon = \ln 2 = 0.69$ for the first client and not for the second.
#
# The package's `audit` tries all pairs of values.
# If reports hardly ever repeat, it trains a classifier to tell reports of $x$ from those of $x'$.
# The event is then a score above a threshold.
#
# ### How close can it come?
#
# Take the truthful reply of randomized response as the event, with $P = e^\varepsilon/(e^\varepsilon+1)$ and $P' = 1/(e^\varepsilon+1)$.
# The number of hits has mean $tP$ and variance $tP(1-P)$.
# For large $t$, the lower bound is $z$ standard deviations below the mean, where $z$ is the normal quantile of $\eta$; at $\lambda = 0.001$ and $r = 1$, $z = 3.3$:
#
# $$ \ln L(a) \approx \ln\Big(P - z\sqrt{\tfrac{P(1-P)}{t}}\Big) \approx \ln P - \frac{z}{\sqrt t}\sqrt{\frac{1-P}{P}}. $$
#
# Here $(1-P)/P = e^{-\varepsilon}$, and $(1-P')/P' = e^\varepsilon$.
# So an auditor who knows this event expects
#
# $$ \ln\frac{L(a)}{U(a')} \approx \varepsilon - \frac{z}{\sqrt t}\,\big(e^{-\varepsilon/2} + e^{\varepsilon/2}\big). $$ (eq-audit-reach)
#
# {numref}`fig-verify-samples` shows our audit of the mended client, and the package's audit of unary encoding over 128 items, with $\varepsilon/2$ for each coin.
# No formula gives the second bound, so it has no line.

# %% mystnb={"figure": {"name": "fig-verify-samples", "caption": "Lower bounds on ε at level 0.001. The best event is counted on all reports, the others on half. Lines: bounds at mean counts. Marks: means of 20 audits (three items) or 4 (128 items), with 95 % bars."}, "image": {"alt": "Bounds against reports from 1,000 to 30,000 on a logarithmic axis. All rise towards a line at 0.69. The curve for the best event lies on top. The curve of our auditor lies below it, with its marks on it. The marks of the package's audit of 128 items start at 0 and end near our auditor's."}}
exact = laws(lambda x, rng: mended(x, EPS, rng), range(2))
SIZES = [1000, 3000, 10_000, 30_000]
ours = study.audits(auditor, exact, SIZES, runs=20, rng=rng)
lines = []
for n in SIZES:
    best = ceiling(EPS, samples=n, known=True)
    lines.append((n, best, "best event"))
    half = study.reach(bound, exact, n // 2, 0.001)
    lines.append((n, half, "three items"))
hard, marks = SUE(k=128, epsilon=EPS), []
for n in SIZES:
    for _ in range(4):
        least = audit(hard, np.arange(2), samples=n, rng=rng).bound
        marks.append((n / 1.1, least, "128 items"))  # beside ours

columns = ["reports", "bound", "audit"]
lines = pd.DataFrame(lines, columns=columns)
marks = pd.DataFrame(marks, columns=columns)
marks = pd.concat([ours.assign(audit="three items"), marks])
names = ["best event", "three items", "128 items"]
axes = {"x": "reports", "y": "bound"}
ax = sns.lineplot(lines, **axes, **theory("audit", names))
sns.lineplot(marks, ax=ax, **axes, **simulation("audit", names))
ax.axhline(EPS, color="black", linewidth=1, linestyle="-")
ax.text(1000, 1.02 * EPS, "true ε", fontsize=11)
ax.text(11_000, 0.55 * EPS, "128 items", fontsize=11, color="#00694D")
ax.set(xscale="log", ylabel="lower bound on ε", ylim=(-0.03, 1.12 * EPS))
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
# The next client is right, except that it sends "error 17" with probability $h = 1/1000$ if the value is 1.


# %%
def reply(x, eps, rng):
    """Randomized response with a rounded coin."""
    truth = round_down(odds(eps) / (odds(eps) + 1))
    return x if toss(truth, rng) else 1 - x


def error_17(x, rng, h=0.001):
    """Randomized response with a report that only x = 1 sends."""
    if x == 1 and toss(h, rng):
        return "error 17"
    return reply(x, EPS, rng)


print(f"law: ε = {epsilon(laws(error_17, [0, 1]))}")
these = [error_17(1, rng) for _ in range(10_000)]
those = [error_17(0, rng) for _ in range(10_000)]
print(f"audit: ε ≥ {auditor(these, those)[0]:.2f}")

# %% [markdown]
# That report gives the value away; the law shows this, the audit does not.
# Suppose that you know this report.
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
# So you refute the claim half of the time at $h \approx 30/t$, as {numref}`fig-verify-power` shows.
# An audit counts half of its reports, so 10,000 reports give $t = 5{,}000$.

# %% mystnb={"figure": {"name": "fig-verify-power", "caption": "Probability that an audit refutes ε = ln 2, at level 0.001, for a client with one telling report. Lines: exact, if the event is known. Marks: 60 runs of our auditor each, with 95 % bars."}, "image": {"alt": "Probability of refutation against the probability h of the telling report, from one in 100,000 to one in ten, for 1,000, 10,000 and 100,000 reports of each value. Each curve rises steeply from 0 to 1, one decade further left for ten times as many reports. Marks lie on or slightly below the curves."}}
sizes = ["1,000 reports", "10,000", "100,000"]
curves, marks = [], []
for name, n in zip(sizes, (1000, 10_000, 100_000), strict=True):
    h = np.geomspace(1e-5, 0.2, 120)
    sure = study.refutes(bound, h, n // 2, claimed=EPS, level=0.001)
    curves += [(*point, name) for point in np.transpose([h, sure])]
    for times in (30, 60, 80, 120) if n < 100_000 else ():
        h = times / n
        leaky = laws(lambda x, r, h=h: error_17(x, r, h), (1, 0))
        runs = study.audits(auditor, leaky, [n], runs=60, rng=rng)
        marks += [(h, float(b > EPS), name) for b in runs["bound"]]
columns = ["h", "refuted", "audit"]
curves = pd.DataFrame(curves, columns=columns)
marks = pd.DataFrame(marks, columns=columns)
axes = {"x": "h", "y": "refuted"}
ax = sns.lineplot(curves, **axes, **theory("audit", sizes))
sns.lineplot(marks, ax=ax, **axes, **simulation("audit", sizes))
ax.set(xscale="log", ylabel="probability of refutation")
ax.set_xlabel("probability h of the telling report")
ax.legend(title="", loc="upper left")
plt.show()

# %% [markdown]
# No test finds a report that its sample does not contain, although ε is infinite for every $h > 0$.
#
# (sec-verify-gallery)=
# ## A gallery of mistakes
#
# `ldpnb.book.gallery` holds sixteen clients and servers, each with one typical mistake.
# We run every tool on each.
# Some belong to later lessons.
# "Bias" is the largest exact bias of one person's score; "law" compares the law with that of the right client.
# "Even" and "skewed" are surveys: all values equally frequent, or each half as frequent as the one before.
# "Refusal" means that the replay refuses a client with another generator.

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
# `GRR` is `krr` as a class; `Mine` forgets that the draw among all $k$ items can hit the truth:


# %%
class Mine(GRR):
    """k-RR with one mistake."""

    @property
    def keep(self):
        e = exp(self.epsilon)
        return e / (e + self.k - 1)


kept = check_mechanism(GRR(k=3, epsilon=1.0), range(3))
print(f"GRR keeps all {len(kept)} checks that apply")
try:
    check_mechanism(Mine(k=3, epsilon=1.0), range(3))
except AssertionError as error:
    for line in str(error).splitlines():
        print(fill(line, 66))

# %% [markdown]
# (sec-verify-prior)=
# ## Related tools
#
# StatDP {cite:p}`ding2018detecting`, DP-Sniper {cite:p}`bichsel2021sniper` and audits {cite:p}`arcolezi2024auditing,xu2025kvauditor` search for events; the classifier is from DP-Sniper.
# On released packages: {ref}`ch-wild`.
# CheckDP {cite:p}`wang2020checkdp`, LightDP {cite:p}`zhang2017lightdp` and decision procedures {cite:p}`barthe2020deciding,bhusal2025gaussian` prove privacy from a program's text.
#
# (sec-verify-wrong)=
# ## What can go wrong
#
# - *What is not in the report.*
#   Audit whatever else an observer sees, such as the client's running time.
# - *Looking twice.*
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
# So all ratios stay as they were, and so does ε, because the worst report is not the empty list.
# The server must divide both $p$ and $q$ by this number, too.
# :::
#
# :::{admonition} Exercise 2 (code, 12 minutes): what does not worry you
# A shy client usually names an item that does *not* worry the person most.
# The person's item has probability $1/(2e^\varepsilon+1)$, and each other item $e^\varepsilon/(2e^\varepsilon+1)$.
# Write the client, so that `prove` also covers its rounded coin.
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
# With $z = 3.29$ this is $t > (3.29 \cdot 2.31/0.1)^2 \approx 5{,}800$ counted reports of each value; the exact bounds give 6,000.
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
# | And for every ε? | `prove` | a proof, a ratio, or neither |
# | Is its estimate right? | the law, `sampled` | exact; or alarms at a known rate |
# | And a black box? | `audit` | a lower bound at a level |
# | Is my class right? | `check_mechanism` | what it breaks |
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $\varepsilon$ | privacy budget, in nats |
# | $e^\varepsilon$ | the largest ratio of probabilities allowed, always written so |
# | $k$ | size of the domain of one attribute; items are $0, \dots, k-1$ |
# | $n$ | number of people |
# | $x$ | an item, or another value that one person has |
# | $f$ | share of people; with an index, of those who have that item or key |
# | $\hat f$ | estimate of $f$; a hat marks any estimate |
# | $C_x$ | number of reports that support item $x$ |
# | $p$ | chance that a coin tells the truth; for bits, that the bit of the person's item is set |
# | $q$ | chance that the bit of another item is set |
# | $u$ | $e^\varepsilon - 1$ (here only) |
# | $A$ | an event: a set of reports (here only) |
# | $t$ | counted reports of each value (here only) |
# | $a$ | counted reports in $A$; $a'$ for the other value (here only) |
# | $P$ | probability of $A$; $P'$ for the other value (here only) |
# | $L$ | lower bound from a count (here only) |
# | $U$ | upper bound from a count (here only) |
# | $\eta$ | chance that a bound is wrong (here only) |
# | $r$ | number of events (here only) |
# | $\lambda$ | level of an audit (here only) |
# | $z$ | normal quantile of $\eta$ (here only) |
# | $h$ | probability of a telling report (here only) |
#
# Next: {ref}`ch-frequency`.
