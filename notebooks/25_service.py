# %% [markdown]
# (ch-deployment)=
# # From a proof to a service
#
# *From {cite:t}`mironov2012significance`, {cite:t}`cao2021poisoning` and {cite:t}`tang2017apple`.*
#
# :::{admonition} In one minute
# A proof of privacy is about one report.
# A service asks again, every day, with a computer's coins.
# Anybody can send it reports, liars included.
# It sees when a message comes, and how long it is.
# Each of these can undo a correct proof; estimates hardly show it.
# So whatever an observer sees is part of the report.
# Let the phone pay for its reports, remember them, and toss coins of its operating system.
# :::
#
# :::{zh}
# 隐私证明只论及一份报告，而实际的服务会反复询问，随机数来自计算机，报告可能来自说谎者，消息还带有时间和长度。
# 每天用新的硬币作答，服务器的信念日益趋于确定；记住第一次的回答，则合计只花费 $\varepsilon$。
# 随机数必须取自操作系统：以时间为种子的用户端，可以逐个种子试出其真值。
# 浮点数的拉普拉斯噪声有许多空隙，报告的末位会泄露原值，因此应在网格上加噪；硬币的阈值则要朝多说谎的方向取整为 $2^{-53}$ 的倍数。
# 一份伪造的报告至少可使无偏的计数偏移 $e^\varepsilon/(e^\varepsilon-1)$ 人。
# 是否发送、发送时间与消息长度都应算作报告的一部分。
# 示例文件夹中有完整的用户端与服务器。
# :::
#
# You need {ref}`ch-composition` and {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from math import exp, inf, sinh, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import binom

from ldpnb import GRR, OUE, HadamardBit, SystemRandom, epsilon, laws, pick, prove, toss
from ldpnb.chance import odds
from ldpnb.collecting import screen
from ldpnb.survey import Account, BudgetError
from ldpnb_book import check, diagram, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb_book.studies import service as study

style()
rng = np.random.default_rng(2017)  # the year of a look at Apple's client

# %% [markdown]
# (sec-deploy-service)=
# ## A question every morning
#
# A health app asks every morning: do you smoke?
# Ana smokes, and wants to quit.
# Her phone replies by randomized response with budget ε:


# %%
def reply(x, eps, rng):
    """The answer x, 0 or 1, or the opposite."""
    truth = odds(eps) / (1 + odds(eps))  # odds(eps) is e^ε
    return x if toss(truth, rng) else 1 - x


# %% [markdown]
# In {numref}`fig-deploy-service`, a plus marks what a service adds.

# %% mystnb={"figure": {"name": "fig-deploy-service", "caption": "The theorems are about the box with the die. What crosses the border may depend on the value through the report alone."}, "image": {"alt": "Flow in three lanes. On the phone: value, pay, perturb with a die, keep the bytes. A message crosses a dashed border to the network, which sees time, length and address. On the server: check, tally. All but value, perturb and tally bear a plus."}}
PHONE = "value", "+ pay", "perturb", "+ keep bytes"
steps = [("phone", name) for name in PHONE]
steps += [("network", "+ time, length,\naddress", "message")]
steps += [("server", "+ check"), ("server", "tally")]
diagram.flow(steps, chance=["perturb"], private=["phone"])
plt.show()

# %% [markdown]
# **What else must hold so that the server learns no more than the theorem allows?**
#
# Local privacy trusts only the phone, so its code must be open, and fix ε.
#
# (sec-deploy-time)=
# ## Day after day
#
# An early client of Apple's could spend ε = 16 every day {cite:p}`tang2017apple`.
#
# A *history* lists a person's values, one per day:


# %%
def fresh(history, eps, rng):
    """New coins every day."""
    return tuple(reply(x, eps, rng) for x in history)


def remembered(history, eps, rng):
    """The reply of the first day, every day."""
    return (reply(history[0], eps, rng),) * len(history)


# %% [markdown]
# A share $f$ of people smoke.
# Each yes multiplies the odds that a person smokes by $e^\varepsilon$, and each no by $e^{-\varepsilon}$ ({prf:ref}`thm-odds`).
# If her value never changes, then after $t$ fresh replies, $a$ of them yes, the odds are
#
# $$ \frac{f}{1-f}\cdot e^{\varepsilon a}\cdot e^{-\varepsilon(t-a)} = \frac{f}{1-f}\; e^{\varepsilon(2a-t)}. $$ (eq-deploy-belief)
#
# If she smokes, $a$ is binomial with $p = e^\varepsilon/(1+e^\varepsilon)$, so the exponent grows with $t$:
#
# $$ \E\,\varepsilon(2a-t) = \varepsilon\,t\,(2p-1) = \varepsilon\,t\,\tanh\frac\varepsilon2. $$ (eq-deploy-drift)
#
# A remembered reply is one reply, however often it is sent: $t = 1$.


# %%
def belief(yes, t, eps, f):
    """Probability that a person smokes, after t fresh replies."""
    up = f / (1 - f) * np.exp(eps * (2 * yes - t))
    return up / (1 + up)


def mean_belief(t, eps, f):
    """Mean belief about a smoker."""
    a = np.arange(t + 1)
    chance = binom.pmf(a, t, exp(eps) / (1 + exp(eps)))
    return chance @ belief(a, t, eps, f)


# %% [markdown]
# {numref}`fig-deploy-days` shows the mean belief about smokers for $f = 0.2$.

# %% mystnb={"figure": {"name": "fig-deploy-days", "caption": "Mean belief that a smoker smokes, after t mornings. Lines: formula. Marks: 2,000 simulated smokers, the same each morning, with 95 % bars. Dashed: the share f."}, "image": {"alt": "Mean belief against mornings from 1 to 21. With fresh coins it rises from 0.32 to 0.96 for epsilon 1, and from 0.23 to 0.67 for one half. With a remembered reply it stays at 0.32 and 0.23. Marks lie on or near the lines. A dashed line stands at 0.2."}}
F, EPS, MORNINGS = 0.2, 1.0, np.array([1, 2, 4, 7, 10, 14, 21])
crowd = {"people": 2000, "rng": rng}
names, line, marks = [], [], []
for eps in (EPS, EPS / 2):
    for client in (fresh, remembered):
        names.append(f"{client.__name__}, ε = {eps:g}")
        used = MORNINGS if client is fresh else np.ones(7, int)
        yes = study.yes_replies(client, used, eps=eps, **crowd)
        for t, u, a in zip(MORNINGS, used, yes.T, strict=True):
            line.append((names[-1], t, mean_belief(u, eps, F)))
            marks += [(names[-1], t, b) for b in belief(a, u, eps, F)]
columns = ["client", "t", "belief"]
line, marks = (pd.DataFrame(z, columns=columns) for z in (line, marks))
ax = sns.lineplot(line, x="t", y="belief", **theory("client", names))
sns.lineplot(marks, x="t", y="belief", **simulation("client", names))
ax.axhline(F, color="dimgray", marker="", lw=1.5, ls="--")
ax.set(xlabel="mornings t", ylabel="mean belief", ylim=(0.15, 1.02))
ax.set_xticks(MORNINGS)
label_lines(ax)
plt.show()

# %% [markdown]
# One day's estimate does not show the danger:


# %%
def server(replies, eps):
    """Estimated share and its standard error: one reply per person."""
    p = exp(eps) / (1 + exp(eps))
    z = (np.array(replies) - (1 - p)) / (2 * p - 1)
    return z.mean(), 1 / (2 * sinh(eps / 2) * sqrt(len(z)))


smokes, rows = [1] * 1200 + [0] * 4800, []
for client, total in ((fresh, 7), (remembered, 1)):
    sent = np.array([client((x,) * 7, EPS, rng) for x in smokes])
    told = [server(sent[:, day], EPS) for day in (0, 6)]
    days = [f"{f_hat:.3f} ± {error:.3f}" for f_hat, error in told]
    rows.append([client.__name__, f"{total * EPS:g}", F, *days])
columns = ["client", "ε of a week", "true share", "day 1", "day 7"]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# (sec-deploy-changes)=
# ### When the value changes
#
# When Ana quits, a client could remember one reply *per value*:


# %%
def by_value(history, eps, rng):
    """One remembered reply for each value."""
    kept = {}
    for x in history:
        if x not in kept:
            kept[x] = reply(x, eps, rng)
    return tuple(kept[x] for x in history)


SMOKER, QUITS, NEVER = (1, 1, 1), (1, 1, 0), (0, 0, 0)
for client in (remembered, by_value):
    print(prove(client, [SMOKER, QUITS, NEVER], rounded=False))

# %% [markdown]
# A change in the replies proves a change of the value, so `by_value` has no finite ε.
# RAPPOR's second coin hides the change only in part ({ref}`sec-rappor-uncovered`).
# So repeat the first reply for a fixed period, then draw and pay again, whatever the value.
#
# (sec-deploy-account)=
# ### A phone that pays
#
# `Account` keeps the sum of a person's ε over all questions, and refuses reports beyond its limit.
# It pays before it hands out a report: a crash in between loses one report's ε.
# Each month has a file and a label:


# %%
SMOKING = GRR(k=2, epsilon=EPS)


def morning(value, month, folder):
    """Ana's phone: from a value to a paid report."""
    account = Account(folder / "account", limit=2.5)  # all months
    label = f"smoking, {month}"
    kept = folder / label
    if not kept.exists():  # the first morning of the month
        coins = SystemRandom()  # of the operating system
        report = account.report(SMOKING, [value], rng=coins, label=label)
        kept.write_text(str(report[0]))
    return int(kept.read_text()), account.spent


with TemporaryDirectory() as phone:
    for month in ("May", "June", "July"):
        try:
            told = [morning(1, month, Path(phone)) for _ in range(30)]
            replies, paid = {y for y, _ in told}, told[-1][1]
            print(f"{month}: {len(replies)} reply, spent: {paid}")
        except BudgetError as refused:
            print(f"{month}: {refused}")

# %% [markdown]
# If no confirmation comes, the phone sends the *same bytes* again.
# New coins would cost ε for each dropped message.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: histories, retries and beliefs"}
def spent(client, values):
    """Exact ε of a client at budget 1."""
    return epsilon(laws(lambda x, rng: client(x, 1.0, rng), values))


def patient(x, eps, rng, again=lambda y, x, eps, rng: y):
    """One report, or two."""
    y, lost = reply(x, eps, rng), toss(0.1, rng)
    return (y, again(y, x, eps, rng)) if lost else (y,)


def impatient(x, eps, rng):
    """A mistake: new coins for the second try."""
    return patient(x, eps, rng, again=lambda y, x, eps, rng: reply(x, eps, rng))


check(
    "Histories",
    "all eight of three days: fresh 3, remembered 1",
    [round(spent(c, list(np.ndindex(2, 2, 2))), 9) for c in (fresh, remembered)] == [3, 1],
    control="one reply per value: infinite",
    caught=spent(by_value, [SMOKER, QUITS]) == inf,
)
check(
    "Retry",
    "the same bytes again: ε = 1",
    abs(spent(patient, [0, 1]) - 1) < 1e-9,
    control="new coins: 2",
    caught=spent(impatient, [0, 1]) > 1.9,
)
told = laws(lambda x, rng: fresh((x,) * 4, 1.0, rng), [0, 1])
from_law = sum(float(told[1][y] * F * told[1][y] / (F * told[1][y] + (1 - F) * told[0][y])) for y in told[1])
check(
    "Belief",
    "four replies: from their exact law",
    abs(mean_belief(4, 1.0, F) - from_law) < 1e-9,
    control="three replies",
    caught=abs(mean_belief(3, 1.0, F) - from_law) > 0.01,
)

# %% [markdown]
# (sec-deploy-random)=
# ## Where the coins come from
#
# A proof assumes that nobody knows the coins.
# Which of 64 brands does a person smoke?
# A phone sends a bit for each, flipped with probability $1/(e^{1/2}+1)$, so $\varepsilon = 1$.
# But it seeds its generator with the minute of the day.


# %%
def flips(seed):
    """The 64 coins of this seed: 1 flips a bit."""
    coins = np.random.default_rng(seed)
    return (coins.random(64) < 1 / (exp(EPS / 2) + 1)).astype(int)


def seeded(brand, seed):
    """The bits of a brand, flipped."""
    return flips(seed) ^ (np.arange(64) == brand)


EVERY = np.array([flips(seed) for seed in range(24 * 60)])


def undo(report):
    """Brands that some seed explains."""
    left = EVERY ^ report  # one bit is left where the seed is right
    return set(left[left.sum(1) == 1].argmax(1).tolist())


def far_off(coins, brands):
    """Root mean square error of 64 shares, in standard errors."""
    n, lie = len(brands), 1 / (exp(EPS / 2) + 1)
    own = np.arange(64) == brands[:, None]
    error = sqrt(lie * (1 - lie) / n) / (1 - 2 * lie)
    shares = ((coins ^ own).mean(0) - lie) / (1 - 2 * lie)
    return sqrt(((shares - own.mean(0)) ** 2).mean()) / error


brands = rng.integers(64, size=6000)
minutes = rng.integers(24 * 60, size=6000)
people = list(zip(brands, minutes, strict=True))[:200]
named = sum(undo(seeded(b, m)) == {b} for b, m in people)
off = far_off(EVERY[minutes], brands)
print(f"{named} of 200 people named")
print(f"error with 6,000 people: {off:.1f} standard errors")

# %% [markdown]
# `laws` cannot find this mistake: it replaces the generator by ideal coins.
# The square of a sum of errors has $n$ squares and $n(n-1)$ products of two.
# With own coins, products average 0; here, with probability 1/1440, two people share coins, and so nearly all of their error.
# So the mean squared error is about $1 + (n-1)/1440$ times that with own coins.
#
# A secret seed does not help if outputs reveal the generator's state.
# Those of the Mersenne Twister do {cite:p}`matsumoto1998mersenne`; with more work, so do those of numpy's default generator {cite:p}`bouillaguet2020pcg`.
# `SystemRandom` asks the operating system.
#
# (sec-deploy-float)=
# ## Noise in floating point
#
# As in {ref}`sec-rr-laplace`, noise in a computer reaches only some floats.
# Here, floats have 16 bits, and the noise is ± the logarithm of one of 1,024 uniform numbers:


# %%
def all_reports(x):
    """All reports of x plus Laplace noise."""
    uniform = (np.arange(1, 1025) / 1024).astype(np.float16)
    size = -np.log(uniform)
    return np.float16(x) + np.concatenate([size, -size])


from_0, from_1 = all_reports(0), all_reports(1)
proof = np.isin(from_0, from_1, invert=True).mean()
print(f"{100 * proof:.0f} % of reports of 0 can only come from 0")

# %% [markdown]
# Floats of 64 bits have gaps, too {cite:p}`mironov2012significance`.
# Take a report between 0 and $\frac12$.
# For the value 1, the noise lies between $-1$ and $-\frac12$, where all floats are multiples of $2^{-53}$.
# Adding 1 is exact, so the report is a multiple, too.
# For the value 0, the report is the noise itself, and most floats below $\frac12$ are not multiples.


# %%
def proves_0(y):
    """Between 0 and 1/2, and not a multiple of 2**-53."""
    return (0 < y) & (y < 0.5) & (np.ldexp(y, 53) % 1 != 0)


noise = rng.laplace(size=100_000)
found = proves_0(0 + noise).mean(), proves_0(1 + noise).sum()
print(f"proved: {100 * found[0]:.1f} % of reports of 0, {found[1]} of 1")

# %% [markdown]
# So draw noise on a grid containing all possible inputs; its law is exact ({ref}`sec-means-laplace`).
#
# (sec-rr-float)=
# ### Why thresholds are rounded
#
# A coin in a computer is `rng.random() < p`, and `rng.random()` is a multiple of $2^{-53}$.
# So the probability of a lie is a multiple, too: $2\cdot2^{-53}$ at $\varepsilon = 36$, and 0 at 37.5.
# The package rounds each threshold towards more lies, and refuses ε above 32.
# The probability of a blind draw by `GRR` is a multiple, and with $k = 2$ half of these draws are lies: $229\cdot2^{-54}$ at $\varepsilon = 32$.
# There, the float's coin already spends more than ε:


# %%
def plain(x, eps, rng):
    """Randomized response with a threshold in floats."""
    return x if toss(exp(eps) / (1 + exp(eps)), rng) else 1 - x


def exact(eps):
    """Exact ε of the float's and the package's coin."""
    yield epsilon(laws(lambda x, rng: plain(x, eps, rng), [0, 1]))
    yield GRR(k=2, epsilon=eps).realised_epsilon if eps <= 32 else None


rows = []
for eps in (1, 20, 32, 36, 37.5):
    told = ("refused" if e is None else f"{e:.5f}" for e in exact(eps))
    rows.append([f"{eps:g}", *told])
columns = ["ε asked for", "float", "package"]
table(pd.DataFrame(rows, columns=columns).replace("inf", "∞"))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: seeds, digits and thresholds"}
def worst_ratio(client):
    """Largest ratio of probabilities."""
    no, yes = laws(client, np.arange(2))
    return max(max(yes[y] / no[y], no[y] / yes[y]) for y in (0, 1))


BUDGETS = (0.1, 1.0, 2.5, 10.0, 20.0, 30.0, 32.0)
unseeded = rng.random((6000, 64)) < 1 / (exp(EPS / 2) + 1)
check(
    "Seeds",
    "all 200 people named",
    named == 200,
    control="coins with another seed: nobody",
    caught=not any(undo(bits.astype(int)) for bits in unseeded[:50]),
)
check(
    "Seeds",
    "6,000 people: the error is above 1.5 standard errors",
    off > 1.5,
    control="unseeded coins",
    caught=far_off(unseeded, brands) <= 1.5,
)
check(
    "Digits",
    "reports of 1 never prove 0",
    found[1] == 0 and found[0] > 0.01,
    control="noise on a grid",
    caught=not proves_0(np.round(noise * 2**20) / 2**20).any(),
)
check(
    "Thresholds",
    "seven budgets: the largest ratio is at most e^ε",
    all(worst_ratio(GRR(k=2, epsilon=eps)) <= odds(eps) for eps in BUDGETS),
    control="thresholds in floats",
    caught=any(worst_ratio(lambda x, rng, eps=eps: plain(x, eps, rng)) > odds(eps) for eps in BUDGETS),
)

# %% [markdown]
# (sec-deploy-hash)=
# ## Randomness in public
#
# Local hashing is ε-LDP for every public seed.
# Which side draws the seed?
#
# - *A server* could put one brand alone in its slot, to learn more about it within ε, or recognise each phone by its seed.
# - *A liar* could choose a seed with many items in one slot, and raise them all.
#
# If the phone draws the seed, without looking at the value, this stops the server, but no liar.
#
# (sec-deploy-liars)=
# ## Liars
#
# Let $z(y)$ be the score of report $y$ for one item.
#
# :::{prf:theorem} What one report is worth
# :label: thm-deploy-liar
# Let a client be ε-LDP with finitely many reports.
# Let a score have mean 1 for the value $x$ and mean 0 for the value $x'$.
# Then some report has a score of at least $e^\varepsilon/(e^\varepsilon-1)$.
# :::
#
# :::{prf:proof}
# Let $u$ be the largest score of a possible report.
# Then $u - z(y) \ge 0$ for every $y$, and $\Pr[y \mid x'] \le e^\varepsilon \Pr[y \mid x]$.
# Summing over $y$,
#
# $$ \E[u - z(y) \mid x'] \le e^\varepsilon\, \E[u - z(y) \mid x]. $$
#
# Insert the two means, and solve for $u$:
#
# $$ \begin{aligned} u - 0 &\le e^\varepsilon\,(u - 1), \\ e^\varepsilon &\le u\,(e^\varepsilon - 1). \end{aligned} $$
#
# :::
#
# Randomized response attains this bound: a yes scores $p/(2p-1) = e^\varepsilon/(e^\varepsilon-1)$.
# The server averages scores, so a report with score $z$ counts like $z$ people with the item: its *worth*.
# Every possible report can come from any value, so no check of one report exposes a careful liar.
# An oracle with support probabilities $p^*$ and $q^*$ gives the score
#
# $$ z(y) = \begin{cases} \dfrac{1 - q^*}{p^* - q^*} & \text{if } y \text{ supports the item,} \\[2ex] \dfrac{0 - q^*}{p^* - q^*} & \text{if not.} \end{cases} $$ (eq-deploy-worth)
#
# {numref}`fig-deploy-liars` compares the worth with the bound.

# %% mystnb={"figure": {"name": "fig-deploy-liars", "caption": "Worth of one forged report for one item, in people. Lines: formula. Marks: largest score of all reports."}, "image": {"alt": "Log-log plot of worth against epsilon from 0.1 to 2. The bound falls from 10 to 1.2. The Hadamard bit starts at 20 and ends at 1.3, OUE at 21 and ends at 2.3. k-RR falls from near 1,200 to 21 with 128 items, and from near 150 to 3.3 with 16."}}
MAKE = {
    "k-RR, k = 128": lambda eps: GRR(k=128, epsilon=eps),
    "k-RR, k = 16": lambda eps: GRR(k=16, epsilon=eps),
    "OUE": lambda eps: OUE(k=16, epsilon=eps),
    "Hadamard bit": lambda eps: HadamardBit(k=16, epsilon=eps),
}
budgets = np.geomspace(0.1, 2, 9)
line, marks = study.worth(MAKE, budgets, np.geomspace(0.1, 2, 65))
names = [*MAKE, "bound"]
ax = sns.lineplot(line, x="ε", y="people", **theory("mechanism", names))
look = simulation("mechanism", names)
sns.lineplot(marks, x="ε", y="people", ax=ax, **look)
ax.set(xlabel="budget ε", ylabel="worth of one report, people")
ax.set(xscale="log", yscale="log")
plain_ticks(ax)
label_lines(ax)
plt.show()

# %% [markdown]
# `influence` computes the worth for several items: ten set bits of OUE are worth $10\cdot2e/(e-1) = 31.6$ people at $\varepsilon = 1$.
# `screen` tests whether a crowd looks honest, at level $10^{-6}$.
# Here 200 of 20,000 people lie to raise ten of 256 items (together 3.9 %):

# %%
oracle = OUE(k=256, epsilon=EPS)
honest = oracle.perturb(rng.integers(256, size=20_000), rng=rng)
loud, careful = np.ones((200, 256), bool), honest[:200].copy()
for bits in careful:  # as many ones as before, ten of them chosen
    others = rng.permutation(246)[: bits.sum() - 10]
    bits[:] = False
    bits[:10], bits[10 + others] = True, True
CROWDS = {"honest": honest[:200], "all ones": loud, "careful": careful}
error = 100 * sqrt(10 * oracle.variance([0])[0, 1] / 20_000)
for name, liars in CROWDS.items():
    reports = np.concatenate([liars, honest[200:]])
    share = 100 * oracle.estimate(oracle.tally(reports))[:10].sum()
    odd = ", ".join(screen(oracle, reports).failed[:2]) or "nothing"
    print(f"{name:<9} ten items {share:4.1f} ± {error:.1f} %, odd: {odd}")
print(f"one report, ten items: up to {oracle.influence(10):.1f} people")

# %% [markdown]
# The careful crowd passes {cite:p}`cao2021poisoning`.
# A small `influence` and anonymous credentials, one per person, help {cite:p}`davidson2018privacypass`.
# No local protocol without interaction escapes such attacks {cite:p}`cheu2021manipulation`.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the bound, and who passes the screen"}
def above(people):
    """Whether all worths obey the bound."""
    return all(people >= np.exp(marks["ε"]) / np.expm1(marks["ε"]) - 1e-9)


_, warner = study.worth({"": lambda eps: GRR(k=2, epsilon=eps)}, [1.0], [1.0])
check(
    "Worth",
    "at the bound or above; randomized response attains it",
    above(marks["people"]) and abs(warner["people"][0] - exp(1) / (exp(1) - 1)) < 1e-9,
    control="scores cut off at 1",
    caught=not above(marks["people"].clip(upper=1)),
)
crowd = {name: screen(oracle, np.concatenate([liars, honest[200:]])).failed for name, liars in CROWDS.items()}
check(
    "Screen",
    "honest and careful crowds pass",
    not crowd["honest"] and not crowd["careful"],
    control="all ones",
    caught=bool(crowd["all ones"]),
)


# %% [markdown]
# (sec-deploy-around)=
# ## What surrounds the report
#
# :::{prf:definition} What is seen
# :label: def-deploy-seen
# For an observer, the *report* is all that the observer can see of a person's participation.
# :::
#
# So write a client that returns all that is seen, and `prove` it:


# %%
def willing(x, eps, rng):
    """Who: smokers take part twice as often."""
    share = 3 / 4 if x else 3 / 8
    return reply(x, eps, rng) if toss(share, rng) else None


def timed(x, eps, rng):
    """When: k-RR over four items, and how many draws it takes."""
    if toss((odds(eps) - 1) / (odds(eps) + 3), rng):
        return x, 1
    return pick(range(4), rng), 2


def listed(brands, eps, rng):
    """Length: one perturbed bit for each brand that she smokes."""
    return tuple(reply(1, eps, rng) for _ in brands)


print(prove(willing, [0, 1], rounded=False))
whole = epsilon(laws(lambda x, rng: willing(x, EPS, rng), [0, 1]))
print(f"willing at ε = {EPS:g}: exact ε {whole:.3f}")
print(prove(timed, range(4), rounded=False))
print(prove(listed, [(), ("a",)], rounded=False))

# %% [markdown]
# Silence multiplies the odds of *not* smoking by 5/2, and a yes those of smoking by $2e^\varepsilon$.
# The exact ε is the logarithm of the larger factor: $\varepsilon + \ln 2$ for $\varepsilon \ge \ln\frac54$.
# A single draw proves the item; the length counts brands.
# So draw whether to take part without looking at the value, or let "no answer" be a value.
# In the package, time may depend on the value, but not the number of draws {cite:p}`jin2022timing`.
# Addresses link reports; a proxy run by somebody else can remove them {cite:p}`bittau2017prochlo`.
#
# (sec-deploy-hidden)=
# ### What ε does not hide
#
# ε bounds what Ana's own report changes.
# It hides neither that she has the app, nor what users have in common {cite:p}`dwork2010difficulties`.
# For a gene that three sisters share, their reports together cost $3\,\varepsilon$ ({ref}`ye2018-2`).
#
# (sec-deploy-trip)=
# ## The round trip
#
# The folder `book/examples/service` has a service in plain Python: {download}`question.py <../book/examples/service/question.py>`, {download}`client.py <../book/examples/service/client.py>`, {download}`server.py <../book/examples/service/server.py>`.
# Each message has 26 bytes: a name for survey and mechanism, a random token, and row and bit of `HadamardBit`.
# The client sends the kept bytes until the server has them; equal tokens count once.
# With {download}`drawn/question.py <../book/examples/service/drawn/question.py>`, it is a survey of three questions: the phone draws one, once, and its account keeps the draw ({ref}`sec-survey-drawn`).
#
# (sec-deploy-list)=
# ## Before release
#
# - *Promise:* it says what ε covers: a report, a day or a lifetime.
# - *Budget:* the phone counts it; the server cannot raise it.
# - *Memory:* on disk, surviving updates, in encrypted backups.
# - *Coins:* `SystemRandom`, no seed.
# - *Numbers:* no noise in floats, thresholds rounded.
# - *Public part:* the phone draws it.
# - *Message:* one length; a fixed hour, well after the draw; the same bytes again.
# - *Server:* it refuses malformed messages; it keeps no address, time or order.
# - *Liars:* you know `influence`, and the number of reports per attacker.
# - *Test:* `prove` for the bytes sent, `audit` for a program you can only run ({ref}`sec-verify-audit`).
#
# (sec-deploy-wrong)=
# ## What can go wrong
#
# - *Somebody reinstalls the app.*
#   Without a backup, ε is spent again.
# - *Another team asks nearly the same question.*
#   Its budget adds to yours.
#
# (sec-deploy-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 6 minutes)
# Let $\varepsilon = \frac12$ and $f = \frac12$.
# Of Ben's ten fresh replies, seven say yes.
# What does the server believe?
# By how many must yes replies lead for a belief of 99 %?
# If Ben smokes, when does the mean lead reach this?
# :::
#
# :::{dropdown} Solution
# By {eq}`eq-deploy-belief` the odds are $e^{(14-10)/2} = e^2 = 7.4$, so the belief is $7.4/8.4 = 0.88$.
# Odds of 99 need $2a - t \ge 2\ln 99 = 9.2$.
# As $2a - t$ is even or odd with $t$, this is a lead of ten for an even $t$, and of eleven for an odd one.
# By {eq}`eq-deploy-drift`, the mean of $2a - t$ is $t\tanh\frac14 = 0.245\,t$, which passes 9.2 after 38 mornings.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Some people do not want to answer, and more of them smoke.
# Write a client for three values, no, yes and "no answer", that always sends a report.
# Write an estimator of the share of smokers among those who answer.
# :::
#
# :::{dropdown} Solution
# Use k-RR with three symbols: it is ε-LDP for all three values.
# With $p = e^\varepsilon/(e^\varepsilon+2)$, each share is $\big(\text{reported share} - \frac{1-p}{2}\big)\big/\big(p - \frac{1-p}{2}\big)$, and the share among those who answer is yes divided by yes plus no.
# The code adds its standard error: to first order, a small change of the two shares moves $s = \text{yes}/(\text{yes}+\text{no})$ by $(1-s)$ times the change of yes, minus $s$ times that of no, divided by yes plus no.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def three(x, eps, rng):
    """0 no, 1 yes, 2 no answer; kept, or one of the others."""
    if toss(odds(eps) / (odds(eps) + 2), rng):
        return x
    return pick([y for y in range(3) if y != x], rng)


def answering(reports, eps):
    p, q = exp(eps) / (exp(eps) + 2), 1 / (exp(eps) + 2)
    seen = np.eye(3)[reports]
    no, yes, _ = (seen.mean(0) - q) / (p - q)
    s = yes / (yes + no)
    moves = ((1 - s) * seen[:, 1] - s * seen[:, 0]) / ((p - q) * (yes + no))
    return s, moves.std() / sqrt(len(reports))


values = rng.choice(3, 20_000, p=[0.6, 0.2, 0.2]).tolist()
s, error = answering([three(x, EPS, rng) for x in values], EPS)
print(f"estimate {s:.3f} ± {error:.3f}, truth 0.250")
print(prove(three, range(3), rounded=False))

# %% [markdown]
# :::{admonition} Exercise 3 (think, 6 minutes)
# Ana has a phone and a tablet, each with an account of limit 1 and a remembered reply.
# What is her ε, what does the server see, and what would you change?
# :::
#
# :::{dropdown} Solution
# The two replies have independent coins, so her ε is 2.
# The server sees two reports; if both come under one name, equal replies multiply the odds by $e^2$ or divide them by it; unequal ones cancel.
# Let one device answer, or copy reply and account to the other, encrypted.
# :::
#
# ## Summary
#
# - Fresh replies reveal more every day; a remembered reply costs ε once, and ignores changes.
# - Predictable coins and floats undo a proof.
# - One forged report can stand for $e^\varepsilon/(e^\varepsilon-1)$ people or more.
# - All that an observer sees is the report.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $f$ | share of people who have something (of the population, for a random sample) |
# | $p$ | chance that a coin tells the truth; for bits, that the bit of the person's item is set |
# | $x$ | an item, or another value that one person has |
# | $y$ | one report |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $t$ | number of mornings (here only) |
# | $a$ | number of yes replies (here only) |
# | $z$ | score of a report (here only) |
# | $u$ | largest score of a report (here only) |
