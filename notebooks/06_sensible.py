# %% [markdown]
# (ch-sensible)=
# # Sensible estimates
#
# *From {cite:t}`wang2020consistency`, with {cite:t}`michelot1986projection` for the projection and {cite:t}`dempster1977em` for the likelihood.*
#
# :::{admonition} In one minute
# A private survey may tell you that minus eight percent of all patients are allergic to bees.
# This is no mistake: the estimate is right on average, but it sometimes falls below zero.
# You can set negative shares to 0, shift all shares, project them, or look for the shares that make the reports likeliest.
# No repair costs privacy.
# But every repair that forbids negative shares raises rare items on average.
# Sums and averages of such shares stay wrong, however many surveys you add.
# :::
#
# :::{zh}
# 本地化差分隐私下的无偏估计可能为负，总和也未必为一。
# 常用的修正有四种：截断、Norm（各项加同一常数）、Norm-Sub（投影到概率单纯形）和最大似然；它们都只是后处理，不消耗隐私预算。
# Norm 保持无偏；另外三种不允许负值，因而高估稀有项。
# 若某项无人拥有，截断的偏差约为标准误差的 0.40 倍，对许多调查取平均也不会消失。
# Norm-Sub 给出单纯形上欧氏距离最近的点，总平方误差不会增大；本课逐步证明这一点。
# 对 k-RR，无偏估计全部为正时，最大似然估计就是无偏估计；EM 算法每一步用贝叶斯公式更新份额，似然逐步趋于最大值。
# 求和、求平均与检验应使用无偏估计；只有最后单独展示一张份额表时，才使用 Norm-Sub 或最大似然。
# :::
#
# You need k-RR and OUE from {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from functools import partial
from math import exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import binom

from ldpnb import GRR, OUE, laws, same_law, toss
from ldpnb.chance import odds
from ldpnb.postprocess import channel, maximum_likelihood, norm_sub as package_norm_sub
from ldpnb_book import check, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb_book.studies import sensible as study

style()
rng = np.random.default_rng(1986)

# %% [markdown]
# (sec-sensible-survey)=
# ## Fewer than nobody
#
# A clinic asks its patients which of eight allergies troubles them most.
# Patients are a random sample: item $x$ has probability $\pi_x$.

# %%
ITEMS = "pollen", "mites", "cats", "nuts", "milk", "bees", "eggs", "fish"
PI = np.array([0.40, 0.25, 0.15, 0.10, 0.05, 0.03, 0.01, 0.01])
EPS = 0.5


# %% [markdown]
# OUE sends one bit per item.
# The bit of the person's own item is set with probability $p^* = \frac12$, and every other bit with probability $q^* = 1/(e^\varepsilon+1)$.


# %%
def oue(x, eps, rng):
    """One bit per item."""
    q = 1 / (odds(eps) + 1)  # odds(eps) is e^ε
    return tuple(toss(0.5 if item == x else q, rng) for item in ITEMS)


print(*(int(bit) for bit in oue("bees", EPS, rng)))

# %% [markdown]
# If $C_x$ of $n$ reports have the bit of item $x$ set, the estimate $\hat\pi_x = (C_x/n - q^*)/(p^*-q^*)$ is unbiased ({eq}`eq-freq-estimate`).
# Its standard error $\sigma_x$ is that of $C_x/n$, divided by $p^*-q^*$.


# %%
def server(reports, eps):
    """Unbiased estimates and their standard errors."""
    q = 1 / (exp(eps) + 1)
    share = np.mean(reports, axis=0)  # C/n
    error = np.sqrt(share * (1 - share) / len(reports))
    return (share - q) / (0.5 - q), error / (0.5 - q)


people = rng.choice(ITEMS, 5_000, p=PI)
reports = np.array([oue(x, EPS, rng) for x in people])
pi_hat, error = server(reports, EPS)
shown = [f"{a:.3f} ± {b:.3f}" for a, b in zip(pi_hat, error, strict=True)]
shown = [cell.replace("-", "−") for cell in shown]
table(pd.DataFrame({"item": ITEMS, "truth": PI, "estimate": shown}))

# %% [markdown]
# A negative share is not sensible, and neither is a sum other than 1.
# **What can the clinic do about this, and at what cost?**
#
# A repair costs no privacy, because it is computed from the reports alone ({prf:ref}`thm-post`).

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the client is OUE, and the server unbiased"}


def numbered(eps):
    """The client, with items as numbers."""
    return lambda x, rng: oue(ITEMS[x], eps, rng)


check(
    "Client",
    "eight items: the law of OUE in the package",
    same_law(numbered(EPS), OUE(k=8, epsilon=EPS), range(8)),
    control="the client at a hundredth more ε",
    caught=not same_law(numbered(EPS + 0.01), OUE(k=8, epsilon=EPS), range(8)),
)
told = laws(numbered(EPS), range(8))
expected = sum(t * float(c) * np.array(y) for t, one in zip(PI, told, strict=True) for y, c in one.items())
check(
    "Server",
    "expected bits of a report: the true shares",
    np.allclose(server([expected], EPS)[0], PI),
    control="uncorrected shares of bits",
    caught=np.abs(expected - PI).max() > 0.1,
)

# %% [markdown]
# (sec-sensible-clip)=
# ## Clipping
#
# *Clipping* moves an estimate to the nearest number in $[0, 1]$.
# No estimate moves away from the truth.
# But cutting at 0 biases the estimate (we neglect the cut at 1):
#
# $$ \E\big(\max(\hat\pi_x, 0) - \hat\pi_x\big) = \E\max(-\hat\pi_x, 0) \ge 0. $$ (eq-sensible-clip)
#
# The bias is the mean of what was cut off.
# For an item that nobody has, $\hat\pi_x$ is nearly normal around 0, with standard deviation $\sigma_x$.
# By symmetry, the bias is then $\frac12\,\E\,\lvert\hat\pi_x\rvert \approx 0.40\,\sigma_x$.
#
# The exact bias follows from the binomial distribution of $C_x$:


# %%
def cut_moments(pi, n, eps, low, high):
    """Exact mean and standard deviation of a cut estimate."""
    q = 1 / (exp(eps) + 1)
    C = np.arange(n + 1)
    chance = binom.pmf(C, n, pi / 2 + (1 - pi) * q)
    found = np.clip((C / n - q) / (0.5 - q), low, high)
    mean = chance @ found
    return mean, sqrt(chance @ (found - mean) ** 2)


mean, _ = cut_moments(0.01, n=1000, eps=1.0, low=0, high=1)
print(f"truth 0.010, mean of clipped estimates {mean:.3f}")

# %% [markdown]
# Let many such clinics average their estimates.
# The standard error of the average becomes small, but its bias stays ({numref}`fig-rr-clip`).

# %% mystnb={"figure": {"name": "fig-rr-clip", "caption": "Root mean square error of an average over clinics with 1,000 people each; OUE, ε = 1, truth 0.01. Lines: exact. Marks: 1,000 simulated averages."}, "image": {"alt": "Against 1 to 500 clinics, on logarithmic axes, the error of the unbiased average falls from 0.06 to 0.003; that of the clipped average levels off at 0.02."}}
pi, n, q, rows = 0.01, 1000, 1 / (exp(1) + 1), []
for name, low, high in (("unbiased", -9, 9), ("clipped", 0, 1)):
    mean, sd = cut_moments(pi, n, 1.0, low, high)
    for R in (1, 5, 20, 100, 500):
        exact = sqrt((mean - pi) ** 2 + sd**2 / R)
        C = rng.binomial(n, pi / 2 + (1 - pi) * q, (1000, R))
        found = np.clip((C / n - q) / (0.5 - q), low, high).mean(1)
        rows.append((name, R, exact, sqrt(np.mean((found - pi) ** 2))))
heads = ["estimate", "clinics", "error", "seen"]
data = pd.DataFrame(rows, columns=heads)
fig, ax = plt.subplots(figsize=(6.4, 3.5))
for y, kind in (("error", theory), ("seen", simulation)):
    look = kind("estimate", ["unbiased", "clipped"])
    sns.lineplot(data, x="clinics", y=y, ax=ax, **look)
ax.set(xscale="log", yscale="log", ylabel="error of the average")
plain_ticks(ax)
label_lines(ax)
plt.show()

# %% [markdown]
# (sec-sensible-norm)=
# ## Norm: one constant for all
#
# *Norm* adds the same number to all $k$ estimates so that they sum to 1:


# %%
def norm(pi_hat):
    """Shift all shares until they sum to 1."""
    return pi_hat + (1 - pi_hat.sum()) / len(pi_hat)


# %% [markdown]
# The expectation of the sum is 1, so the constant has expectation 0, and Norm is unbiased.
# Some shares stay negative.
# In unary encoding, the coins cause independent errors $\eta_x$, and Norm makes their squared sum smaller:
#
# $$ \sum_x \Big(\eta_x - \frac1k\sum_z \eta_z\Big)^2 = \sum_x \eta_x^2 - \frac1k\Big(\sum_x \eta_x\Big)^2. $$
#
# The last term has the expectation $\frac1k\sum_x \Var \eta_x$.
# So with eight items, Norm removes an eighth of the coins' expected squared error.
# The errors from sampling people already sum to 0, so Norm does not change them.
#
# (sec-freq-post)=
# ## Norm-Sub: the nearest sensible shares
#
# *Norm-Sub* shifts all shares as Norm does, sets negative ones to 0, and repeats this with those that remain {cite:p}`wang2020consistency`.


# %%
def norm_sub(pi_hat):
    """Subtract a constant, set negative shares to 0, repeat."""
    left = np.ones(len(pi_hat), bool)
    while True:
        tau = (pi_hat[left].sum() - 1) / left.sum()
        if (pi_hat[left] >= tau).all():
            return np.where(left, pi_hat - tau, 0)
        left &= pi_hat > tau


# %% [markdown]
# Shares that are not negative and sum to 1 form the *simplex*.
#
# :::{prf:theorem} Norm-Sub is the Euclidean projection
# :label: thm-norm-sub
# For any estimate $\hat\pi$, Norm-Sub ends at the point $\tilde\pi$ of the simplex that is nearest to $\hat\pi$.
# Every $\pi$ in the simplex, including the truth, is at least as near to $\tilde\pi$ as to $\hat\pi$.
# :::
#
# :::{prf:proof}
# 1. *Constants grow.*
#    Let $\tau_r$ be Norm-Sub's constant in round $r$.
#    Over the items of this round, the differences $\hat\pi_x - \tau_r$ sum to 1, so some item remains.
#    Leaving out the negative ones raises the sum, so over those of round $r+1$,
#
#    $$ \sum_x (\hat\pi_x - \tau_r) > 1 = \sum_x (\hat\pi_x - \tau_{r+1}), \qquad\text{hence}\qquad \tau_{r+1} > \tau_r. $$
#
#    Each round but the last drops an item, so the rounds end; let $\tau$ be the last constant.
#    Dropped items have $\hat\pi_x \le \tau_r \le \tau$, and remaining items have $\hat\pi_x \ge \tau$.
#    So $\tilde\pi_x = \max(\hat\pi_x - \tau,\, 0)$, and these sum to 1.
# 2. *Distances.*
#    Let $u_x = \max(\tau - \hat\pi_x, 0)$ be what is cut off.
#    Then $\hat\pi_x - \tilde\pi_x = \tau - u_x$ and $u_x\,\tilde\pi_x = 0$.
#    Take any $\pi$ in the simplex:
#
#    $$ \begin{aligned} \sum_x (\hat\pi_x - \tilde\pi_x)(\tilde\pi_x - \pi_x) &= \tau\,(1 - 1) - \sum_x u_x\,\tilde\pi_x + \sum_x u_x\,\pi_x \\ &= \sum_x u_x\,\pi_x \;\ge\; 0, \\[1ex] \sum_x (\hat\pi_x - \pi_x)^2 &= \sum_x (\hat\pi_x - \tilde\pi_x)^2 + \sum_x (\tilde\pi_x - \pi_x)^2 + 2\sum_x u_x\,\pi_x. \end{aligned} $$
#
#    So the squared distance from $\hat\pi$ to $\pi$ is at least that from $\hat\pi$ to $\tilde\pi$, and at least that from $\tilde\pi$ to $\pi$.
# :::
#
# So the total squared error cannot rise.
# But Norm-Sub is biased: rare items come out too large, and frequent ones too small.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the bias of clipping, and the projection"}
C, shares, q = np.arange(1001), (0, 0.01, 0.1), 1 / (exp(1) + 1)
cut = np.maximum(q - C / 1000, 0) / (0.5 - q)
below = [cut @ binom.pmf(C, 1000, q + t * (0.5 - q)) for t in shares]
lifted = [cut_moments(t, 1000, 1.0, 0, 1)[0] - t for t in shares]
check(
    "Clipping",
    "1,000 people: the bias is the mean of what was cut off; at share 0, it is 0.40 standard errors",
    np.allclose(lifted, below) and abs(below[0] * (0.5 - q) / sqrt(q * (1 - q) / 1000) - 0.399) < 0.002,
    control="no bias",
    caught=min(lifted) > 1e-4,
)


def begun(v):
    """Norm-Sub as some code has it: negative shares become zero first."""
    found = np.zeros(len(v))
    found[v > 0] = norm_sub(v[v > 0])
    return found


vectors = [v for v in rng.normal(0, 1, (2000, 8)) if v.max() > 0]
gap, other = (np.array([abs(f(v) - package_norm_sub(v)).max() for v in vectors]) for f in (norm_sub, begun))
check(
    "Norm-Sub",
    f"the rounds end at the projection, {len(vectors):,} random vectors",
    gap.max() < 1e-12 and all(v[v > 0].sum() < 1 for v, off in zip(vectors, other, strict=True) if off > 1e-9),
    control="begun by clipping",
    caught=other.max() > 0.1,
)

# %% [markdown]
# (sec-rr-mle)=
# ## Maximum likelihood
#
# *Maximum likelihood* takes the shares in the simplex under which the reports are likeliest.
#
# In k-RR,
#
# $$ \Pr[y] = \frac{\pi_y\,e^\varepsilon + (1-\pi_y)}{e^\varepsilon+k-1} = \frac{1 + (e^\varepsilon-1)\,\pi_y}{e^\varepsilon+k-1}. $$
#
# Up to a constant, the mean log-likelihood of $n$ reports and its derivatives are
#
# $$ L(\pi) = \sum_x \frac{C_x}{n}\,\ln\!\big(1 + (e^\varepsilon-1)\,\pi_x\big), \qquad \frac{\partial L}{\partial\pi_x} = \frac{C_x}{n}\cdot\frac{e^\varepsilon-1}{1 + (e^\varepsilon-1)\,\pi_x}. $$ (eq-sensible-derivative)
#
# Moving a little share from item $x$ to $z$ changes $L$ at the rate $\partial L/\partial\pi_z - \partial L/\partial\pi_x$.
# At the maximum, no such move helps, and only positive shares can be reduced.
# So there is a number $\lambda > 0$ with
#
# $$ \frac{\partial L}{\partial\pi_x} = \lambda \;\text{ where } \pi_x > 0, \qquad \frac{\partial L}{\partial\pi_x} \le \lambda \;\text{ where } \pi_x = 0. $$ (eq-sensible-first)
#
# As $L$ is concave, shares that satisfy this are also a maximum.
#
# Suppose that the first part holds for all items.
# Solve for $1 + (e^\varepsilon-1)\pi_x$, and sum over the $k$ items to find $\lambda$:
#
# $$ \begin{aligned} 1 + (e^\varepsilon-1)\,\pi_x &= \frac{C_x}{n}\cdot\frac{e^\varepsilon-1}{\lambda}, \\[1ex] k + e^\varepsilon - 1 &= \frac{e^\varepsilon-1}{\lambda}, \\[1ex] \pi_x &= \frac{(e^\varepsilon+k-1)\,C_x/n - 1}{e^\varepsilon-1}. \end{aligned} $$ (eq-sensible-inside)
#
# This is the unbiased estimate of k-RR.
# So if that lies in the simplex, it is the maximum.
# Otherwise, drop the items with negative shares, as in Norm-Sub, and repeat.
# If $k'$ items are left, and $n'$ reports name them, the last line of {eq}`eq-sensible-inside` holds with $k'$ and $n'$ for $k$ and $n$.
# Then $\lambda = \frac{n'}{n}\cdot\frac{e^\varepsilon-1}{k'+e^\varepsilon-1}$.
# An item is dropped if $C_x < n'/(k'+e^\varepsilon-1)$, and dropping it makes this bound larger.
# So in the end, the item's derivative at share 0, $\frac{C_x}{n}(e^\varepsilon-1)$, is below $\lambda$, as {eq}`eq-sensible-first` demands.
# For a yes-or-no question, maximum likelihood is clipping.
#
# Now let the weight $w_{i,x}$ be $e^\varepsilon$ if report $i$ supports $x$, and 1 if not.
# For all oracles of {ref}`ch-frequency`, $\Pr[y \mid x]$ is proportional to this weight, by the proof of {prf:ref}`thm-freq-privacy`.
# Up to a constant, the mean log-likelihood is
#
# $$ \bar L(\pi) = \frac1n \sum_{i=1}^n \ln s_i, \quad s_i = \sum_x \pi_x\,w_{i,x}, \quad \frac{\partial \bar L}{\partial\pi_x} = \frac1n \sum_{i=1}^n \frac{w_{i,x}}{s_i}. $$ (eq-sensible-any)
#
# Multiply the derivatives by $\pi_x$ and sum: the result is 1, so $\lambda = 1$ for $\bar L$ in {eq}`eq-sensible-first`.
# (For k-RR, $\bar L = L$ only on the simplex, so λ differs.)
#
# From each report, the *EM algorithm* {cite:p}`dempster1977em` computes by Bayes' rule how probable each item is under the current shares.
# This is $\pi_x\,w_{i,x}/s_i$; its average over the reports, $\pi_x\,\partial \bar L/\partial\pi_x$, is the next share.
#
# :::{prf:theorem} EM reaches the maximum
# :label: thm-em
# Let $\pi^*$ maximise $\bar L$.
# From equal shares, the gaps $\bar L(\pi^*) - \bar L(\pi)$ sum to at most $\ln k$ over all steps of EM, so they tend to 0.
# :::
#
# :::{prf:proof}
# Let $\pi^*$ have the sums $s^*_i$, and let $D = \sum_x \pi^*_x \ln(\pi^*_x/\pi_x)$ be its {term}`Kullback–Leibler divergence` from the current shares.
#
# 1. *$D$ is at least 0.*
#    As the logarithm is concave, $-D \le \ln \sum_x \pi^*_x\,\pi_x/\pi^*_x \le 0$.
# 2. *At $\pi^*$.*
#    Here $\partial \bar L/\partial\pi_x = 1$ where $\pi^*_x > 0$, so the $w_{i,x}/(n\,s^*_i)$ sum to 1 over $i$.
# 3. *One step.*
#    The current $\partial \bar L/\partial\pi_x$ multiplies $\pi_x$, so by concavity, $D$ falls by
#
#    $$ \begin{aligned} \sum_x \pi^*_x \ln \frac{\partial \bar L}{\partial\pi_x} &= \sum_x \pi^*_x \ln \sum_i \frac{w_{i,x}}{n\,s^*_i}\cdot\frac{s^*_i}{s_i} \\ &\ge \sum_i \sum_x \frac{\pi^*_x\,w_{i,x}}{n\,s^*_i} \ln\frac{s^*_i}{s_i} = \bar L(\pi^*) - \bar L(\pi). \end{aligned} $$
#
# 4. *All steps.*
#    At equal shares, $D \le \ln k$, so all gaps together are at most $\ln k$.
# :::


# %%
def em(reports, eps, steps):
    """The path of EM; a report is a row of supported items."""
    weight = 1 + (np.exp(eps) - 1) * np.array(reports)
    path = [np.full(weight.shape[1], 1 / weight.shape[1])]
    for _ in range(steps):
        posterior = path[-1] * weight
        posterior /= posterior.sum(1, keepdims=True)
        path.append(posterior.mean(0))
    return np.array(path)


# %% [markdown]
# {numref}`fig-sensible-triangle` shows 100 reports of k-RR over three items at $e^\varepsilon = 2$.

# %%
C = np.array([50, 32, 18])
raw = 4 * C / 100 - 1  # (e^ε + 2) C/n − 1
path = em(np.repeat(np.eye(3), C, axis=0), log(2), 200)
print("unbiased:          ", raw.round(3))
print("Norm-Sub:          ", norm_sub(raw).round(3))
print("maximum likelihood:", path[-1].round(3))

# %% mystnb={"figure": {"name": "fig-sensible-triangle", "caption": "The triangle is the simplex of three items. Grey curves: equal likelihood. Green dots: EM, from equal shares. Arrow: Norm-Sub, from the unbiased estimate to the nearest point."}, "image": {"alt": "A triangle with the corners pollen, mites and cats. The unbiased estimate lies below the edge from pollen to mites, in the middle of ovals. An arrow leads from it at a right angle to the edge. Dots lead from the middle of the triangle to another point of this edge, where an oval touches it."}}
corners = np.array([[0, 0], [1, 0], [0.5, sqrt(0.75)]])
x, y = np.linspace(-0.3, 1.3, 400), np.linspace(-0.4, 0.95, 400)
x, y = np.meshgrid(x, y)
third = y / corners[2, 1]
shares = np.stack([1 - x - third / 2, x - third / 2, third], axis=-1)
L = np.log(np.maximum(1 + shares, 1e-9)) @ C / 100
levels = [C / 100 @ np.log(1 + path[step]) for step in (0, 5, 15, 200)]

fig, ax = plt.subplots(figsize=(6.4, 4.6))
ax.set(aspect="equal", xlim=(-0.3, 1.3), ylim=(-0.36, 0.95))
ax.axis("off")
ax.contour(x, y, L, levels, colors="#999999", linewidths=0.8)
ax.fill(*corners.T, facecolor="#0072B2", alpha=0.1)
ax.plot(*(path @ corners).T, ".", linestyle="none", color="#009E73")
arrow = {"arrowstyle": "->", "color": "#D55E00", "linewidth": 1.8}
ax.annotate("", norm_sub(raw) @ corners, raw @ corners, arrowprops=arrow)
for name, point, move in (
    ("pollen", [1, 0, 0], (-46, -4)),
    ("mites", [0, 1, 0], (8, -4)),
    ("cats", [0, 0, 1], (8, -4)),
    ("unbiased", raw, (10, -4)),
    ("Norm-Sub", norm_sub(raw), (-110, 85)),
    ("maximum likelihood", path[-1], (-117, 125)),
):
    at = np.array(point) @ corners
    ax.plot(*at, "o", color="black", markersize=5)
    leader = {"arrowstyle": "-"} if move[1] > 0 else None
    ax.annotate(name, at, move, "data", "offset points", leader)
plt.show()

# %% [markdown]
# Norm-Sub subtracts the same amount from pollen and mites.
# Maximum likelihood leaves out the 18 reports for cats.
#
# For a small $\varepsilon$, EM needs thousands of steps; the package is faster.
# Here is the clinic's survey with all repairs:


# %%
def likeliest(reports, eps):
    """Maximum likelihood, by the package."""
    weight = 1 + (exp(eps) - 1) * reports
    return maximum_likelihood(weight, np.ones(len(reports))).shares


columns = {
    "truth": PI,
    "unbiased": pi_hat,
    "clipped": np.clip(pi_hat, 0, 1),
    "Norm": norm(pi_hat),
    "Norm-Sub": norm_sub(pi_hat),
    "max. likelihood": likeliest(reports, EPS),
}
shown = pd.DataFrame(columns, index=ITEMS)
shown.loc["sum"] = shown.sum()
shown = shown.map(lambda share: f"{share:.3f}".replace("-", "−"))
table(shown.rename_axis("item").reset_index())

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: EM, the likelihood of k-RR"}
ten = GRR(k=10, epsilon=1.0)
seen = ten.tally(ten.perturb(rng.choice(10, 2000, p=np.arange(10) / 45), rng=rng)).counts
of_ten = maximum_likelihood(channel(laws(ten, np.arange(10)))[0], seen).shares
climbed = em(np.repeat(np.eye(10), seen, axis=0), 1.0, 3000)
check(
    "EM",
    "2,000 people, k-RR, k = 10: EM and the package agree to 0.001",
    np.abs(climbed[-1] - of_ten).max() < 1e-3,
    control="EM stopped after 10 steps",
    caught=np.abs(climbed[10] - of_ten).max() > 1e-3,
)


def formula(C, e):
    """The first-order condition, solved: items with negative shares are left out."""
    left = np.ones(len(C), bool)
    while True:
        pi = ((e + left.sum() - 1) * C / C[left].sum() - 1) / (e - 1)
        if (pi[left] >= 0).all():
            return np.where(left, pi, 0)
        left &= pi > 0


samples = rng.multinomial(1000, [0.3, 0.2, 0.18, 0.16, 0.16], 300)
best = maximum_likelihood(1 + (exp(1) - 1) * np.eye(5), samples).shares
raws = ((exp(1) + 4) * samples / 1000 - 1) / (exp(1) - 1)
inside = (raws >= 0).all(1)
check(
    "Maximum likelihood",
    "300 tables of k-RR: the formula for the remaining items; inside the simplex, the unbiased estimate",
    max(np.abs(formula(C, exp(1)) - x).max() for C, x in zip(samples, best, strict=True)) < 1e-3
    and np.abs(raws - best)[inside].max() < 1e-3,
    control="Norm-Sub",
    caught=np.abs(package_norm_sub(raws) - best).max() > 0.01,
)

# %% [markdown]
# (sec-sensible-which)=
# ## Which repair?
#
# Suppose that 60 % of people have one item, 40 % another, and nobody the others ({numref}`fig-freq-post`).

# %%
REPAIRS = {
    "unbiased": lambda y: server(y, 1.0)[0],
    "clipped": lambda y: np.clip(server(y, 1.0)[0], 0, 1),
    "Norm-Sub": lambda y: norm_sub(server(y, 1.0)[0]),
    "max. likelihood": lambda y: likeliest(y, 1.0),
}

# %% mystnb={"figure": {"name": "fig-freq-post", "caption": "Left: the sum of all rare shares, whose truth is 0. Right: root of the total squared error. OUE, ε = 1, 1,000 people. Marks, joined by lines: means of 100 simulated surveys, with 95 % intervals."}, "image": {"alt": "Against 2 to 32 rare items. Left: the unbiased sum stays around 0; the clipped sum grows to 0.75, those of Norm-Sub and maximum likelihood to 0.14. Those two nearly coincide. Right: the total error grows to 0.35 for the unbiased estimate, to 0.25 for clipping, and to 0.14 for the other two."}}
sizes = [2, 4, 8, 16, 32]
oue_of = partial(OUE, epsilon=1.0)
runs = study.rare_items(REPAIRS, oue_of, sizes, n=1000, rng=rng)
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.7))
measures = "sum of rare shares", "total error"
for ax, y in zip(axes, measures, strict=True):
    for kind in (theory, simulation):
        look = kind("estimate", [*REPAIRS])
        sns.lineplot(runs, x="rare items", y=y, ax=ax, **look)
    ax.set(xscale="log", xticks=sizes, xticklabels=sizes)
    ax.minorticks_off()
axes[1].set(ylim=(0, None))
label_lines(axes)
plt.show()

# %% [markdown]
# Each clipped item adds its bias of $0.40\,\sigma_x$.
# For an item that nobody has, every estimate that is never negative has a positive mean, unless it is always 0.
# In Norm-Sub and maximum likelihood, frequent items lose what rare ones gain.
# {cite:t}`khodaie2025post` compare seven repairs.
#
# | You publish | Take |
# |---|---|
# | sums over items, averages over surveys, trends | the unbiased estimate or Norm |
# | a ranking | the unbiased estimate; Norm-Sub keeps its order |
# | one list of shares, to look at | Norm-Sub or maximum likelihood |
#
# (sec-sensible-wrong)=
# ## What can go wrong
#
# - *Repaired shares are averaged.*
#   Publish unbiased shares, and repair last.
# - *Norm-Sub begins by clipping.*
#   If the positive shares sum to less than 1, it can end at another point.
# - *EM stops early.*
#   Then its shares are too equal, above all for a small $\varepsilon$.
#
# (sec-sensible-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 7 minutes)
# Of 100 reports of k-RR over three items at $e^\varepsilon = 2$, 45 say pollen, 40 mites and 15 cats.
# Find the unbiased estimate, Norm-Sub and maximum likelihood.
# :::
#
# :::{dropdown} Solution
# The unbiased estimate is $4\,C_x/n - 1$: 0.8, 0.6 and −0.4.
#
# Norm-Sub: the sum is 1, so the first constant is 0.
# Cats are dropped; the others sum to 1.4, and each loses 0.2: 0.6, 0.4 and 0.
#
# Maximum likelihood: cats are dropped; two items and 85 reports are left.
# So $\pi_x = (2+2-1)\,C_x/85 - 1$: 0.588, 0.412 and 0.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Half of the patients choose $\varepsilon = 2$ in place of 0.5, whatever their allergy, and their reports contain the choice.
# Write the client and an unbiased estimator.
# How do you find the maximum likelihood with `em`?
# :::
#
# :::{dropdown} Solution
# `server` is unbiased for the reports at each budget, and so is every average with weights that do not depend on the reports' bits.
# As in {ref}`sec-comp-personal`, good weights are one over the variance, for example over that of an item that nobody has ({prf:ref}`thm-oue`).
#
# In $w_{i,x}$, the budget is that of report $i$: give `em` a column of budgets.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def choosing(x, eps, rng):
    """The public budget, and the bits of OUE at this budget."""
    return eps, oue(x, eps, rng)


def weighted(budgets, bits):
    """Unbiased estimates, weighted by one over the variance for an item that nobody has."""
    weights = {eps: np.sum(budgets == eps) / np.sinh(eps / 2) ** -2 for eps in np.unique(budgets)}
    return sum(w * server(bits[budgets == eps], eps)[0] for eps, w in weights.items()) / sum(weights.values())


told = [choosing(x, (0.5, 2.0)[i % 2], rng) for i, x in enumerate(people)]
budgets, bits = np.array([eps for eps, _ in told]), np.array([y for _, y in told])
print("truth:     ", PI)
print("unbiased:  ", weighted(budgets, bits).round(2))
print("likeliest: ", em(bits, budgets[:, None], 500)[-1].round(2))

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes)
# Each of 300 towns publishes its eight shares after Norm-Sub, and a ministry averages them, weighted by the number of reports.
# Which items come out too large?
# Does it help if each town asks more people, or if more towns take part?
# :::
#
# :::{dropdown} Solution
# Rare items come out too large, and frequent ones too small, because shares sum to 1 in every town.
# With more people per town, the bias falls like a town's standard error; with more towns, it stays.
# The ministry should average unbiased shares, and apply Norm-Sub once, if at all.
# :::
#
# ## Summary
#
# - Repairs cost no privacy; a repair that forbids negative shares introduces bias.
# - Clipping raises an item that nobody has by 0.40 standard errors, and no average removes this bias.
# - Norm is unbiased; Norm-Sub gives the nearest shares in the simplex.
# - Maximum likelihood of k-RR is the unbiased estimate if that lies in the simplex; EM approaches the maximum.
# - Add and average unbiased estimates, and repair last.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $\pi$ | distribution of items or values, where a whole distribution is modelled |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $\sigma_x$ | standard error of $\hat\pi_x$ (here only) |
# | $\eta_x$ | error of $\hat\pi_x$ from the coins (here only) |
# | $\tilde\pi$ | shares after Norm-Sub (here only) |
# | $\tau$ | what Norm-Sub subtracts (here only) |
# | $r$ | a round of Norm-Sub (here only) |
# | $u_x$ | what Norm-Sub cuts off (here only) |
# | $L$ | mean log-likelihood (here only) |
# | $\bar L$ | the same for more oracles (here only) |
# | $\lambda$ | derivative at positive shares (here only) |
# | $k'$ | number of items left (here only) |
# | $n'$ | number of reports that name them (here only) |
# | $w_{i,x}$ | weight of item $x$ in report $i$ (here only) |
# | $s_i$ | sum of $\pi_x\,w_{i,x}$ over all items (here only) |
# | $\pi^*$ | shares at the maximum (here only) |
# | $D$ | divergence from $\pi^*$ (here only) |
#
# Next, {ref}`ch-onebit` sends one bit per person.
