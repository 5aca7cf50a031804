# %% [markdown]
# (ch-frequency)=
# # Frequency oracles
#
# *From {cite:t}`wang2017frequency`, {cite:t}`kairouz2016discrete` and {cite:t}`ye2018optimal`; the patients are from {cite:t}`ye2018survey` ({ref}`dossier <paper-ye2018>`).*
#
# :::{admonition} In one minute
# Everybody has one item of a list, and a server wants to know the share of each item.
# Five clients hide the item: one sends an item, two send a bit for each item, one a hashed item, and one a set.
# Each report supports some items, the person's own more often than any other.
# The server counts support and corrects for chance, in the same way for all five clients.
# Which client is best depends on the number of items and the budget.
# :::
#
# :::{zh}
# 每个人持有 $k$ 项之一，服务器想估计各项的频率；这样的机制称为频率预言机。
# 本课介绍五种客户端：k-RR 上报一项，一元编码（SUE、OUE）为每项上报一位，本地哈希（OLH）上报哈希槽，k-Subset 上报一个集合；它们都恰好满足 $\varepsilon$-本地化差分隐私。
# 每份报告“支持”若干项：支持本人所持项的概率为 $p^*$，支持其他任一项的概率为 $q^*$。
# 因此五种客户端共用同一个服务器：支持数减去偶然的部分，再除以 $p^*-q^*$，得到无偏估计及其标准误差。
# 对无人持有的项，每份报告的方差为 $q^*(1-q^*)/(p^*-q^*)^2$；使它最小的一元编码是 OUE，槽数为 $e^\varepsilon+1$ 的 OLH 与它相同。
# 当且仅当 $e^\varepsilon > (k-2)/3$ 时，k-RR 的方差小于 OUE；与 SUE 的分界只有在项数很多时才接近 $\frac23\ln k$。
# 若把项写成二进制码并逐位扰动，预算须分给各位，方差会大得多。
# :::
#
# You need ε-LDP and `laws` from {ref}`ch-rr`, and `prove` from {ref}`ch-verify`.
# As there, `odds(eps)` is $e^\varepsilon$, and `toss(p, rng)` is heads with probability $p$; `pick` draws from a list.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from math import exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import GRR, OLH, OUE, SUE, SubsetSelection, epsilon, laws, pick, prove, toss
from ldpnb.chance import odds
from ldpnb.oracles import best_size
from ldpnb_book import check, datasets, diagram, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb_book.studies import frequency as study

style()
rng = np.random.default_rng(2017)

# %% [markdown]
# (sec-freq-question)=
# ## Seven patients
#
# A study asks the seven patients of a ward for their main diagnosis, one *item* of a list of seven.

# %%
NAMES = "AIDS, asthma, breast cancer, depression, diabetes"
DISEASES = f"{NAMES}, hypertension, leukaemia".split(", ")
PATIENTS = ["Tom", "Mike", "Sally", "Abel", "Carl", "Helen", "David"]
THEIRS = [0, 1, 2, 4, 4, 4, 3]
for x, disease in enumerate(DISEASES):
    pairs = zip(PATIENTS, THEIRS, strict=True)
    print(x, disease, *(patient for patient, v in pairs if v == x))

# %% [markdown]
# Tom wants nobody to learn that he has AIDS, not even the server.
# **Can the server estimate the share $f_x$ of people with each item $x$?**
# A mechanism that answers this question is a *frequency oracle*.
#
# (sec-freq-clients)=
# ## Five clients
#
# **k-RR** extends randomized response to $k$ items {cite:p}`kairouz2016discrete`; the package calls it `GRR`, *generalized randomized response*.
# It reports the true item with $e^\varepsilon$ times the probability of any other item.
# With $\varepsilon = \ln 4$, Tom reports AIDS with probability 4/10, and each other disease with 1/10.
# In {ref}`ch-verify`, a blind draw gives the same law.

# %%
K, EPS = 7, log(4)
ITEMS = range(K)


def krr(x, items, eps, rng):
    """The true item, or one of the others."""
    if toss(odds(eps) / (odds(eps) + len(items) - 1), rng):
        return x
    return pick([v for v in items if v != x], rng)


# %% [markdown]
# **Unary encoding** sends a bit for each item.
# The bit of the person's item is set with probability $p$, and each other bit with $q < p$.
# *Symmetric* unary encoding (SUE) has $q = 1-p$, as in {cite:t}`erlingsson2014rappor`.
# *Optimised unary encoding* (OUE) has $p = \frac12$ {cite:p}`wang2017frequency`; {ref}`sec-freq-variance` gives the reason.


# %%
def unary(x, p, q, rng):
    """A bit for each item; the bit of x has probability p."""
    return tuple(toss(p if v == x else q, rng) for v in ITEMS)


def sue(x, eps, rng):
    p = odds(eps / 2) / (odds(eps / 2) + 1)
    return unary(x, p, 1 - p, rng)


def oue(x, eps, rng):
    return unary(x, 1 / 2, 1 / (odds(eps) + 1), rng)


# %% [markdown]
# **Local hashing** throws the items into $g$ slots, and applies k-RR to the slot of the person's item.
# With the best $g$, it is *optimised local hashing* (OLH) {cite:p}`wang2017frequency`.
# A *hash function* says which item goes to which slot.
# Each client draws its own, without looking at the item: three random numbers, the *seed*, select it.
# The report consists of the seed, which is public, and the slot from k-RR.


# %%
PRIME = 2**31 - 1


def hashed(x, seed, g, prime=PRIME):
    """The slot of item x, from 0 to g − 1."""
    u, v, w = seed
    return (u * x * x + v * x + w) % prime * g // prime


def olh(x, g, eps, rng, prime=PRIME):
    """A public seed, and the slot of x after k-RR."""
    seed = tuple(pick(range(prime), rng) for _ in range(3))
    return seed, krr(hashed(x, seed, g, prime), range(g), eps, rng)


# %% [markdown]
# Fix two items, and the first number of the seed, needed only for three items.
# Different choices of the other two numbers give different pairs of values modulo the prime, so the two values are independent and uniform.
# So are the two slots, up to one part in $10^7$ because $g$ does not divide the prime; we neglect this.
#
# **k-Subset** sends a set of $b$ items {cite:p}`wang2016mutual,ye2018optimal`.
# A set that contains the true item has $e^\varepsilon$ times the probability of a set that does not.


# %%
def subset(x, items, b, eps, rng):
    """A set of b items, which contains x or not."""
    weight = b * odds(eps)
    inside = toss(weight / (weight + len(items) - b), rng)
    chosen, left = {x} if inside else set(), [v for v in items if v != x]
    while len(chosen) < b:
        v = pick(left, rng)
        left.remove(v)
        chosen.add(v)
    return frozenset(chosen)


# %% [markdown]
# Each report *supports* some items: the item sent, the items whose bits are set, the items in the slot sent, or the members of the set.
# {numref}`fig-freq-schematic` shows an example.

# %% mystnb={"figure": {"name": "fig-freq-schematic", "caption": "First row: Abel's item, 4 (diabetes). Other rows: the items that one report of each client supports."}, "image": {"alt": "Six rows of seven squares. In the row Abel, square 4 is filled. Filled below: square 2 for k-RR; 1, 4 and 5 for SUE; 1 and 4 for OUE; 3 and 4 for OLH; 1 and 2 for k-Subset."}}
G, B = 5, 2  # slots, and items in a set
CLIENTS = {
    "k-RR": lambda x, eps, rng: krr(x, ITEMS, eps, rng),
    "SUE": sue,
    "OUE": oue,
    "OLH": lambda x, eps, rng: olh(x, G, eps, rng),
    "k-Subset": lambda x, eps, rng: subset(x, ITEMS, B, eps, rng),
}


def supported(name, y):
    """The items that a report supports."""
    if name == "OLH":
        seed, slot = y
        return {v for v in ITEMS if hashed(v, seed, G) == slot}
    if name in ("SUE", "OUE"):
        return {v for v in ITEMS if y[v]}
    return {y} if name == "k-RR" else y


abel, sketch = THEIRS[3], np.random.default_rng(21)
rows = {"Abel": [v == abel for v in ITEMS]}
for name, client in CLIENTS.items():
    said = supported(name, client(abel, EPS, sketch))
    rows[name] = [v in said for v in ITEMS]
diagram.cells(rows, numbers=["item 0", *range(1, K)])
plt.show()

# %% [markdown]
# (sec-freq-privacy)=
# ## Privacy
#
# :::{prf:theorem} Budgets of the five clients
# :label: thm-freq-privacy
# k-RR, OLH with $g \ge 2$ slots, and k-Subset with $1 \le b < k$ are exactly ε-LDP.
# Unary encoding with $0 < q < p < 1$ and $k \ge 2$ is exactly ε-LDP for
#
# $$ e^\varepsilon = \frac{p}{q}\cdot\frac{1-q}{1-p}. $$ (eq-freq-unary)
#
# :::
#
# :::{prf:proof}
# 1. *k-RR.*
#    Under every item, a report has one of two probabilities, with ratio $e^\varepsilon$.
#    The report $x$ has the larger one under $x$, and the smaller one under every other item.
# 2. *OLH.*
#    The seed does not depend on the item.
#    Given the seed, the slot is a k-RR report.
#    If the seed puts two items in different slots, the report of the first item's slot has the ratio $e^\varepsilon$.
# 3. *k-Subset.*
#    There are $\binom{k-1}{b-1}$ sets with $x$ and $\binom{k-1}{b}$ sets without $x$.
#    The set sent contains $x$ with probability $b\,e^\varepsilon/(b\,e^\varepsilon+k-b)$.
#    So a set with $x$ has a larger probability than a set without $x$, by the factor
#
#    $$ \frac{b\,e^\varepsilon}{k-b}\cdot\frac{\binom{k-1}{b}}{\binom{k-1}{b-1}} = \frac{b\,e^\varepsilon}{k-b}\cdot\frac{k-b}{b} = e^\varepsilon. $$
#
#    Both probabilities are the same for every $x$.
#    So a set has the ratio $e^\varepsilon$ between an item in it and an item outside; both exist, because $1 \le b < k$.
# 4. *Unary encoding.*
#    Under two items, only the bits of these two have different probabilities.
#    The ratio is largest if the bit of the first item is set and that of the second is not, which gives {eq}`eq-freq-unary`.
# :::
#
# In {eq}`eq-freq-unary`, both factors are $e^{\varepsilon/2}$ for SUE.
# For OUE, $p/(1-p) = 1$ and $(1-q)/q = e^\varepsilon$.
#
# `prove` confirms the theorem for our clients; for OLH, it goes through all seeds of a small prime.


# %%
def small_olh(x, eps, rng):
    return olh(x, 2, eps, rng, prime=5)


for name, client in {**CLIENTS, "OLH": small_olh}.items():
    items = range(4) if name == "OLH" else ITEMS
    found = prove(client, items, rounded=False)
    print(f"{name:<9} exactly ε for every ε: {found.tight}")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the exact ε at one budget, with a telling order as control"}
def in_order(x, rng):
    """A mistake: the set is sent as a list, in the order in which it was drawn."""
    y = subset(x, ITEMS, B, EPS, rng)
    return (x, *sorted(y - {x})) if x in y else tuple(sorted(y))


def spent(client):
    return epsilon(laws(client, ITEMS))


exact = [spent(lambda x, rng, c=c: c(x, EPS, rng)) for name, c in CLIENTS.items() if name != "OLH"]
exact.append(epsilon(laws(lambda x, rng: small_olh(x, EPS, rng), range(4))))
check(
    "Privacy",
    "five clients: exactly ε",
    max(abs(found - EPS) for found in exact) < 1e-12,
    control="a set sent as a list that begins with the person's item",
    caught=spent(in_order) > EPS + 0.1,
)

# %% [markdown]
# (sec-freq-pure)=
# ## One server
#
# :::{prf:definition} Pure oracle
# :label: def-pure
# An oracle is *pure* (a {term}`pure protocol`) if a report supports the person's own item with probability $p^*$, and any other item with probability $q^* < p^*$, whatever the items are {cite:p}`wang2017frequency`.
# :::
#
# All five oracles are pure.
# For k-RR and unary encoding, $p^*$ and $q^*$ are the probabilities in the code.
# In OLH, the slot of another item is uniform, and independent of the slot of $x$ and of the coins of k-RR.
# So it equals the sent slot with probability $q^* = 1/g$.
#
# A report of k-Subset supports exactly $b$ items.
# The true item contributes $p^*$ to the expected number, and each of the other $k-1$ items $q^*$:
#
# $$ b = p^* + (k-1)\,q^*, \qquad\text{so}\qquad q^* = \frac{b-p^*}{k-1}. $$
#
# | | $p^*$ | $q^*$ |
# |---|---|---|
# | k-RR | $\dfrac{e^\varepsilon}{e^\varepsilon+k-1}$ | $\dfrac{1}{e^\varepsilon+k-1}$ |
# | SUE | $\dfrac{e^{\varepsilon/2}}{e^{\varepsilon/2}+1}$ | $\dfrac{1}{e^{\varepsilon/2}+1}$ |
# | OUE | $\dfrac12$ | $\dfrac{1}{e^\varepsilon+1}$ |
# | OLH | $\dfrac{e^\varepsilon}{e^\varepsilon+g-1}$ | $\dfrac1g$ |
# | k-Subset | $\dfrac{b\,e^\varepsilon}{b\,e^\varepsilon+k-b}$ | $\dfrac{b-p^*}{k-1}$ |


# %%
def chances(k, eps, g, b):
    """p* and q* of each oracle."""
    e, root = exp(eps), exp(eps / 2)
    p_set = b * e / (b * e + k - b)
    return {
        "k-RR": (e / (e + k - 1), 1 / (e + k - 1)),
        "SUE": (root / (root + 1), 1 / (root + 1)),
        "OUE": (1 / 2, 1 / (e + 1)),
        "OLH": (e / (e + g - 1), 1 / g),
        "k-Subset": (p_set, (b - p_set) / (k - 1)),
    }


# %% [markdown]
# Of $n$ people, $n f_x$ have item $x$.
# Let $C_x$ be the number of reports that support it.
# Then
#
# $$ \E\,C_x = n\,\big(f_x\,p^* + (1-f_x)\,q^*\big) = n\,\big(q^* + f_x\,(p^*-q^*)\big). $$
#
# We replace the expectation by the observed count, and solve for $f_x$:
#
# $$ \hat f_x = \frac{C_x/n - q^*}{p^*-q^*}. $$ (eq-freq-estimate)
#
# This estimate is the average of the reports' scores.
# For the score of a report, put 1 in place of $C_x/n$ if it supports $x$, and 0 if not.
# If people are a random sample, the standard error of this average is the standard deviation of the scores, divided by $\sqrt n$.


# %%
def server(sets, k, p_star, q_star):
    """Estimated shares of k items, and their standard errors."""
    support = np.array([[v in y for v in range(k)] for y in sets])
    score = (support - q_star) / (p_star - q_star)
    return score.mean(0), score.std(0) / sqrt(len(sets))


# %% [markdown]
# We draw 6,000 people from an invented population; each runs all five clients, and so spends $5 \ln 4$.

# %%
SHARES = [0.05, 0.15, 0.10, 0.20, 0.30, 0.20, 0.0]
people = rng.choice(K, 6000, p=SHARES).tolist()
columns = {"item": DISEASES, "truth": SHARES}
for name, client in CLIENTS.items():
    sets = [supported(name, client(x, EPS, rng)) for x in people]
    estimate = server(sets, K, *chances(K, EPS, G, B)[name])
    pairs = zip(*estimate, strict=True)
    columns[name] = [f"{f:.3f} ± {s:.3f}" for f, s in pairs]
    columns[name] = [cell.replace("-", "−") for cell in columns[name]]
table(pd.DataFrame(columns))

# %% [markdown]
# An estimate can be negative, as for leukaemia; {ref}`ch-sensible` says what to do.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: p* and q* from the clients' laws, and the server's expectation"}
def support_of(name, client, items):
    """Probability that a report from x supports v, as a matrix (x, v), from the client's law."""
    found = np.zeros((len(items), len(items)))
    for x, told in enumerate(laws(client, items)):
        for y, chance in told.items():
            found[x, [v for v in supported(name, y) if v in items]] += float(chance)
    return found


def far(found, p_star, q_star):
    """Largest distance from p* on the diagonal and q* beside it."""
    return np.abs(found - np.where(np.eye(len(found)) == 1, p_star, q_star)).max()


def hashing(slots):
    """The same for OLH with the prime 5."""
    found = np.zeros((4, 4))
    for x, told in enumerate(laws(lambda x, rng: olh(x, slots, EPS, rng, prime=5), range(4))):
        for (seed, slot), chance in told.items():
            found[x] += float(chance) * np.array([hashed(v, seed, slots, 5) == slot for v in range(4)])
    return found


right = chances(K, EPS, 5, B)
matrices = {
    name: support_of(name, lambda x, rng, c=c: c(x, EPS, rng), ITEMS) for name, c in CLIENTS.items() if name != "OLH"
}
matrices["OLH"] = hashing(5)
check(
    "Pure",
    "p* and q* of five clients as in the table, every pair of items",
    max(far(matrices[name], *right[name]) for name in right) < 1e-12,
    control="for OLH, q* of k-RR over slots",
    caught=far(matrices["OLH"], right["OLH"][0], (1 - right["OLH"][0]) / 4) > 0.01,
)
check(
    "Equal slots",
    "OLH, prime 5, five slots: q* is 1/5",
    far(hashing(5), *right["OLH"]) < 1e-12,
    control="three slots, which do not divide 5",
    caught=far(hashing(3), *chances(4, EPS, 3, B)["OLH"]) > 1e-3,
)

# %% [markdown]
# (sec-freq-variance)=
# ## How precise?
#
# If people are fixed, $C_x$ is a sum of $n$ independent coins: $n f_x$ of them have probability $p^*$, the others $q^*$.
# Their variances add up, and {eq}`eq-freq-estimate` divides by $n\,(p^*-q^*)$.
# This proves:
#
# :::{prf:theorem} Estimates of pure oracles
# :label: thm-pure
# For fixed people with independent coins, $\E \hat f_x = f_x$ and
#
# $$ n \Var \hat f_x = \frac{f_x\,p^*(1-p^*) + (1-f_x)\,q^*(1-q^*)}{(p^*-q^*)^2}. $$
#
# :::
#
# If people are a random sample and $f_x$ is the population's share, sampling adds $f_x(1-f_x)$.
# Most items on a long list are rare, so we compare oracles by the variance per report for an item that nobody has:
#
# $$ n \Var \hat f_x = \frac{q^*(1-q^*)}{(p^*-q^*)^2}. $$ (eq-freq-rare)
#
# For k-RR, the table gives
#
# $$ \frac{e^\varepsilon+k-2}{(e^\varepsilon+k-1)^2} \Big/ \Big(\frac{e^\varepsilon-1}{e^\varepsilon+k-1}\Big)^2 = \frac{e^\varepsilon+k-2}{(e^\varepsilon-1)^2}. $$ (eq-freq-krr)
#
# Nearly nobody has a rare item.
# So in unary encoding, most of the noise comes from zeros that are reported as 1.
#
# :::{prf:theorem} Optimised unary encoding
# :label: thm-oue
# Of all unary encodings with the same ε, OUE has the smallest variance {eq}`eq-freq-rare`:
#
# $$ n \Var \hat f_x = \frac{4\,e^\varepsilon}{(e^\varepsilon-1)^2}. $$
#
# :::
#
# :::{prf:proof}
# Let $r = q/(1-q)$ be the odds of another item's bit.
# By {eq}`eq-freq-unary`, the odds $p/(1-p)$ of the person's own bit are $e^\varepsilon r$, so
#
# $$ \begin{aligned} q &= \frac{r}{1+r}, \quad p = \frac{e^\varepsilon r}{1+e^\varepsilon r}, \quad p-q = \frac{r\,(e^\varepsilon-1)}{(1+r)(1+e^\varepsilon r)}, \\[1ex] \frac{q\,(1-q)}{(p-q)^2} &= \frac{(1+e^\varepsilon r)^2}{r\,(e^\varepsilon-1)^2} = \frac{4\,e^\varepsilon + (1-e^\varepsilon r)^2/r}{(e^\varepsilon-1)^2}. \end{aligned} $$
#
# The square vanishes for $e^\varepsilon r = 1$, that is, $p = \frac12$ and $q = 1/(e^\varepsilon+1)$.
# :::
#
# For SUE, $r = e^{-\varepsilon/2}$ gives $e^{\varepsilon/2}/(e^{\varepsilon/2}-1)^2$.
# For OLH, the table gives
#
# $$ \frac{g-1}{g^2} \Big/ \Big(\frac{(g-1)(e^\varepsilon-1)}{g\,(e^\varepsilon+g-1)}\Big)^2 = \frac{(e^\varepsilon+g-1)^2}{(g-1)(e^\varepsilon-1)^2}. $$
#
# This is the formula of the proof with $r = 1/(g-1)$.
# So $g = e^\varepsilon+1$ slots are best, and then OLH has the variance of OUE.
#
# {numref}`fig-freq-errors` compares the oracles for 64 items.
# There, $g$ is $e^\varepsilon+1$ rounded, and $b$ gives the smallest total error over all items; for a rare item alone, another $b$ can be better.

# %% mystnb={"figure": {"name": "fig-freq-errors", "caption": "Standard error for an item that nobody has, among 64 items, divided by that of OUE. Lines: formula. Marks, with 95 % intervals: 2,000 simulated surveys of 5,000 people each."}, "image": {"alt": "Lines against epsilon from 0.5 to 4, on a logarithmic axis. k-RR falls from 3 to 0.7, and crosses OUE, the line at 1, near epsilon 3. SUE rises from 1.01 to 1.5. k-Subset falls from 0.98 to 0.91 near epsilon 3, then joins k-RR. Marks of all five oracles lie on the lines."}}
CLASSES = [GRR, SUE, OUE, OLH, SubsetSelection]
KINDS = dict(zip(CLIENTS, CLASSES, strict=True))
MANY = 64


def best(eps):
    slots, size = round(exp(eps)) + 1, best_size(MANY, eps)
    return chances(MANY, eps, slots, size)


budgets = np.arange(0.5, 4.1, 0.5)
exact, runs = study.absent(best, KINDS, budgets, k=MANY, n=5000, rng=rng)
least = exact[exact["oracle"] == "OUE"].set_index("ε")["error"]
exact["ratio"] = exact["error"] / exact["ε"].map(least)
runs["ratio"] = runs["found"] / runs["ε"].map(least)
exact = exact[exact["oracle"] != "OLH"].replace("OUE", "OUE, OLH")
names = ["k-RR", "SUE", "OUE, OLH", "OLH", "k-Subset"]
fig, ax = plt.subplots()
sns.lineplot(exact, x="ε", y="ratio", ax=ax, **theory("oracle", names))
marks = simulation("oracle", [*KINDS], of="std")
sns.lineplot(runs, x="ε", y="ratio", ax=ax, **marks)
ax.set(yscale="log", xlabel="budget ε", ylabel="error / error of OUE")
ax.set_yticks([0.7, 1, 1.5, 2, 3], ["0.7", "1", "1.5", "2", "3"])
ax.minorticks_off()
label_lines(ax)
plt.show()

# %% [markdown]
# (sec-freq-cross)=
# ## Few items or many
#
# The variance of k-RR grows with $k$; those of OUE, OLH and SUE do not.
# We multiply them by $(e^\varepsilon-1)^2 = (e^{\varepsilon/2}-1)^2\,(e^{\varepsilon/2}+1)^2$, and compare:
#
# :::{prf:theorem} Where k-RR is better
# :label: thm-crossover
# For an item that nobody has, k-RR has a smaller variance than OUE {cite:p}`wang2017frequency` if and only if the first line holds, and than SUE if and only if the second does:
#
# $$ \begin{aligned} \text{OUE:} \quad e^\varepsilon + k - 2 &< 4\,e^\varepsilon, & \text{that is,}\quad k - 2 &< 3\,e^\varepsilon, \\ \text{SUE:} \quad e^\varepsilon + k - 2 &< e^{\varepsilon/2}\,\big(e^{\varepsilon/2}+1\big)^2, & \text{that is,}\quad k - 2 &< e^{3\varepsilon/2} + e^\varepsilon + e^{\varepsilon/2}. \end{aligned} $$
#
# :::
#
# For at most five items, both hold for every $\varepsilon > 0$.
# For many items, $e^{3\varepsilon/2}$ is the largest term, so SUE's boundary is near $\frac23 \ln k$ ({numref}`fig-freq-cross`).


# %% mystnb={"figure": {"name": "fig-freq-cross", "caption": "Above a line, k-RR has a smaller variance than the oracle named beside it, for an item that nobody has."}, "image": {"alt": "Budget epsilon from 0 to 8 against the number of items from 6 to 10,000 on a logarithmic axis. The line of OUE and OLH rises from 0.3 to 8.1, that of SUE from 0.3 to 6.1."}}
def boundary(k):
    """The ε at which k-RR and SUE have the same variance."""
    return 2 * log(max(np.roots([1, 1, 1, 2 - k]).real))


many = np.geomspace(6, 10**4, 50)
LINES = {"OUE, OLH": lambda k: log((k - 2) / 3), "SUE": boundary}
points = [(k, name, f(k)) for name, f in LINES.items() for k in many]
lines = pd.DataFrame(points, columns=["k", "against", "ε"])
fig, ax = plt.subplots(figsize=(6.4, 3.4))
sns.lineplot(lines, x="k", y="ε", ax=ax, **theory("against", [*LINES]))
ax.set(xscale="log", xlabel="number of items k", ylabel="budget ε")
plain_ticks(ax)
ax.set_xticks([10, 100, 1000, 10**4], ["10", "100", "1,000", "10,000"])
label_lines(ax)
plt.show()

# %% [markdown]
# Take k-RR if $k < 3\,e^\varepsilon + 2$.
# Otherwise, OUE has the simplest report, and for hundreds of items OLH has a shorter one.
# k-Subset, which is k-RR for $b = 1$, is more precise for moderate $k$; {ref}`ch-limit` shows that $b$ near $k/(e^\varepsilon+1)$ is best in total.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the best p, q and g, and where variances cross"}
def rare(p_star, q_star):
    return q_star * (1 - q_star) / (p_star - q_star) ** 2


e, r, slots = exp(EPS), np.geomspace(0.01, 10, 4001), np.linspace(2, 32, 30001)
unaries, hashes = rare(e * r / (1 + e * r), r / (1 + r)), rare(e / (e + slots - 1), 1 / slots)
least = 4 * e / (e - 1) ** 2
check(
    "Optimised",
    "least variance at odds of one for the person's bit, and at e^ε + 1 slots",
    max(abs(unaries.min() - least), abs(hashes.min() - least)) < 1e-4
    and max(abs(e * r[unaries.argmin()] - 1), abs(slots[hashes.argmin()] - e - 1)) < 0.01,
    control="SUE",
    caught=rare(*chances(K, EPS, G, B)["SUE"]) > least + 0.1,
)


def over(oracle, k, eps):
    """Variance of an oracle of the package, divided by that of k-RR."""
    return oracle(k=k, epsilon=eps).rare_variance / GRR(k=k, epsilon=eps).rare_variance


some = [6, 10, 20, 50, 100, 1000, 10**4]
check(
    "Crossing",
    "the package's oracles: equal on the boundaries for seven k, k-RR best for at most five items",
    all(max(abs(over(OUE, k, log((k - 2) / 3)) - 1), abs(over(SUE, k, boundary(k)) - 1)) < 1e-6 for k in some)
    and all(min(over(OUE, k, x), over(SUE, k, x)) > 1 for k in (2, 3, 4, 5) for x in (0.01, 0.1, 1, 4, 8)),
    control="(2/3) ln k as SUE's boundary; six items",
    caught=all(abs(over(SUE, k, 2 / 3 * log(k)) - 1) > 1e-3 for k in some) and over(OUE, 6, 0.01) < 1,
)

# %% [markdown]
# (sec-freq-fair)=
# ## Are happy marriages faithful?
#
# The 6,366 readers of {ref}`ch-rr` also rated their marriages, from 1 (very poor) to 5 (very good).
# Rating and affair together are one of ten items, with one budget for both answers; at $\varepsilon = 2$, we take k-RR.
#
# Let $f_\text{yes}$ be the share of readers who give a certain rating and had an affair, and $f_\text{no}$ of those who give it and had none.
# Among all who give it, the share $f_\text{yes}/(f_\text{yes}+f_\text{no})$ had an affair; we put in the estimates.
#
# From each report's score for “had an affair”, subtract the true ratio times the sum of its scores for both items.
# The average of these differences has expectation 0; divided by $\hat f_\text{yes}+\hat f_\text{no}$, it is the error of our estimate.
# So to first order, the standard error is the standard deviation of the differences, divided by $(f_\text{yes}+f_\text{no})\sqrt n$.
# It includes the sampling of readers; for these alone, it is a little smaller.


# %%
def ratio(sets, yes, no, p_star, q_star):
    """Share of `yes` among `yes` and `no`, and its standard error."""
    support = np.array([[yes in y, no in y] for y in sets])
    score = (support - q_star) / (p_star - q_star)
    has, total = score[:, 0], score.sum(1)
    share = has.mean() / total.mean()
    spread = np.std((has - share * total) / total.mean())
    return share, spread / sqrt(len(sets))


readers = datasets.fair().astype(int)
rating, affair = readers["marriage"], readers["affair"]
pairs = (2 * (rating - 1) + affair).tolist()
sets = [{krr(x, range(10), 2.0, rng)} for x in pairs]
rows = []
p_star, q_star = chances(10, 2.0, g=8, b=1)["k-RR"]  # g, b: for others
for i in (1, 2, 3, 4, 5):
    share, error = ratio(sets, 2 * i - 1, 2 * i - 2, p_star, q_star)
    true = affair[rating == i].mean()
    rows.append([i, f"{true:.2f}", f"{share:.2f} ± {error:.2f}"])
table(pd.DataFrame(rows, columns=["rating", "had an affair", "estimate"]))

# %% [markdown]
# The better the rating, the fewer readers had an affair; the private estimates agree, within about two standard errors.
# But few readers give the rating 1: there, even the standard error is unreliable.
#
# (sec-freq-wrong)=
# ## What can go wrong
#
# - *The order of a set reveals the item.*
#   The person's item is often drawn first, so sort the set before sending it.
# - *The seed depends on the item.*
#   A client that draws seeds until it likes the slot reveals the item.
# - *All clients have the same seed.*
#   Then the server cannot distinguish two items in one slot.
# - *Each bit of a binary code has a coin of its own.*
#   Two codes can differ in all bits, so the bits must share the budget.
#   For eight items at $\varepsilon = 1$, the variance {eq}`eq-freq-rare` is then at least 709; OUE has 3.7 (Exercise 2).
#
# (sec-freq-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 6 minutes)
# Each person has one of 1,000 words, and $e^\varepsilon = 3$.
# You want a 95 % interval of ± 0.01 for a word that nobody uses.
# How many people do you need with k-RR, and with OUE?
# :::
#
# :::{dropdown} Solution
# The interval is $\pm 1.96$ standard errors, so $n = (1.96/0.01)^2 = 38{,}416$ times the variance {eq}`eq-freq-rare`.
#
# $$ \begin{aligned} \text{k-RR:} \quad & \frac{3 + 998}{2^2} = 250.25, & n &= 9{,}613{,}604, \\ \text{OUE:} \quad & \frac{4\cdot 3}{2^2} = 3, & n &= 115{,}248. \end{aligned} $$
#
# :::
#
# :::{admonition} Exercise 2 (code, 9 minutes)
# Write eight items as codes of three bits.
# Write a client that applies randomized response with budget $\varepsilon/3$ to each bit, and its unbiased estimator of the shares.
# How large is the variance for an item that nobody has?
# Hint: multiply three scores.
# :::
#
# :::{dropdown} Solution
# Each bit is reported unchanged with probability $p = e^{\varepsilon/3}/(e^{\varepsilon/3}+1)$.
# A reported bit has the score $p/(2p-1)$ if it is the bit of item $x$, and $-(1-p)/(2p-1)$ if not.
# The mean of this score is 1 if the person's own bit is that of $x$, and 0 if not.
# The score for $x$ is the product of the three independent scores; its mean is 1 for the person's item, and 0 for the others.
# The average over all reports is the estimate.
#
# If the person's bit differs from that of $x$, its score has the mean square
#
# $$ \frac{(1-p)\,p^2 + p\,(1-p)^2}{(2p-1)^2} = \frac{p\,(1-p)}{(2p-1)^2} = \frac{e^{\varepsilon/3}}{(e^{\varepsilon/3}-1)^2}. $$
#
# If the bits agree, the variance is the same and the mean is 1, so the mean square is larger by 1.
# If nobody has $x$, at least one bit differs, so the product has mean 0, and its variance is the product of the mean squares:
#
# $$ n \Var \hat f_x \ge \left( \frac{e^{\varepsilon/3}}{(e^{\varepsilon/3}-1)^2} \right)^3. $$
#
# At $\varepsilon = 1$, the right-hand side is 709; for OUE, $n \Var \hat f_x$ is 3.7.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code, and a check of the variance"}
CODES = np.array([[v >> i & 1 for i in range(3)] for v in range(8)])


def coded(x, eps, rng):
    """Three bits of x, each reversed with probability 1/(1 + e^(ε/3))."""
    return tuple(int(toss(exp(eps / 3) / (1 + exp(eps / 3)), rng)) ^ 1 ^ int(bit) for bit in CODES[x])


def products(reports, eps):
    """Scores of the reports for the eight items."""
    p = exp(eps / 3) / (1 + exp(eps / 3))
    agree = np.array(reports)[:, None] == CODES
    return ((agree - (1 - p)) / (2 * p - 1)).prod(2)


def coded_server(reports, eps):
    """Estimated shares of the eight items, and their standard errors."""
    score = products(reports, eps)
    return score.mean(0), score.std(0) / sqrt(len(reports))


def of_bits(x, target, eps):
    """Mean and mean square of the score for `target`, from the law of a person with x."""
    told = laws(lambda x, rng: coded(x, eps, rng), [x])[0]
    score, chance = products([*told], eps)[:, target], np.array([float(q) for q in told.values()])
    return chance @ score, chance @ np.square(score)


f_hat, error = coded_server([coded(x, 1.0, rng) for x in people], 1.0)
print(*(f"{f:.2f} ± {s:.2f}".replace("-", "−") for f, s in zip(f_hat, error, strict=True)), sep=", ")
bound = (exp(1 / 3) / (exp(1 / 3) - 1) ** 2) ** 3
found = [of_bits(x, 5, 1.0) for x in range(8)]
print(f"bound {bound:.1f}, OUE {OUE(k=8, epsilon=1.0).rare_variance:.2f}")
check(
    "Codes",
    "eight items, ε = 1: unbiased, and no variance below the bound, which one person attains",
    all(abs(mean - (x == 5)) < 1e-9 for x, (mean, _) in enumerate(found))
    and min(square for _, square in found) > bound * (1 - 1e-9)
    and abs(found[2][1] / bound - 1) < 1e-9,
    control="the whole budget for each bit",
    caught=of_bits(2, 5, 3.0)[1] < bound / 10,
)

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes)
# A study wants the share of people with any of three rare diseases.
# It can add three OUE estimates, or ask by randomized response: “do you have one of the three?”
# Compare the variances.
# What does the server not learn from the question?
# :::
#
# :::{dropdown} Solution
# The bits of an OUE report have independent coins, so the three variances add up to about $12\,e^\varepsilon/(e^\varepsilon-1)^2$.
# The variance of randomized response is $e^\varepsilon/(e^\varepsilon-1)^2$, twelve times less.
# But the server does not learn how common each single disease is.
# :::
#
# ## Summary
#
# - k-RR, unary encoding, local hashing and k-Subset are exactly ε-LDP.
# - A report supports the person's own item with probability $p^*$, and any other with $q^*$; this gives one unbiased estimate for all clients.
# - The standard deviation of the scores gives the standard error.
# - Of all unary encodings, OUE has the least variance for an item that nobody has; OLH has the same variance, with shorter reports for long lists.
# - Take k-RR if $k < 3\,e^\varepsilon + 2$.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $g$ | number of slots of a hash function |
# | $b$ | number of items in a report of k-Subset (here only) |
# | $r$ | odds of another item's bit (here only) |
#
# Next, {ref}`ch-limit` asks whether any oracle can do better.
