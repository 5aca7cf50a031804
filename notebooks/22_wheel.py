# %% [markdown]
# (ch-wheel)=
# # PCKV and the wheel
#
# *After {cite:t}`wang2024dynamic` §2.1, §3.1 and §4.3.1, with {cite:t}`gu2020pckv` and {cite:t}`wang2020wheel`.*
#
# :::{admonition} In one minute
# A catalogue has thousands of keys, and each person holds a few of them.
# Asking about one key drawn from the whole catalogue, as state encoding does, asks nearly everybody about something that they do not have.
# *PCKV* draws one of the person's own pairs instead; *the wheel* reports on all of them at once: a public hash throws the keys onto a circle of slots, and the person names one slot, more often one that her own keys cover.
# A wheel's report is a few bits long whatever the catalogue, and the client needs no list of keys at all.
#
# The paper's Wheel-KV adds a sign to each key.
# Its formulas are missing from every copy that we could read, and its prose, taken word by word, is not private at any ε.
# We give a design that keeps the prose as far as it can be kept, call it a reconstruction, and prove it: exactly ε for every hash, unbiased for every number of pairs.
# At the paper's size it is the most precise of five mechanisms up to ε ≈ 4; above, PCKV over a list of keys is better.
# :::
#
# You will meet padding and sampling, an answer that speaks for several keys at once, a privacy proof that does not care about the hash, and a crossover.
# From {ref}`ch-keyvalue` you need the sign of a value and the calculus of α, β and γ; from {ref}`ch-frequency` k-RR, OUE and public seeds.

# %% tags=["hide-input"]
from fractions import Fraction
from itertools import product
from math import exp, inf, log

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldpnb.book import check, settle, style, table
from ldpnb.chance import law, pick, toss
from ldpnb.core import Records
from ldpnb.keyvalue import SE
from ldpnb.pckv import PCKVGRR, PCKVUE
from ldpnb.verify import epsilon, laws, moments, same_law
from ldpnb.wheel import Wheel, WheelKV

style()
SEED = 2024  # the year of the paper
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-wheel-setting)=
# ## Many keys, few each
#
# | symbol | meaning | in code |
# |---|---|---|
# | $n, d$ | number of people, of keys | `n`, `d` |
# | $S$ | the pairs of one person: keys with values in $[-1, 1]$ | a `dict` |
# | $f_k,\ m_k$ | share of people with key $k$, mean of its values among them | |
# | $\ell$ | padding length of PCKV: pairs that a record is filled up to | `ell` |
# | $m$ | pairs that a wheel's report speaks for | `m` |
# | $N$ | slots of the circle | `slots` |
# | $\alpha, \beta, \gamma$ | probabilities of the own sign, the other sign, and a sign without a pair | `answer` |
#
# Two people with two and three of three keys are enough to see everything that happens.

# %%
RECORDS = [{}, {0: 1.0}, {0: -1.0}, {1: 0.5}, {0: 1.0, 1: -0.5}, {0: -1.0, 1: -1.0, 2: 1.0}]


def sign(v, rng):
    """+1 or −1, with mean v."""
    return 1 if toss((1 + v) / 2, rng) else -1


# %% [markdown]
# (sec-pckv)=
# ## PCKV: one pair of one's own
#
# If the client simply drew one of its own pairs, a person with one key would tell more about it than a person with ten.
# So records are *padded*: up to ℓ pairs with dummies, keys $d, \dots, d+\ell-1$ that nobody holds, with the value 0.
# Then one pair is drawn.
# A longer record is not cut, but each of its pairs is drawn less often.


# %%
def pad_and_sample(record, d, ell, rng):
    """One signed pair of a record that is padded to ell pairs."""
    padded = [*sorted(record), *range(d, d + ell - len(record))]
    key = pick(padded, rng)
    return key, sign(record.get(key, 0.0), rng)


# %% [markdown]
# PCKV-GRR sends the signed key through k-RR over all $2(d+\ell)$ of them.
# No signed key is drawn with a probability above $1/\ell$, so k-RR may speak louder than ε: it may use $e^{\varepsilon'} = \ell(e^\varepsilon-1)+1$.
# (The authors write three probabilities, one to keep the key, one for another key, and one to keep the sign.
# At their optimum a wrong sign of the own key is as likely as a sign of another one, and what is left is k-RR.)


# %%
def pckv_grr(record, d, ell, eps, rng):
    """PCKV-GRR: k-RR over signed keys."""
    mine = pad_and_sample(record, d, ell, rng)
    odds = ell * (exp(eps) - 1) + 1  # e^ε′
    if toss(odds / (odds + 2 * (d + ell) - 1), rng):
        return mine
    return pick([y for y in product(range(d + ell), (-1, 1)) if y != mine], rng)


# %% [markdown]
# PCKV-UE answers for every key: a sign, or nothing.
# About the drawn key it speaks with probability ½, and then truly with probability $p = \frac{e^\varepsilon}{e^\varepsilon+1}$; about any other with probability $b = \frac{2}{e^\varepsilon+3}$ and a fair sign.


# %%
def pckv_ue(record, d, ell, eps, rng):
    """PCKV-UE: one answer for each key, dummies included."""
    key, s = pad_and_sample(record, d, ell, rng)
    report = []
    for k in range(d + ell):
        if not toss(0.5 if k == key else 2 / (exp(eps) + 3), rng):
            report.append(0)
        elif k == key:
            report.append(s if toss(exp(eps) / (exp(eps) + 1), rng) else -s)
        else:
            report.append(pick((-1, 1), rng))
    return tuple(report)


# %% [markdown]
# :::{prf:theorem} Sampling saves budget in one of them only
# :label: thm-pckv-privacy
# Over all records, PCKV-GRR is exactly ε-LDP for every $d$ and ℓ.
# PCKV-UE is exactly ε-LDP if $\ell \le d$, and exactly $\ln\big[1 + \tfrac d\ell(e^\varepsilon-1)\big]$-LDP if $\ell > d$.
# :::
#
# :::{prf:proof}
# Values between −1 and 1 mix two signs, so all pairs may be taken to have signs.
# Let $\pi$ be the law of the drawn signed pair.
# Call a report and a signed pair *agreeing* if the report contains the pair.
#
# *GRR.* The report is $y$ with probability $\gamma + (\alpha-\gamma)\,\pi(y)$, $\alpha/\gamma = e^{\varepsilon'}$.
# As $0 \le \pi(y) \le 1/\ell$, two of these differ at most by the factor $1 + (e^{\varepsilon'}-1)/\ell = e^\varepsilon$; the records $\{k\colon 1\}$ and $\{k\colon -1\}$ attain it.
#
# *UE.* Compare the law with that of a vector in which *every* key is answered like one that was not drawn.
# The drawn pair multiplies the probability by $\alpha/\gamma$ if the report agrees, by $\beta/\gamma$ if it has the other sign, and by $\frac{1/2}{1-b}$ if it is silent.
# With the probabilities above, the last two are the same number $B = \frac{e^\varepsilon+3}{2(e^\varepsilon+1)}$, and the first is $e^\varepsilon B$.
# So the factor is $B\,[1 + (e^\varepsilon-1)\,\pi(\text{agreeing})]$: at most $e^\varepsilon B$ and at least $B$.
# A report may agree with *all* pairs of one record and with none of another's; if the first has ℓ pairs, both ends are attained.
# If $\ell > d$, at least $\ell-d$ dummies are in every record, and $1 + \frac d\ell(e^\varepsilon-1)$ is the largest ratio, for a report that agrees with no dummy.
# :::

# %% tags=["hide-input"]
ALL = [
    {k: float(s) for k, s in enumerate(state) if s} for state in product((0, 1, -1), repeat=2)
]  # all nine records of signs over two keys


def exact_epsilon(client, ell, eps=1.0):
    return epsilon(laws(lambda record, rng: client(record, 2, ell, eps, rng), ALL))


rows = []
for ell in (1, 2, 3):
    rows.append(
        {
            "ℓ": ell,
            "PCKV-GRR": f"{exact_epsilon(pckv_grr, ell):.4f}",
            "PCKV-UE": f"{exact_epsilon(pckv_ue, ell):.4f}",
            "formula for UE": f"{log(1 + min(2, ell) / ell * (exp(1) - 1)):.4f}",
        }
    )
table(pd.DataFrame(rows))


# %% tags=["hide-input"]
def amplified_ue(record, d, ell, eps, rng):  # the control: as if sampling saved budget in the vector, too
    return pckv_ue(record, d, ell, log(ell * (exp(eps) - 1) + 1), rng)


check(
    "PCKV",
    "two keys, ε = 1, ℓ = 1, 2, 3: exact ε as in the theorem",
    all(
        abs(exact_epsilon(pckv_grr, ell) - 1) < 1e-12
        and abs(exact_epsilon(pckv_ue, ell) - log(1 + min(2, ell) / ell * (exp(1) - 1))) < 1e-12
        for ell in (1, 2, 3)
    ),
    control=f"amplified vector, ℓ = 2, ε = {exact_epsilon(amplified_ue, 2):.3f}",
    caught=exact_epsilon(amplified_ue, 2) > 1.1,
)
check(
    "Same law",
    "inline and the package, both PCKV, d = 3, ℓ = 2, six records",
    same_law(
        lambda record, rng: (lambda key, s: 2 * key + (s > 0))(*pckv_grr(record, 3, 2, 1.0, rng)),
        lambda record, rng: int(PCKVGRR(d=3, ell=2, epsilon=1.0).perturb(Records.of(record), rng=rng)[0]),
        RECORDS,
    )
    and same_law(
        lambda record, rng: pckv_ue(record, 3, 2, 1.0, rng),
        lambda record, rng: tuple(PCKVUE(d=3, ell=2, epsilon=1.0).perturb(Records.of(record), rng=rng)[0].tolist()),
        RECORDS,
    ),
    control="inline with ℓ = 1",
    caught=not same_law(
        lambda record, rng: (lambda key, s: 2 * key + (s > 0))(*pckv_grr(record, 3, 1, 1.0, rng)),
        lambda record, rng: int(PCKVGRR(d=3, ell=2, epsilon=1.0).perturb(Records.of(record), rng=rng)[0]),
        RECORDS,
    ),
)

# %% [markdown]
# ### What padding costs
#
# Both are rows of the calculus of {ref}`ch-keyvalue`: every report is asked about every key, and a holder's own pair is the one used with probability $w = 1/\ell$.
# So $\hat f$ and $\hat s$ are divided by $w$, and a rare key has the noise
#
# $$ n\Var\hat f = \frac{\ell^2\, b(1-b)}{T^2},\quad b = 2\gamma, \qquad
# \text{UE: } \frac{8\ell^2(e^\varepsilon+1)}{(e^\varepsilon-1)^2}, \qquad
# \text{GRR: } \frac{2\ell(e^\varepsilon-1) + 4(d+\ell-1)}{(e^\varepsilon-1)^2}. $$ (eq-pckv-noise)
#
# ℓ is squared in one and not in the other, the number of keys is in the other and not in the one.
#
# A key that is *not* rare has more: whether its holder draws it is a coin of its own, of variance $f(\ell-1)$, which no ε takes away.
# And ℓ that is too small costs bias: in a record of $|S| > \ell$ pairs each counts as $\ell/|S|$ of a person.
# (The mean of a key is a ratio, in which this cancels, if the size of a record and its values are independent.)

# %% tags=["hide-input"]
small = Records.of(*RECORDS)
for mechanism in (PCKVGRR(d=3, ell=2, epsilon=1.0), PCKVUE(d=3, ell=2, epsilon=1.0)):
    mean, variance = moments(mechanism, small)
    e, ell, d = exp(1), 2, 3
    formula = {
        "PCKVGRR": (2 * ell * (e - 1) + 4 * (d + ell - 1)) / (e - 1) ** 2,
        "PCKVUE": 8 * ell**2 * (e + 1) / (e - 1) ** 2,
    }[type(mechanism).__name__]
    held = np.array([[k in record for k in range(3)] for record in RECORDS], float)
    check(
        type(mechanism).__name__,
        f"exact law: a pair of three counts as {mean[5, 0, 0]:.4f}, rare keys have noise {formula:.3f}",
        np.abs(mean - mechanism.target(small)).max() < 1e-12
        and abs(mean[5, 0, 0] - 2 / 3) < 1e-12
        and abs(variance[0, 0, 0] - formula) < 1e-9,
        control="each pair as one person",
        caught=np.abs(mean[:, 0] - held).max() > 0.1,
    )

# %% [markdown]
# (sec-wheel-sets)=
# ## The wheel, for sets
#
# {cite:t}`wang2020wheel` let a report speak for *all* items of a set at once, and yet be short.
# A public random hash, another one for each person, gives each item a place on a circle, and the item covers an arc from there on.
# The person sends one point of the circle, more often a covered one.
# Whoever reads it counts, for every item that he can think of, whether the point lies in its arc under that person's hash.
#
# We cut the circle into $N$ slots, of which an arc covers $W$, so that all probabilities are those of a computer.
# If a person has fewer than $m$ items, arcs in random places stand in for the missing ones; if she has more, $m$ are drawn.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-wheel", "caption": "One person's report on a circle of 12 slots, m = 3, ε = 1. Left, the wheel for sets with arcs of two slots: three items cover six slots. Right, Wheel-KV: each key has two slots, one for + and one for −, and covers the one of its sign. A covered slot (filled) is e times as likely as one left free. The key d is not held; its slots are where they are, and say nothing about the person.", "width": "100%"}, "image": {"alt": "Two rings of twelve slots. In the left one items a, b and c each cover two neighbouring slots, filled blue; the other six are white. In the right one keys a, b and c each own a plus and a minus slot, of which one each is filled; a key d that is not held has two white slots."}}


def ring(ax, slots, covered, labels, title):
    """Draw a circle of slots: filled ones are covered."""
    width = 2 * np.pi / slots
    for slot in range(slots):
        angle = np.pi / 2 - (slot + 0.5) * width
        ax.bar(
            angle,
            0.45,
            width=width * 0.94,
            bottom=0.9,
            color="#0072B2" if slot in covered else "#FFFFFF",
            edgecolor="black",
            linewidth=1,
        )
        ax.text(angle, 1.12, str(slot), ha="center", va="center", color="white" if slot in covered else "black")
        if slot in labels:
            ax.text(angle, 1.62, labels[slot], ha="center", va="center")
    ax.set(ylim=(0, 1.75), title=title)
    ax.set_axis_off()


fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.5), subplot_kw={"projection": "polar"})
ring(axes[0], 12, {1, 2, 5, 6, 8, 9}, {1: "a", 2: "a", 5: "b", 6: "b", 8: "c", 9: "c"}, "sets: a, b, c")
ring(
    axes[1],
    12,
    {1, 6, 8},
    {1: "a+", 2: "a−", 5: "b+", 6: "b−", 8: "c+", 9: "c−", 10: "d+", 11: "d−"},
    "pairs: a+, b−, c+",
)
plt.show()


# %%
def spin(cover, slots, most, eps, rng):
    """Name one slot: each covered one with probability e^ε/(slots + most·(e^ε−1)), all others alike."""
    omega = slots + most * (exp(eps) - 1)
    if toss(len(cover) * exp(eps) / omega, rng):
        return pick(sorted(cover), rng)
    return pick([z for z in range(slots) if z not in cover], rng)


def hashed(slots, keys, rng):
    """A public hash: a slot for each key, all tables alike."""
    return tuple(pick(range(slots), rng) for _ in range(keys))


def choose(items, m, rng):
    """Draw m items, or all if there are fewer."""
    left, chosen = sorted(items), []
    while left and len(chosen) < m:
        chosen.append(left.pop(pick(range(len(left)), rng)))
    return chosen


def wheel(items, m, slots, width, eps, keys, rng):
    """The wheel for sets, over a hash of so few keys."""
    seed = hashed(slots, keys, rng)
    starts = [seed[x] for x in choose(items, m, rng)]
    starts += [pick(range(slots), rng) for _ in range(m - len(starts))]
    cover = {(start + step) % slots for start in starts for step in range(width)}
    return seed, spin(cover, slots, m * width, eps, rng)


# %% [markdown]
# :::{prf:theorem} A wheel is private under every hash
# :label: thm-wheel-privacy
# Let at most $M < N$ slots ever be covered, and let a covered slot have probability $e^\varepsilon/\Omega$, $\Omega = N + M(e^\varepsilon-1)$, and all slots that are left free the same.
# Then every report has a probability in $[1/\Omega,\ e^\varepsilon/\Omega]$, whatever is covered.
# So the mechanism is ε-LDP for every hash, good or bad, and exactly so where one record covers $M$ slots and leaves free one that another record covers.
# :::
#
# :::{prf:proof}
# If $L \le M$ slots are covered, a free one has the probability
#
# $$ \frac{1 - Le^\varepsilon/\Omega}{N-L} = \frac1\Omega\cdot\frac{\Omega - Le^\varepsilon}{N-L} = \frac1\Omega\Big[e^\varepsilon - (e^\varepsilon-1)\frac{N-M}{N-L}\Big]. $$
#
# The bracket is 1 for $L = M$, grows as $L$ falls, and stays below $e^\varepsilon$.
# :::
#
# The proof asks nothing of the hash.
# That is as it should be: a client can prove its privacy without believing in anybody's randomness but its own.
# The estimates do need the hash.
#
# :::{prf:theorem} What a wheel's report says about an item
# :label: thm-wheel-estimate
# Let the slots of any $m+1$ keys be independent and uniform.
# Then a report lies in the arc of an item that is among the person's $m$ with probability $p^* = We^\varepsilon/\Omega$, and in that of any other with probability $q^* = W/N$.
# :::
#
# :::{prf:proof}
# The own arc is covered, all $W$ slots of it, whatever the others are.
# The place of any other item is uniform and independent of everything that the report depends on.
# :::
#
# So the wheel is one more *pure protocol* of {ref}`ch-frequency`, $\hat f = \frac{C/n-q^*}{p^*-q^*}$, with an open set of items.
# For $m = 1$ and the best $W/N$, $1/(e^\varepsilon+1)$, it has the probabilities of OUE.

# %% tags=["hide-input"]
SETS = [set(), {0}, {1}, {0, 1}]
SHAPE = dict(m=1, slots=4, width=1)
per_seed = laws(lambda items, rng: wheel(items, **SHAPE, eps=1.0, keys=2, rng=rng), SETS)
exact = epsilon(per_seed)


def greedy(items, m, slots, width, eps, keys, rng):  # the control: all items of a set, whatever m
    seed = hashed(slots, keys, rng)
    return seed, spin({seed[x] for x in items} or {0}, slots, m, eps, rng)


leak = epsilon(laws(lambda items, rng: greedy(items, **SHAPE, eps=1.0, keys=2, rng=rng), SETS))
check(
    "Wheel",
    f"four slots, two items, four sets, all 16 hashes: ε = {exact:.6f}",
    abs(exact - 1) < 1e-12,
    control=f"covers more than m slots, ε = {leak:.3f}",
    caught=leak > 1.01,
)


def bare(mechanism):
    """The package's client for one person: the table of slots, and the slot."""

    def client(record, rng):
        report = mechanism.perturb(Records.of(record), rng=rng)[0]
        return tuple(report["seed"].tolist()), int(report["slot"])

    return client


check(
    "Same law",
    "wheel inline and the package's Wheel, m = 1 and 2, arcs of one and two slots",
    all(
        same_law(
            lambda items, rng, shape=shape: wheel(items, **shape, eps=1.0, keys=2, rng=rng),
            bare(Wheel(epsilon=1.0, table=2, **shape)),
            SETS,
        )
        for shape in (SHAPE, dict(m=2, slots=5, width=1), dict(m=1, slots=5, width=2))
    ),
    control="arcs of one slot for two",
    caught=not same_law(
        lambda items, rng: wheel(items, m=1, slots=5, width=1, eps=1.0, keys=2, rng=rng),
        bare(Wheel(epsilon=1.0, table=2, m=1, slots=5, width=2)),
        SETS,
    ),
)

# %% [markdown]
# (sec-wheelkv)=
# ## Wheel-KV, as far as it can be read
#
# {cite:t}`wang2024dynamic` §3.1 turn the wheel to key–value data.
# All formulas are missing from the text that we have, online as in print copies; what is left of Algorithms 1 and 2 is this.
# The client makes values signs, maps its data to $[0, 1)$ by a hash with a seed, and then *adjusts by the value* to get its output.
# The server goes through reports and keys, with one test of two parts joined by "or", a second such test inside the first with an else-branch, and corrects the counts.
# The inputs are ε and a *cover parameter*.
#
# Two tests joined by "or" are an arc on a circle that may wrap around.
# So the first test asks whether the report is in the arc of the key, and the second, inside it, in which half: the sign.
#
# ### Read literally
#
# Taken word by word, the client draws the wheel's point for its *keys*, and then moves it into the half of the arc that belongs to the sign.
# Then the other half of that arc is never reported.


# %%
def literal(record, slots, eps, keys, rng):
    """One pair; arcs of two slots; the point is moved to the half of the sign."""
    seed, z = wheel(set(record), 1, slots, 2, eps, keys, rng)
    for key, v in record.items():
        if (z - seed[key]) % slots < 2:
            z = (seed[key] + (sign(v, rng) < 0)) % slots
    return seed, z


# %% tags=["hide-input"]
PAIRS = [{}, {0: 1.0}, {0: -1.0}, {1: 1.0}, {1: 0.5}]
literally = epsilon(laws(lambda record, rng: literal(record, 4, 1.0, 2, rng), PAIRS))
print(f"the literal reading, four slots, two keys: ε = {literally}")

# %% [markdown]
# A report in the half of − says for certain that the person does not hold the key with a +.
# We do not believe that this is what the author ran, and no formula says that it is.
#
# ### A reconstruction
#
# The sign has to be part of what is *covered*, not of what is moved afterwards.
# Give each key two neighbouring slots, one for + and one for −; a pair covers the one of its sign, and the wheel is spun over the slots that all pairs cover.
# This keeps what the prose says: a seeded hash, an adjustment by the value, two nested tests, an output in $[0, 1)$ ($z/N$), probabilities between two bounds that do not depend on the keys, a client that knows no list of keys.


# %%
def wheel_kv(record, m, slots, eps, keys, rng):
    """Wheel-KV, our reconstruction."""
    seed = hashed(slots, keys, rng)
    mine = choose(record, m, rng)
    cover = {(seed[key] + (sign(record[key], rng) < 0)) % slots for key in mine}
    cover |= {pick(range(slots), rng) for _ in range(m - len(mine))}
    return seed, spin(cover, slots, m, eps, rng)


# %% [markdown]
# It is a wheel, so {prf:ref}`thm-wheel-privacy` holds: ε-LDP for whole records, under every hash.
#
# :::{prf:theorem} What a Wheel-KV report says about a key
# :label: thm-wheelkv-estimate
# Let $N > \max(m, 2)$ and let the slots of any $m+1$ keys be independent and uniform.
# About a pair that is among the person's $m$, a report names the slot of the own sign, and that of the other sign, with the probabilities
#
# $$ \alpha = \frac{e^\varepsilon}{N + m(e^\varepsilon-1)}, \qquad \beta = \frac{1-\alpha}{N-1}; $$
#
# about any other key it names either of the two slots with probability $\gamma = \frac1N$.
# So Wheel-KV is signed ternary: with $\Delta = \alpha - \frac1N$,
# $T = \alpha+\beta-2\gamma = \Delta\frac{N-2}{N-1}$ and $D = \alpha-\beta = \Delta\frac N{N-1}$, and its estimates are exactly unbiased.
# :::
#
# :::{prf:proof}
# The own slot is covered, so it has α whatever the other pairs cover.
# Given the own slot, the other $m-1$ slots, of pairs or stand-ins, are independent and uniform: adding one to a uniform slot leaves it uniform.
# So the law of the report does not change if the $N-1$ slots besides the own one are permuted, and each of them has the same probability, the slot of the other sign among them.
# For a key that is not held the slot is uniform and independent of the report.
# :::
#
# With arcs longer than a slot the last step fails for $m > 1$: an arc and its neighbour are then not exchangeable, because the other arcs overlap both.
# {ref}`sec-wheel-designs` has the numbers.

# %% tags=["hide-input"]
check(
    "Same law",
    "wheel_kv inline and the package's WheelKV, m = 1 and 2",
    all(
        same_law(
            lambda record, rng, m=m, slots=slots: wheel_kv(record, m, slots, 1.0, 2, rng),
            bare(WheelKV(epsilon=1.0, table=2, m=m, slots=slots)),
            [*PAIRS, {0: 1.0, 1: -0.5}],
        )
        for m, slots in ((1, 4), (2, 4))
    ),
    control="the literal reading",
    caught=not same_law(
        lambda record, rng: literal(record, 4, 1.0, 2, rng), bare(WheelKV(epsilon=1.0, table=2, m=1, slots=4)), PAIRS
    ),
)

# %% [markdown]
# Both theorems on every small circle: all hashes of $m+1$ keys, all signs, all numbers of pairs from 0 to $m$.


# %%
def circle(slots, m, eps, held):
    """Every law of a report: a row for the slots of keys 0, …, held, and of what stands in for missing pairs.

    Keys 0, …, held − 1 are held with the sign +; key `held` is not.
    """
    rows = np.array(list(product(range(slots), repeat=m + 1)))
    covered = np.zeros((len(rows), slots), bool)
    for column in np.delete(rows, held, 1).T:
        covered[np.arange(len(rows)), column] = True
    size = covered.sum(1, keepdims=True)
    omega = slots + m * (exp(eps) - 1)
    free = (omega - size * exp(eps)) / ((slots - size) * omega)
    return rows, np.where(covered, exp(eps) / omega, free)


def small_circle(slots, m, eps):
    """The exact ε for any hash, and how far α, β and γ are off."""
    low, high, off = inf, 0.0, 0.0
    omega = slots + m * (exp(eps) - 1)
    alpha = exp(eps) / omega
    expected = {True: (alpha, (1 - alpha) / (slots - 1)), False: (1 / slots, 1 / slots)}
    for held in range(m + 1):
        rows, chances = circle(slots, m, eps, held)
        low, high = min(low, chances.min()), max(high, chances.max())
        for key in range(held + 1):
            own = chances[np.arange(len(rows)), rows[:, key]].mean()
            other = chances[np.arange(len(rows)), (rows[:, key] + 1) % slots].mean()
            off = max(off, np.abs(np.subtract((own, other), expected[key < held])).max())
    return log(high / low), off


# %% tags=["hide-input"]
CIRCLES = [(slots, m) for m in (1, 2, 3, 4) for slots in range(max(m, 2) + 1, 9)]
found = {(slots, m, eps): small_circle(slots, m, eps) for slots, m in CIRCLES for eps in (0.5, 1.0, 3.0)}
alpha, slots = exp(1) / (4 + 2 * (exp(1) - 1)), 4
check(
    "Small circles",
    f"{len(CIRCLES)} circles up to 8 slots and 4 pairs, three ε: exactly ε, and α, β, γ as in the theorem",
    all(abs(eps_found - key[2]) < 1e-12 and off < 1e-12 for key, (eps_found, off) in found.items()),
    control="β taken for γ, as in the wheel for sets",
    caught=abs((1 - alpha) / (slots - 1) - 1 / slots) > 0.01,
)
