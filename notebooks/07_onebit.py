# %% [markdown]
# (ch-onebit)=
# # One bit
#
# *From {cite:t}`bassily2015histograms`, {cite:t}`nguyen2016collecting`, {cite:t}`acharya2019hadamard` and {cite:t}`chen2016psda`; see also the {ref}`dossier of the survey <paper-ye2018>`.*
#
# :::{admonition} In one minute
# In a survey about a million items, you can answer with a single private bit.
# You draw a public card, with a plus or a minus sign beside each item.
# You report the sign beside your item, and sometimes you lie.
# If the cards are well chosen, the server can estimate all shares from these bits.
# This costs little precision if privacy is strict.
# If privacy is loose, longer reports are much better.
# :::
#
# :::{zh}
# 本课说明：每人只发送一个私有比特，就足以估计 $k$ 个项的频率。
# S-Hist 用一张公开的随机符号表：客户端随机取一行，以随机响应上报自己所持的项在该行的符号。
# 随机表的各列只是近似正交，由此产生的误差只随行数减小，与人数无关。
# Hadamard 矩阵的各列严格正交，因此估计无偏，$n$ 倍方差为 $c^2-f_x$；快速 Walsh–Hadamard 变换一次算出全部估计。
# Hadamard 响应不用公开的行号，报告本身就是一个私有的行号，方差相同。
# 每人有 $d \ge 2$ 个属性时，Harmony 随机抽取一个属性上报；在 $\varepsilon$ 约小于 $2\sqrt d$ 时，它优于划分预算。
# PCE 让每个人自选 $\varepsilon$；加权可以减小误差，但只有当 $\varepsilon$ 与所持的项无关时才无偏。
# :::
#
# You need randomized response from {ref}`ch-rr`, sums of budgets from {ref}`ch-composition`, `prove` from {ref}`ch-verify`, and OUE from {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import product
from math import exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.optimize import brentq

from ldpnb import (
    GRR,
    OUE,
    HadamardBit,
    HadamardResponse,
    SHist,
    epsilon,
    law,
    laws,
    minimax_risk,
    moments,
    pick,
    prove,
    toss,
)
from ldpnb.chance import odds
from ldpnb.kernels import fwht
from ldpnb_book import check, datasets, diagram, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb_book.studies import onebit as study

style()
rng = np.random.default_rng(2015)

# %% [markdown]
# (sec-onebit-question)=
# ## Seven parties
#
# An exit poll asks which of $k = 7$ parties people voted for.
# Vera voted for coral, *item* 2, and keeps this secret.
# Nobody voted for gold.

# %%
PARTIES = ["amber", "blue", "coral", "denim", "ecru", "fern", "gold"]
SHARES = [0.30, 0.05, 0.20, 0.10, 0.15, 0.20, 0.0]
K, EPS = len(PARTIES), log(3)
voters = rng.choice(K, 20_000, p=SHARES).tolist()

# %% [markdown]
# OUE would send seven bits.
# **Can the poll estimate all shares from one private bit per person?**
#
# (sec-onebit-shist)=
# ## A deck of cards
#
# The poll prints a public deck of cards.
# On every card, a fair coin gives each party the sign + or −.
# The deck is a table $\Phi$ with $R$ rows: $\Phi_{rx} = \pm1$ is the sign of item $x$ on card $r$.


# %%
def random_deck(R, k, rng):
    """R cards with k random signs."""
    return (1 - 2 * rng.integers(0, 2, (R, k))).tolist()


DECK, SIGN = random_deck(8, K, rng), {1: "+", -1: "−"}
for r in range(3):
    print(f"card {r}: ", *[SIGN[s] for s in DECK[r]])

# %% [markdown]
# Vera draws a card and looks up the sign of coral.
# She reports the card, and the sign by randomized response.
# The card does not depend on her vote, so only the sign must be randomized.
# This is S-Hist, a *succinct histogram* {cite:p}`bassily2015histograms`.


# %%
def one_bit(x, deck, eps, rng):
    """A public card, and the sign of x on it, true or not."""
    r = pick(range(len(deck)), rng)
    honest = toss(odds(eps) / (odds(eps) + 1), rng)
    return r, deck[r][x] if honest else -deck[r][x]


print("Vera reports", [one_bit(2, DECK, EPS, rng) for _ in range(5)])

# %% [markdown]
# Here $e^\varepsilon = 3$, so the sign is true with probability 3/4.
# In general, card $r$ and sign $z$ have the distribution (law)
#
# $$ \Pr[(r, z) \mid x] = \begin{cases} p/R & \text{for } z = \Phi_{rx}, \\ (1-p)/R & \text{for } z = -\Phi_{rx}, \end{cases} \qquad p = \frac{e^\varepsilon}{e^\varepsilon+1}. $$
#
# The ratio is $e^\varepsilon$: the client is ε-LDP with every deck, and exactly so if two items differ on some card.


# %%
def proof(client, deck, inputs=range(K)):
    """Whether a client with this deck is exactly ε-LDP for every ε."""

    def told(x, eps, rng):
        return client(x, deck, eps, rng)

    return prove(told, inputs, rounded=False).tight


print("exactly ε for every ε:", proof(one_bit, DECK))


# %% [markdown]
# Take a person with item $x$ who draws card $r$.
# The sign $z$ is true with probability $p$, so its mean is
#
# $$ p\,\Phi_{rx} - (1-p)\,\Phi_{rx} = (2p-1)\,\Phi_{rx} = \frac{\Phi_{rx}}{c}, \qquad c = \frac1{2p-1} = \frac{e^\varepsilon+1}{e^\varepsilon-1}. $$
#
# For each item $u$, give the report the *score* $c\,z\,\Phi_{ru}$.
# Each card has probability $1/R$, so the mean score is
#
# $$ G_{xu} = \frac1R \sum_r c\,\frac{\Phi_{rx}}{c}\,\Phi_{ru} = \frac1R \sum_r \Phi_{rx}\,\Phi_{ru}. $$ (eq-onebit-gram)
#
# For the person's own item, this is 1; for another, it averages random signs, and is near 0 with many cards.
# So the average score of all reports $(r_i, z_i)$ estimates the share of item $u$:
#
# $$ \hat f_u = \frac1n \sum_{i=1}^n c\,z_i\,\Phi_{r_i u}. $$ (eq-onebit-estimate)


# %%
def c(eps):
    """The size of a score."""
    return (exp(eps) + 1) / (exp(eps) - 1)


def server(reports, deck, eps):
    """Estimated shares, and their standard errors."""
    r, z = np.array(reports).T
    score = c(eps) * z[:, None] * np.array(deck)[r]
    return score.mean(0), score.std(0) / sqrt(len(z))


def lines(f_hat, error):
    """Estimates with their standard errors, as text."""
    both = zip(f_hat, error, strict=True)
    return [f"{f:.3f} ± {s:.3f}".replace("-", "−") for f, s in both]


shown = {"party": PARTIES, "truth": SHARES}
for R in (8, 4096):
    deck = DECK if R == 8 else random_deck(R, K, rng)
    reports = [one_bit(x, deck, EPS, rng) for x in voters]
    shown[f"{R:,} cards"] = lines(*server(reports, deck, EPS))
table(pd.DataFrame(shown))

# %% [markdown]
# With 8 cards, most estimates are wrong by many standard errors.
#
# :::{prf:theorem} S-Hist
# :label: thm-shist
# For a given deck, the score for item $u$ of a person with item $x$ has mean $G_{xu}$ and variance $c^2 - G_{xu}^2$.
# Over fair random decks that do not depend on the people, the estimate is unbiased, and
#
# $$ \Var \hat f_u = \frac{c^2 - f_u - (1-f_u)/R}{n} + \frac1R \sum_{x \ne u} f_x^2. $$
#
# :::
#
# :::{prf:proof}
# 1. *One deck.*
#    Scores are $\pm c$, so their squares are $c^2$; {eq}`eq-onebit-gram` gives their mean.
#    Given the deck, the estimate has mean $\sum_x f_x\,G_{xu}$, and its variance is the average of $c^2 - G_{xu}^2$ over people, divided by $n$.
# 2. *Random decks.*
#    For $x \ne u$, $G_{xu}$ averages $R$ independent fair signs: mean 0, variance $1/R$.
#    For two such items, $G_{xu}$ and $G_{x'u}$ are uncorrelated: different cards are independent with mean 0, and on one card the sign of $u$ cancels from the product, which has mean 0.
#    The variance of the estimate is the mean of the variances in step 1, plus the variance of the means:
#
#    $$ \frac{f_u\,(c^2-1) + (1-f_u)\,(c^2-1/R)}{n} + \sum_{x \ne u} f_x^2 \cdot \frac1R. $$
#
# :::
#
# More people reduce only the first term.
# Only more cards reduce the second, the error of the deck ({numref}`fig-onebit-rows`).

# %% mystnb={"figure": {"name": "fig-onebit-rows", "caption": "Standard deviation of the estimate for gold against the number of cards. Lines: theorem. Marks: 200 simulated surveys, each with its own random deck; bars: 95 % intervals."}, "image": {"alt": "Two falling lines on logarithmic axes, for ten thousand and for a million people. Both begin at 0.16 with 8 cards. The first is flat at 0.02 from about 2,000 cards on, the second still falls at 32,768 cards, to 0.003. Marks lie on the lines."}}
CARDS, CROWDS = [8, 64, 512, 4096, 32768], [10**4, 10**6]


def spread(n, R):
    """The theorem, for an item that nobody has."""
    squares = sum(f**2 for f in SHARES)
    return sqrt((c(EPS) ** 2 - 1 / R) / n + squares / R)


grid = SHARES, CARDS, CROWDS
exact, runs = study.absent(SHist, spread, *grid, eps=EPS, rng=rng)
by = "people", [f"n = {n:,}" for n in CROWDS]
ax = sns.lineplot(exact, x="cards", y="error", **theory(*by))
marks = simulation(*by, of="std")
sns.lineplot(runs, x="cards", y="error", ax=ax, **marks)
ax.set(xlabel="cards R", ylabel="standard deviation")
ax.set(xscale="log", yscale="log")
plain_ticks(ax)
ax.set_xticks(CARDS, [f"{R:,}" for R in CARDS])
label_lines(ax)
plt.show()


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the law with one deck; the error over decks"}
def exact_of(client, deck, k, first=0):
    """ε, and mean and variance of the scores for k items, from the client's law at ε = 1."""

    def told(x, rng):
        return client(x, deck, 1.0, rng)

    def score(y):
        r, z = y if isinstance(y, tuple) else (y, 1)
        return c(1) * z * np.array(deck[r])[first : first + k]

    return epsilon(laws(told, range(k))), *moments(told, range(k), score=score)


few = [[1, 1, -1], [1, -1, -1], [-1, 1, 1], [1, 1, 1]]
gram = np.array(few).T @ np.array(few) / 4
spent, mean, variance = exact_of(one_bit, few, 3)
check(
    "S-Hist",
    "four cards, exact law: ε = 1, mean G, variance c² − G²",
    np.allclose([spent, *mean.flat], [1, *gram.flat]) and np.allclose(variance, c(1) ** 2 - gram**2),
    control="mean 1 and 0, as for orthogonal columns",
    caught=np.abs(mean - np.eye(3)).max() > 0.1,
)
decks = [[[1 - 2 * (code >> 3 * r + x & 1) for x in range(3)] for r in range(2)] for code in range(64)]  # all, R = 2
grams = np.array([np.array(deck).T @ np.array(deck) / 2 for deck in decks])
f = np.array([0.5, 0.3, 0.2])
means, within = np.einsum("x,dxu->du", f, grams), np.einsum("x,dxu->du", f, c(1) ** 2 - grams**2) / 10
total = (c(1) ** 2 - f - (1 - f) / 2) / 10 + (np.sum(f**2) - f**2) / 2
check(
    "Tables",
    "all decks of two cards for three items: mean and variance",
    np.allclose(means.mean(0), f) and np.allclose(means.var(0) + within.mean(0), total),
    control="the person's own item counted among the others",
    caught=np.abs(means.var(0) + within.mean(0) - total - f**2 / 2).max() > 0.01,
)

# %% [markdown]
# (sec-onebit-hadamard)=
# ## The Hadamard bit
#
# We want $G_{xu} = 0$ for any two different items, that is, orthogonal columns.
# Start with a plus sign, and double:
#
# $$ H_1 = (1), \qquad H_{2R} = \begin{pmatrix} H_R & H_R \\ H_R & -H_R \end{pmatrix}. $$
#
# By induction, all columns of $H_{2R}$ are orthogonal.
# If two columns come from different columns of $H_R$, their inner product is 0 in either half.
# If they come from the same column, they differ in sign in the lower half: the inner products of the halves are $R$ and $-R$.
#
# For $k$ items, take the smallest power of two $R \ge k$, and give each item a column.
# S-Hist with such a *Hadamard matrix* ({numref}`fig-onebit-matrix`) is the *Hadamard bit* {cite:p}`nguyen2016collecting`.


# %%
def hadamard(R):
    """The R × R Hadamard matrix, as a deck of R cards."""
    deck = [[1]]
    while len(deck) < R:
        above = [row + row for row in deck]
        deck = above + [row + [-s for s in row] for row in deck]
    return deck


def order(k):
    """The smallest power of two that is at least k."""
    return 1 << (k - 1).bit_length()


# %% mystnb={"figure": {"name": "fig-onebit-matrix", "caption": "The Hadamard deck of eight cards: rows are cards, columns items, filled squares plus signs. Any two columns agree on four."}, "image": {"alt": "Eight rows of eight squares. Row 0 and column 0 are all filled. Row 1 alternates, row 2 alternates in pairs, row 4 in fours; the other rows are products of these."}}
plus = [[s == 1 for s in row] for row in hadamard(8)]
diagram.cells({f"card {r}": row for r, row in enumerate(plus)})
plt.show()

# %% [markdown]
# The client is `one_bit` with this deck.
# As columns are orthogonal, a score has mean 1 for the person's own item, and 0 for another.
# So its variance is $c^2-1$ or $c^2$, and on average over people:
#
# :::{prf:theorem} The Hadamard bit
# :label: thm-onebit
# With a deck of orthogonal columns, $\E \hat f_u = f_u$, and
#
# $$ n \Var \hat f_u = c^2 - f_u, \qquad c^2 = 1 + \frac{4\,e^\varepsilon}{(e^\varepsilon-1)^2}. $$
#
# :::
#
# Expanding both squares gives $c^2$.
#
# For a million items, nobody writes down $10^{12}$ signs.
# Let $Z_r$ be the sum of $c\,z_i$ over reports with card $r$.
# As the matrix is symmetric, the vector $H_R\,Z/n$ contains all estimates {eq}`eq-onebit-estimate`.
# For a vector of length $2R$, with halves $a$ and $b$,
#
# $$ H_{2R} \begin{pmatrix} a \\ b \end{pmatrix} = \begin{pmatrix} H_R\,(a+b) \\ H_R\,(a-b) \end{pmatrix}. $$
#
# This *fast Walsh–Hadamard transform* needs $R \log_2 R$ additions, $2 \cdot 10^7$ for a million items.


# %%
def transform(Z):
    """H Z, by halves."""
    if len(Z) == 1:
        return Z
    a, b = np.split(Z, 2)
    return np.concatenate([transform(a + b), transform(a - b)])


def estimate(r, signed, k, n):
    """Shares of k items and standard errors; `signed` is all c z."""
    Z = np.bincount(r, signed, minlength=order(k))
    f_hat = transform(Z)[:k] / n
    return f_hat, np.sqrt((np.sum(signed**2) / n - f_hat**2) / n)


def bit_server(reports, k, eps):
    """Estimates from the Hadamard bit."""
    r, z = np.array(reports).T
    return estimate(r, c(eps) * z, k, len(z))


# %%
reports = [one_bit(x, hadamard(8), EPS, rng) for x in voters]
shown["Hadamard bit"] = lines(*bit_server(reports, K, EPS))
table(pd.DataFrame(shown))


# %% [markdown]
# Eight cards are now enough.
#
# (sec-onebit-response)=
# ## Hadamard response
#
# *Hadamard response* sends only the number of a card {cite:p}`acharya2019hadamard`.
# As every card has a plus sign in column 0, item $x$ gets column $x+1$, and we need $R > k$.
# With probability $1/c$, the client draws a card uniformly from those with a plus sign in the item's column, and otherwise from all cards.


# %%
def response(x, deck, eps, rng):
    """A card, more likely one with + in column x + 1."""
    R = len(deck)
    plus = [r for r in range(R) if deck[r][x + 1] == 1]
    known = toss((odds(eps) - 1) / (odds(eps) + 1), rng)
    return pick(plus if known else range(R), rng)


def response_server(reports, k, eps):
    """Estimates from Hadamard response: each card counts as +."""
    signed = np.full(len(reports), c(eps))
    f_hat, error = estimate(reports, signed, k + 1, len(reports))
    return f_hat[1:], error[1:]


print("exactly ε for every ε:", proof(response, hadamard(8)))
reports = [response(x, hadamard(8), EPS, rng) for x in voters]
print(*lines(*response_server(reports, K, EPS)), sep=", ")

# %% [markdown]
# A draw from the $R/2$ plus cards takes each with probability $2/R$.
# So card $r$ has probability
#
# $$ \Pr[r \mid x] = \frac1c \cdot \frac{1+\Phi_{r,x+1}}{R} + \Big(1-\frac1c\Big)\frac1R = \frac1R \Big(1 + \frac{\Phi_{r,x+1}}{c}\Big). $$
#
# The two probabilities have the ratio $(c+1)/(c-1) = e^\varepsilon$, so the client is exactly ε-LDP.
# The score for item $u$ is $c\,\Phi_{r,u+1}$, with the mean
#
# $$ \sum_r \Pr[r \mid x]\;c\,\Phi_{r,u+1} = \frac cR \sum_r \Phi_{r,u+1} + \frac1R \sum_r \Phi_{r,x+1}\,\Phi_{r,u+1}. $$
#
# The first sum is 0, because column $u+1$ is orthogonal to column 0.
# The second term is 1 for $u = x$, and otherwise 0.
# So {prf:ref}`thm-onebit` holds here, too.
# The report has no sign, but the card is now private.
#
# For larger ε, the items are divided into blocks with a deck each (Exercise 1).

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: moments of both oracles, the transform"}
eight = hadamard(8)
spent, mean, variance = exact_of(one_bit, eight, 5)
check(
    "One bit",
    "exact law: ε = 1, unbiased, variance c² − 1 and c²",
    np.allclose([spent, *mean.flat], [1, *np.eye(5).flat]) and np.allclose(variance, c(1) ** 2 - np.eye(5)),
    control="rows drawn from the first five of eight",
    caught=np.abs(exact_of(one_bit, eight[:5], 5)[1] - np.eye(5)).max() > 0.1,
)
spent, mean, variance = exact_of(response, eight, 7, 1)
check(
    "Response",
    "the same",
    np.allclose([spent, *mean.flat], [1, *np.eye(7).flat]) and np.allclose(variance, c(1) ** 2 - np.eye(7)),
    control="columns 0 to 6 for the items",
    caught=np.abs(exact_of(response, eight, 7)[1] - np.eye(7)).max() > 0.1,
)
many = rng.integers(-(10**6), 10**6, 1024)
check(
    "Transform",
    "doubling = fwht = the table, 1,024 rows",
    np.array_equal(transform(many), fwht(many)) and np.array_equal(fwht(many), np.array(hadamard(1024)) @ many),
    control="rows in another order",
    caught=not np.array_equal(transform(many), np.array(hadamard(1024))[::-1] @ many),
)


# %% [markdown]
# (sec-onebit-all)=
# ## What one bit costs
#
# For an item that nobody has, $n \Var \hat f_u$ is $c^2$ with the Hadamard bit, and $c^2-1$ with OUE ({prf:ref}`thm-oue`).
# Adding 1 hardly matters for a small ε, where $c$ is large.
# {numref}`fig-onebit-noise` compares *risks* (the sum of $n \Var \hat f_u$ over all items, plus $1-1/k$ for drawing the people) with the limit of {ref}`ch-limit`.

# %% mystnb={"figure": {"name": "fig-onebit-noise", "caption": "Exact risk for 1,000 equally likely items, over the smallest possible risk (thin line at 1). Curves are cut at 3."}, "image": {"alt": "Risk over limit from 1 to 3 against epsilon from 0.25 to 6. The Hadamard bit rises from 1 to 1.3 at epsilon 1, 2.4 at 2 and leaves the chart near 2.3. Hadamard response rises in teeth to about 2. OUE stays between 1 and 1.2. k-RR comes down from 3 near epsilon 4.6 to 1.2 at 6."}}
KINDS = {"k-RR": GRR, "OUE": OUE, "Hadamard bit": HadamardBit}
KINDS["Hadamard response"] = HadamardResponse


def over_limit(name, k, eps):
    """Risk over limit: all variances, and what sampling people adds."""
    variances = KINDS[name](k=k, epsilon=eps).variance(np.arange(k))
    return (variances.sum() / k + 1 - 1 / k) / minimax_risk(k, eps)


grid = product(KINDS, np.arange(0.25, 6.1, 0.125))
points = [(a, eps, over_limit(a, 1000, eps)) for a, eps in grid]
frame = pd.DataFrame(points, columns=["oracle", "ε", "ratio"])
ax = sns.lineplot(frame, x="ε", y="ratio", **theory("oracle", [*KINDS]))
ax.axhline(1, color="black", linewidth=1, linestyle="-")
ax.set(ylim=(0.9, 3), xlabel="budget ε", ylabel="risk / limit")
label_lines(ax)
plt.show()

# %% [markdown]
# The Hadamard bit is close to the limit up to $\varepsilon = 0.5$, but at 2.4 times the limit for $\varepsilon = 2$.
# Up to $\varepsilon = \ln 2$, Hadamard response has the same curve.
# The authors' number of blocks, the smallest power of two $B \ge e^\varepsilon/2$, doubles at each tooth.
# This is too early (Exercise 1): the curve jumps up, most at $\ln 2$.
# The Hadamard bit sends one private bit, Hadamard response at least ten, and OUE 1,000.

# %% [markdown]
# (sec-onebit-harmony)=
# ## Several attributes
#
# Let each person have $d$ attributes.
# We could *split* the budget: a Hadamard bit with $\varepsilon/d$ for each attribute ({prf:ref}`thm-composition`).
# Harmony *samples* one attribute, which gets the whole budget {cite:p}`nguyen2016collecting`:


# %%
def split(record, decks, eps, rng):
    """A Hadamard bit for every attribute."""
    each = eps / len(record)
    both = zip(record, decks, strict=True)
    return tuple(one_bit(x, deck, each, rng) for x, deck in both)


def harmony(record, decks, eps, rng):
    """One attribute, and a Hadamard bit about its value."""
    j = pick(range(len(record)), rng)
    return j, *one_bit(record[j], decks[j], eps, rng)


# %% [markdown]
# The score of a value is $d\,c\,z\,\Phi_{ru}$ if its attribute was drawn, and 0 if not.


# %%
def harmony_server(reports, sizes, eps):
    """For each attribute, estimated shares and standard errors."""
    j, r, z = np.array(reports).T
    n, signed, found = len(z), len(sizes) * c(eps) * z, []
    for a, k in enumerate(sizes):
        found.append(estimate(r[j == a], signed[j == a], k, n))
    return found


# %% [markdown]
# The 6,366 readers of {ref}`ch-rr` answer one of three questions at $\varepsilon = 2$.

# %%
readers = datasets.fair()
ASKED = ["affair", "marriage", "religiosity"]
codes = [pd.factorize(readers[a], sort=True)[0] for a in ASKED]
sizes = [int(code.max()) + 1 for code in codes]
decks = [hadamard(order(k)) for k in sizes]
records = list(zip(*[code.tolist() for code in codes], strict=True))
print("exactly ε for every ε:", proof(harmony, decks, records[:3]))
reports = [harmony(record, decks, 2.0, rng) for record in records]
rows, found = [], harmony_server(reports, sizes, 2.0)
for name, code, answers in zip(ASKED, codes, found, strict=True):
    for value, text in enumerate(lines(*answers)):
        rows.append([name, value, f"{np.mean(code == value):.3f}", text])
heads = ["question", "value", "truth", "estimate"]
table(pd.DataFrame(rows, columns=heads))

# %% [markdown]
# :::{prf:theorem} Sampling against splitting
# :label: thm-harmony
# Let $d \ge 2$, and let each attribute have at least two values.
# Harmony is exactly ε-LDP for the whole record, and unbiased.
# For a value with share $f$, $n \Var \hat f$ is
#
# $$ d\,c(\varepsilon)^2 - f \;\text{ with sampling,} \qquad c(\varepsilon/d)^2 - f \;\text{ with splitting.} $$
#
# Sampling has the smaller variance for every ε below a turning point, and splitting above it.
# :::
#
# :::{prf:proof}
# 1. *Privacy and variance.*
#    The attribute is drawn without looking at the record, and the rest is a Hadamard bit.
#    A score is $\pm d\,c$ with probability $1/d$, and 0 otherwise, so its mean square is $d\,c^2$.
#    In the mean score, the factor $d$ cancels the chance $1/d$ of being drawn.
#    With splitting, {prf:ref}`thm-onebit` holds for each attribute, with $\varepsilon/d$ for ε.
# 2. *Turning point.*
#    Let $t = \varepsilon/(2d)$.
#    As $c(\varepsilon) = 1/\tanh(\varepsilon/2)$, sampling is better if and only if
#
#    $$ \frac{d}{\tanh^2 dt} < \frac{1}{\tanh^2 t}, \qquad\text{that is,}\qquad \frac{\tanh dt}{\tanh t} > \sqrt d. $$
#
#    This ratio decreases: the derivative of its logarithm is
#
#    $$ \frac{2d}{\sinh 2dt} - \frac{2}{\sinh 2t} < 0. $$
#
#    As $\sinh$ is strictly convex for positive numbers and 0 at 0, $\sinh 2dt > d \sinh 2t$.
#    So the ratio falls from $d$ at $t \to 0$ to 1 at $t \to \infty$, and passes $\sqrt d$ once.
# :::
#
# For small ε, $c(\varepsilon)$ is about $2/\varepsilon$, so splitting has $d$ times the variance of sampling.
# At the turning point for a large $d$, $c(\varepsilon)$ is about 1 and $c(\varepsilon/d)$ about $2d/\varepsilon$, so ε is about $2\sqrt d$:


# %%
def turning(d):
    """The ε at which sampling and splitting have the same variance."""
    return brentq(lambda eps: d * c(eps) ** 2 - c(eps / d) ** 2, 0.5, 50)


found = [f"d = {d}: ε = {turning(d):.2f}" for d in (2, 4, 8, 16)]
print(*found, sep=",  ")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: exact moments, the turning point, pairs"}
PEOPLE = [(0, 0), (1, 0), (1, 2), (0, 1)]
two = [hadamard(2), hadamard(4)]


def scores(report):
    j, r, z = report
    found = [np.zeros(2), np.zeros(4)]
    found[j] = 2 * c(1) * z * np.array(two[j][r])
    return np.concatenate(found)[:5]


hot = np.array([[x == 0, x == 1, y == 0, y == 1, y == 2] for x, y in PEOPLE])
mean, variance = moments(lambda x, rng: harmony(x, two, 1.0, rng), PEOPLE, score=scores)
check(
    "Harmony",
    "2 × 3 values, ε = 1: unbiased, variance 2c² − 1 and 2c²",
    np.allclose(mean, hot) and np.allclose(variance, 2 * c(1) ** 2 - hot),
    control="variance c², the attribute known beforehand",
    caught=np.abs(variance - (c(1) ** 2 - hot)).max() > 1,
)
grid = np.geomspace(0.05, 40, 400)
check(
    "Turning point",
    "sampling better below, splitting above",
    all((d * c(e) ** 2 < c(e / d) ** 2) == (e < turning(d)) for d in (2, 4, 8, 16) for e in grid),
    control="the point 2√d",
    caught=any((d * c(e) ** 2 < c(e / d) ** 2) != (e < 2 * sqrt(d)) for d in (2, 4, 8, 16) for e in grid),
)
aligned, crossed = [(0, 0), (1, 1)], [(0, 1), (1, 0)]  # the same shares, opposite associations


def drawn(people, how):
    return law(lambda rng: how(pick(people, rng), [hadamard(2)] * 2, 1.0, rng))


check(
    "Association",
    "people {00, 11} or {01, 10}: same law",
    drawn(aligned, harmony) == drawn(crossed, harmony),
    control="both variables at ε/2",
    caught=drawn(aligned, split) != drawn(crossed, split),
)

# %% [markdown]
# (sec-onebit-pce)=
# ## Personal budgets
#
# In *personalised count estimation* (PCE), each person $i$ chooses a level of privacy $\varepsilon_i$ {cite:p}`chen2016psda`.
# The level is public; the rest is a Hadamard bit with $\varepsilon_i$.


# %%
LEVELS = (0.1, 2.0)


def pce(x, level, deck, rng):
    """The level, and a bit with its ε."""
    return level, *one_bit(x, deck, LEVELS[level], rng)


# %% [markdown]
# The server uses {eq}`eq-onebit-estimate` with the person's own $c_i = c(\varepsilon_i)$.
# It may replace $1/n$ by weights $\omega_i$ with sum 1, as in {ref}`sec-comp-personal` (there, $h_i = 1/c_i$).
#
# With equal weights, the variances $c_i^2-1$ and $c_i^2$ of the scores add up.
# With other weights, given the levels, the mean of $\hat f_u$ is the total weight of the people with item $u$.
# If the levels are dealt to people at random, each weight has mean $1/n$, and this total has mean $f_u$.
# For an item that nobody has, the variance is $\sum_i \omega_i^2 c_i^2$, by Cauchy–Schwarz smallest where $\omega_i c_i \propto 1/c_i$.
#
# :::{prf:theorem} Personal budgets
# :label: thm-pce
# With orthogonal columns and equal weights $\omega_i = 1/n$, the estimate is unbiased for any choice of levels, and
#
# $$ n^2 \Var \hat f_u = \sum_i c_i^2 - n f_u. $$
#
# With weights that depend only on the levels, it is unbiased if the levels are dealt to people at random.
# For an item that nobody has, $\omega_i \propto 1/c_i^2$ has the smallest variance.
# :::


# %%
def pce_server(reports, k):
    """Estimates with equal weights, and with weights 1/c²."""
    level, r, z = np.array(reports).T
    c_i = np.array([c(eps) for eps in LEVELS])[level]
    weight = c_i**-2 / np.mean(c_i**-2)
    return [estimate(r, w * c_i * z, k, len(z)) for w in (1, weight)]


# %% [markdown]
# In two polls, 40 % of the voters are cautious and choose $\varepsilon = 0.1$; the others choose $\varepsilon = 2$.
# In the second poll, 90 % of amber's voters are cautious, and 13/70 of all others.

# %%
amber = np.where(np.equal(voters, 0), 0.9, 13 / 70)
rows = []
for name, chance in {"at random": 0.4, "mainly amber": amber}.items():
    level = np.where(rng.random(len(voters)) < chance, 0, 1).tolist()
    people = zip(voters, level, strict=True)
    reports = [pce(x, a, hadamard(8), rng) for x, a in people]
    found = [lines(*both)[0] for both in pce_server(reports, K)]
    rows.append([name, SHARES[0], *found])
heads = ["cautious", "truth for amber", "equal weights", "weights 1/c²"]
table(pd.DataFrame(rows, columns=heads))

# %% [markdown]
# With equal weights, the scores $\pm 20$ of cautious voters dominate the error.
# Weights $1/c^2$ repair this, but only if caution does not depend on the vote.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: exact moments of PCE"}
four, who = hadamard(4), [(0, 0), (1, 0), (0, 1), (1, 1)]  # items and levels
own = np.eye(4)[[x for x, _ in who]]
c_of = [c(eps) for eps in LEVELS]
mean, variance = moments(
    lambda v, rng: pce(*v, four, rng), who, score=lambda y: c_of[y[0]] * y[2] * np.array(four[y[1]])
)
squares_of = np.array([c_of[level] ** 2 for _, level in who])[:, None]
check(
    "PCE",
    "two levels, exact law: own ε, unbiased, variance c_i² − 1 and c_i²",
    np.allclose([epsilon(laws(lambda x, rng, a=a: pce(x, a, four, rng), range(4))) for a in (0, 1)], LEVELS)
    and np.allclose(mean, own)
    and np.allclose(variance, squares_of - own),
    control="the variance of the mean ε for everybody",
    caught=np.abs(variance - c(1.05) ** 2).max() > 1,
)

# %% [markdown]
# (sec-onebit-wrong)=
# ## What can go wrong
#
# - *Some cards are never drawn.*
#   If clients draw only from the first $k$ of $R$ cards, columns are not orthogonal, and estimates are biased.
# - *The level reveals the item.*
#   If mainly people with one item choose a small ε, their level gives them away.
# - *Questions about pairs.*
#   Harmony's reports say nothing about how two attributes go together ({ref}`ch-joint`).
#
# (sec-onebit-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 5 minutes)
# Hadamard response with $B$ blocks has an equally large deck for each block of $k/B$ items.
# With probability $\varrho = \frac{e^\varepsilon-1}{e^\varepsilon-1+2B}$, the client draws uniformly from its item's plus cards, and otherwise from all blocks' cards.
# In the reported block, an item's score is its sign, divided by $\varrho$; elsewhere it is 0.
# So the squared scores sum to $\frac kB \cdot \frac1{\varrho^2}$.
# Which $B$ minimises this?
# Which power of two is best for $\varepsilon = 1$?
# :::
#
# :::{dropdown} Solution
# 1. *The score is unbiased.*
#    On a plus card of the client's item, the other items of the block have signs with mean 0, as columns are orthogonal.
#    On a card of any block, all signs have mean 0.
#    So the mean sign is $\varrho$ for the client's item, and 0 for all others; divide by $\varrho$.
# 2. *The best $B$.*
#    The sum is
#
#    $$ \frac kB \Big(\frac{e^\varepsilon-1+2B}{e^\varepsilon-1}\Big)^2 = \frac{k}{(e^\varepsilon-1)^2} \Big(\frac{(e^\varepsilon-1)^2}{B} + 4\,(e^\varepsilon-1) + 4B\Big). $$
#
#    The sum is smallest for $B = (e^\varepsilon-1)/2$, which is 0.86 for $\varepsilon = 1$.
#    Beyond this $B$ the sum grows, so a single block is best.
#    The authors' rule $B \ge e^\varepsilon/2$ gives two blocks.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Card 0 of the Hadamard deck is all plus signs, so a report about it says nothing.
# Write a client that never draws it, and an unbiased estimator.
# For which $k$ does this help most?
# :::
#
# :::{dropdown} Solution
# Over the other $R-1$ cards, $G_{xu} = -1/(R-1)$ for any two different items.
# The average score has mean
#
# $$ f_u - \frac{1-f_u}{R-1} = \frac{R f_u - 1}{R-1}, $$
#
# so $((R-1) \cdot \text{average} + 1)/R$ is unbiased.
# For an item that nobody has, the variance falls from $c^2$ to
#
# $$ \Big(\frac{R-1}{R}\Big)^2 \Big(c^2 - \frac1{(R-1)^2}\Big) = \frac{(R-1)^2 c^2 - 1}{R^2}. $$
#
# For $c^2 = 4$, this is 0.75 with two cards, 3.05 with eight, and 3.88 with 64.
# So this client helps for few items; for $k = 2$, it is randomized response.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def no_blank(x, deck, eps, rng):
    """A Hadamard bit about any card but the first."""
    r, z = one_bit(x, deck[1:], eps, rng)
    return r + 1, z


def no_blank_server(reports, deck, eps):
    R, (average, error) = len(deck), server(reports, deck, eps)
    return ((R - 1) * average + 1) / R, (R - 1) / R * error


reports = [no_blank(x, hadamard(8), EPS, rng) for x in voters]
print(*lines(*no_blank_server(reports, hadamard(8), EPS))[:K], sep=", ")
print(*(f"R = {R}: {((R - 1) ** 2 * c(EPS) ** 2 - 1) / R**2:.2f}" for R in (2, 8, 64)), sep=", ")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes)
# Ten million people send a Hadamard bit ($\varepsilon = 1$) about a million rare items.
# A newspaper prints the largest estimated share.
# How large is it, roughly?
# Hint: one normal error in a million exceeds about 4.8.
# :::
#
# :::{dropdown} Solution
# The standard error is $c/\sqrt n = 2.16/\sqrt{10^7} = 0.07$ percentage points.
# The largest of a million independent normal errors is about 4.8 standard errors, here 0.33 percentage points or 33,000 people.
# So the newspaper prints noise, unless an item is more popular than that.
# :::

# %% [markdown]
# ## Summary
#
# - One bit per person suffices: the randomized sign of the item on a public card.
# - A random deck adds an error that more people do not reduce.
# - With orthogonal columns, this error is 0, and one transform gives all estimates.
# - For a rare item, the variance is $1/n$ above OUE's, which matters for large ε.
# - With several attributes, sampling one is better than splitting the budget up to about $\varepsilon = 2\sqrt d$.
# - Weights for personal budgets are unbiased only if levels do not depend on items.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $\Phi$ | public table of signs |
# | $R$ | number of cards (here only) |
# | $r$ | a card (here only) |
# | $z$ | sign in a report (here only) |
# | $u$ | item whose share is estimated (here only) |
# | $G_{xu}$ | average product of the columns $x$ and $u$ of $\Phi$ (here only) |
# | $H_R$ | Hadamard matrix with $R$ rows (here only) |
# | $Z_r$ | sum of $c\,z$ over the reports of card $r$ (here only) |
# | $t$ | $\varepsilon/(2d)$ (here only) |
# | $\omega_i$ | weight of a person (here only) |
# | $B$ | number of blocks (here only) |
# | $\varrho$ | chance of a plus card in Exercise 1 (here only) |
#
# Next, {ref}`ch-rappor` is about strings that nobody has listed.
