# %% [markdown]
# (ch-wheel)=
# # PCKV and the wheel
#
# *After {cite:t}`wang2024dynamic` §2, §3.1 and §4.1–4.3.1, with {cite:t}`gu2020pckv` and {cite:t}`wang2020wheel`.*
#
# :::{admonition} In one minute
# A catalogue has thousands of keys, and each person holds a few of them.
# Asking about one key drawn from the whole catalogue, as state encoding does, asks nearly everybody about something that they do not have.
# *PCKV* draws one of the person's own pairs instead; *the wheel* reports on all of them at once: a public hash throws the keys onto a circle of slots, and the person names one slot, more often one that her own keys cover.
# A wheel's report is a few bits long whatever the catalogue, and the client needs no list of keys at all.
#
# The paper's Wheel-KV carries this over to key–value pairs.
# Its formulas are missing from the text that we could read, and one reading of what is left is not private at any ε.
# We give a design that fits the words, call it a reconstruction, and prove it: at most ε under every hash and exactly ε under nearly all, unbiased for up to $m$ pairs if the hash is ideal.
# At the paper's size the reconstruction is the most precise of five mechanisms up to ε ≈ 4; above, PCKV-GRR over the list of keys is better.
# :::
#
# :::{zh}
# 本章研究键的目录很大、每个用户只持有少数几个键的情形，比较 PCKV 与 Wheel 两类机制。
# PCKV 经填充和采样，从用户自己的键值对中抽取一个上报；Wheel 机制用公开的哈希函数把用户的全部键映射到圆周的若干槽上，被覆盖的槽以较大的概率上报，报告很短，用户端也无须知道键的列表。
# 王凤祥把后者推广为键值数据上的 Wheel-KV，但本书所读的文本缺失全部公式，该机制的隐私性与估计方法因此无法判定。
# 本章给出一个与文字相符的重构，并证明：无论哈希函数好坏，它至多消耗 $\varepsilon$；哈希函数理想时，对至多 $m$ 个键值对的用户，估计无偏。
# 残存的文字还有另一种读法，在任何有限的 $\varepsilon$ 下都不满足定义；没有迹象表明原文采用的是它。
# 按该文的规模，重构在 $\varepsilon\approx4$ 以下是五种机制中最精确的，更大时 PCKV-GRR 更优；就重构而言，“误差随预算下降”与“Wheel-KV 在频率与均值上均表现良好”得到复现。
# “PrivKVM 的均值无偏”在条件下复现，它只在轮数趋于无穷时成立；“保护效果与现有方案基本相同”亦在条件下复现。
# :::
#
# You will meet padding and sampling, an answer that speaks for several keys at once, a privacy proof that does not care about the hash, and a crossover.
# From {ref}`ch-keyvalue` you need the sign of a value; from {ref}`ch-frequency` k-RR, OUE and public seeds.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import exp, inf, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import brentq

from ldpnb import (
    PCKVGRR,
    PCKVUE,
    PrivKV,
    Records,
    StateEncoding,
    StateEncodingSplit,
    Tally,
    Wheel,
    WheelKV,
    epsilon,
    keyvalue,
    law,
    laws,
    moments,
    pick,
    privkvm,
    same_law,
    toss,
)
from ldpnb.book import check, datasets, dots, line, recorded, settle, style, sweep, table
from ldpnb.hashing import digest
from ldpnb.keyvalue import clipped_mean, holdings, mean_of, privkvm_bias, privkvm_epsilon, privkvm_marginals
from ldpnb.verify import one_person

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
# | $N, W$ | slots of the circle, slots that one key covers | `slots`, `width` |
# | $\Omega$ | $N + Wm(e^\varepsilon-1)$; a covered slot has probability $e^\varepsilon/\Omega$ | |
# | $\alpha, \beta, \gamma$ | probabilities of the own sign, the other sign, and a sign without a pair | `answer` |
# | $T, D, b$ | $\alpha+\beta-2\gamma$, $\alpha-\beta$ and $2\gamma$ | |
#
# A key is *rare* if hardly anybody holds it; its *noise* is $n$ times the variance of an estimate for a key that nobody holds.
#
# Six records over three keys are enough to see everything that happens.

# %%
RECORDS = [{}, {0: 1.0}, {0: -1.0}, {1: 0.5}, {0: 1.0, 1: -0.5}, {0: -1.0, 1: -1.0, 2: 1.0}]


def sign(v, rng):
    """+1 or −1, with mean v."""
    return 1 if toss((1 + v) / 2, rng) else -1


# %% [markdown]
# (sec-kv-calculus)=
# ## One calculus for signed states
#
# What a mechanism does with the key it asks about comes down to three probabilities.
# A present + is reported as + with probability $\alpha$ and as − with probability $\beta$; a present − the other way round.
# An absent key is reported as + with probability $\gamma$, and as − as often.
# For state encoding $\alpha = \frac{e^\varepsilon}{e^\varepsilon+2}$ and $\beta = \gamma = \frac{1}{e^\varepsilon+2}$.
# There are $n$ reports, of which $N$ ask about a key; $n_+$ of these say +, and $n_-$ say −.
#
# :::{prf:theorem} Frequency and product
# :label: thm-kv-estimates
# Put $T = \alpha+\beta-2\gamma$ and $D = \alpha-\beta$, neither of them 0.
# Then
#
# $$ \hat f = \frac dn\cdot\frac{n_++n_--2\gamma N}{T}, \qquad \hat s = \frac dn\cdot\frac{n_+-n_-}{D} $$
#
# are unbiased for $f$ and for $s = f m$.
# A person with the key and value $v$ contributes to $n\hat f$ and $n\hat s$ scores of variance
#
# $$ d\,\frac{P(1-P)}{T^2} + d - 1 \quad\text{and}\quad d\,\frac{P}{D^2} - v^2, $$
#
# with $P = \alpha+\beta$, and of covariance $v\big(d\,\frac{1-2\gamma}{T} - 1\big)$; a person without it scores of variance $d\cdot 2\gamma(1-2\gamma)/T^2$ and $2d\gamma/D^2$, and of covariance 0.
# :::
#
# :::{prf:proof}
# With probability $1/d$ a person is asked about the key.
# Then the answer is a sign with probability $P$ or $2\gamma$, and its mean is $Dv$ or 0, because $\E v^* = v$.
# A person's *score* is what her report adds to $n\hat f$ or $n\hat s$; write $[\text{sign}]$ for 1 if the answer is a sign and 0 if not.
# For the second moments: given that a holder is asked, $[\text{sign}] - 2\gamma$ has the mean $T$ and the variance $P(1-P)$; multiply by $d^2/T^2$ and by $1/d$, and subtract the square of the mean 1.
# The square of the sign is 1 with probability $P$ or $2\gamma$.
# The product of the two is $1-2\gamma$ times the sign, whose mean is $Dv$ or 0.
# :::
#
# (The estimate divides by $n/d$, the expected number of reports about a key, and not by their actual number $N$, so that it is linear and its variance exact.
# Dividing by $N$ is a ratio; it takes about $(d-1)f^2$ a person off the variance of $n\hat f$, which matters at large ε, and is what one would do in practice.)


# %% tags=["hide-input"]
HOLDERS = [{}, {0: 1.0}, {0: -1.0, 1: 0.5}, {1: -1.0}, {0: 0.25, 1: 1.0}]
one, values = StateEncoding(d=2, epsilon=1.0), Records.of(*HOLDERS)


def score_variances(v, d, answer):
    """The theorem's variances for a holder with value v and for somebody without the key, and the holder's covariance."""
    alpha, beta, gamma = map(float, answer)
    big_p, t, diff = alpha + beta, alpha + beta - 2 * gamma, alpha - beta
    return np.array(
        [
            d * big_p * (1 - big_p) / t**2 + d - 1,
            d * big_p / diff**2 - v**2,
            d * 2 * gamma * (1 - 2 * gamma) / t**2,
            2 * d * gamma / diff**2,
            v * (d * (1 - 2 * gamma) / t - 1),
        ]
    )


def exact_variances(mechanism):
    """The same from the law of the package's client: record 2 holds key 1 with 0.5, record 3 does not hold key 0."""
    mean, found = moments(mechanism, values)

    def product(report):
        return mechanism.estimate(mechanism.tally(np.array([report], mechanism.dtype)))[:, 1].prod()

    together = moments(one_person(mechanism), [{0: -1.0, 1: 0.5}], score=product)[0][0] - mean[2][:, 1].prod()
    return np.array([*found[2][:, 1], *found[3][:, 0], together])


uneven = PrivKV(d=2, key_epsilon=0.5, value_epsilon=1.0)
alpha, beta, gamma = uneven.answer
check(
    "Variances",
    "four variances and a covariance, SE and PrivKV, d = 2: as in the theorem",
    all(np.abs(exact_variances(m) - score_variances(0.5, 2, m.answer)).max() < 1e-9 for m in (one, uneven)),
    control="β and γ of PrivKV exchanged",
    caught=np.abs(exact_variances(uneven) - score_variances(0.5, 2, (alpha, gamma, beta))).max() > 0.1,
)

# %% [markdown]
# ### One key or all of them?
#
# A person could also answer about all $d$ keys.
# That design splits the budget, as in {ref}`sec-means-sample`: every key at $\varepsilon/d$.
# {numref}`fig-kv-split` compares the two for a key that 30 % hold.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-kv-split", "caption": "Variance of the frequency of a key that 30 % hold, all keys reported at ε/d over one key sampled at ε. For small budgets sampling gains a factor of about d; at large ε the draw of the key is all the noise that is left, and splitting wins."}, "image": {"alt": "Log-log plot of the variance ratio, all keys over one key, against epsilon from 0.1 to 30 for d equal to 2, 5 and 10. The curves start at 2, 5 and 10, fall, and cross one near 3.7, 5.7 and 8."}}
budgets = np.geomspace(0.1, 30, 80)


def population_noise(mechanism, f, v=0.5):
    """Variance of n·(frequency of key 0) per person if a share f holds it with this value."""
    holder, other = mechanism.variance(Records.of({0: v}, {}))[:, 0, 0]
    return f * holder + (1 - f) * other


fig, ax = plt.subplots()
equal = {}
for i, d in enumerate((2, 5, 10)):
    ratio = [
        population_noise(StateEncodingSplit(d=d, epsilon=x), 0.3) / population_noise(StateEncoding(d=d, epsilon=x), 0.3)
        for x in budgets
    ]
    equal[d] = np.exp(np.interp(0, -np.log(ratio), np.log(budgets)))
    ax.plot(budgets, ratio, color=f"C{i}", marker="", label=f"d = {d}")
ax.axhline(1, color="black", linewidth=1, linestyle="-", marker="")
ax.set(xscale="log", yscale="log", xlabel="privacy budget ε", ylabel="variance, all keys / one key")
ax.set_xticks([0.1, 1, 2, 5, 10, 30], ["0.1", "1", "2", "5", "10", "30"])
ax.minorticks_off()
ax.legend()
plt.show()
print(",  ".join(f"d = {d}: equal at ε = {x:.1f}" for d, x in equal.items()))

# %% [markdown]
# (sec-kv-ratio)=
# ## A mean is a ratio
#
# The mean of a key is $\hat m = \hat s/\hat f$.
# A ratio of unbiased estimates is not unbiased, and where the denominator may be near zero it may be anything.
# Where $\hat f$ is many standard errors above zero the delta method says how large the error is,
#
# $$ \Var \hat m \approx \frac{\Var\hat s - 2m\operatorname{Cov} + m^2\Var\hat f}{f^2}, \quad \E\hat m - m \approx \frac{m\Var\hat f - \operatorname{Cov}}{f^2}, $$ (eq-kv-delta)
#
# where $\operatorname{Cov}$ is the covariance of $\hat f$ and $\hat s$: those of {prf:ref}`thm-kv-estimates`, added up over the people and divided by $n^2$.
# Elsewhere two rules keep a mean from doing harm: raise the denominator to at least one person's share $1/n$, and clip the result to $[-1, 1]$.
# And the package says when a mean means nothing: `reliable` is true if $\hat f$ is more than three standard errors above zero, where the error is that of a key that nobody holds.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-kv-ratio", "caption": "The mean of a key that 2 % of people hold, m = 0.5, state encoding with ten keys at ε = 1, against the number of people: 2,000 simulated surveys each. Upper panel: root mean square error of the clipped ratio (dots) and the delta method (line). Lower panel: bias. In the shaded part the key is reliable in less than half of the surveys, and the delta method does not apply."}, "image": {"alt": "Two panels against the number of people from 1,000 to 100 million. The simulated error is about 1 for few people, where the delta method gives up to 10, and follows its line of slope minus one half from about a million people on. The bias is minus 0.45 on the left, slightly positive at a million, and vanishes on the right."}}
def ratio_errors(n, rng, f=0.02, m=0.5, trials=2000):
    """Simulated surveys of ten keys of which one matters: errors of the clipped ratio, and what the delta method says."""
    held = round(f * n)
    people = keyvalue.Holdings(n, np.r_[0, 1, np.ones(9, int)], np.array([m]), np.array([held]))
    mechanism = StateEncoding(d=10, epsilon=1.0)
    estimate = mechanism.estimate(mechanism.simulate_marginals(people, trials=trials, rng=rng))
    ratio = clipped_mean(estimate, n)[:, 0]
    answer = mean_of(estimate, mechanism.plug_in(estimate, n))
    truth = np.zeros((2, 10))
    truth[:, 0] = held / n, held / n * m
    theory = mean_of(truth, mechanism.plug_in(truth, n))
    return {
        "error": sqrt(np.mean((ratio - m) ** 2)),
        "delta": float(theory.error[0]),
        "bias": ratio.mean() - m,
        "bar": ratio.std() / sqrt(trials),
        "delta_bias": float(theory.bias[0]),
        "reliable": answer.reliable[:, 0].mean(),
    }


sizes = [10**3, 10**4, 10**5, 10**6, 3 * 10**6, 10**7, 10**8]
ratios = sweep(ratio_errors, rng=np.random.default_rng(2021), n=sizes)
fig, axes = plt.subplots(2, 1, figsize=(6.4, 5.8), sharex=True)
axes[0].plot(ratios["n"], ratios["delta"], color="C0", marker="", label="delta method")
axes[0].plot(ratios["n"], ratios["error"], "o", color="C1", label="clipped ratio, simulated")
axes[1].errorbar(ratios["n"], ratios["bias"], yerr=1.96 * ratios["bar"], fmt="o", color="C1")
late = ratios[ratios["n"] >= 10**6]
axes[1].plot(late["n"], late["delta_bias"], color="C0", marker="")
axes[1].axhline(0, color="black", linewidth=1, linestyle="-", marker="")
edge = (
    9 * StateEncoding(d=10, epsilon=1.0).variance(Records.of({}))[0, 0, 0] / 0.02**2
)  # where f is three standard errors
for ax in axes:
    ax.axvspan(sizes[0] / 2, edge, color="#EEEEEE")
    ax.set(xscale="log", xlim=(sizes[0] / 2, sizes[-1] * 2))
axes[0].set(yscale="log", ylabel="error of the mean")
axes[0].legend()
axes[1].set(xlabel="number of people n", ylabel="bias of the mean")
plt.show()
for row in ratios.itertuples():
    print(
        f"n = {row.n:>11,}  reliable in {row.reliable:4.0%} of surveys, error {row.error:.3f} (delta {row.delta:.3f})"
    )

print(f"half of the surveys reliable from n = {edge:,.0f} on")
large = ratios[ratios["n"] >= 3 * 10**6]
check(
    "Delta method",
    "three million people and more: error within 10 %, bias within 6 standard errors",
    bool((large["error"] / large["delta"] - 1).abs().max() < 0.1)  # 6 standard errors of an error from 2,000 surveys
    and bool(((large["bias"] - large["delta_bias"]) / large["bar"]).abs().max() < 6),
    control="a hundred thousand people",
    caught=bool(abs(ratios["error"][2] / ratios["delta"][2] - 1) > 0.1),
)

# %% [markdown]
# PrivKV is one more row, with $\alpha = p_1p_2$, $\beta = p_1(1-p_2)$ and $\gamma = \frac{1-p_1}{2}$.
# With the tight split it is k-RR over four symbols, of which two are read as absent.

# %% tags=["hide-input"]


def exact_privkv(eps1, eps2):
    return max(eps2, eps1 + log(2 / (1 + exp(-eps2))))


def four_symbols(record, rng):
    """k-RR over −, absent, + and a second absent, of which nobody is the true one."""
    key = pick(range(2), rng)
    state = 1 + sign(record[key], rng) if key in record else 1
    said = state if toss(exp(1) / (exp(1) + 3), rng) else pick([y for y in range(4) if y != state], rng)
    return key, 1 if said == 3 else said


check(
    "Four symbols",
    "PrivKV with the tight split at ε = 1 = k-RR over four symbols",
    same_law(four_symbols, PrivKV.tight_split(2, 1.0), HOLDERS),
    control="state encoding",
    caught=not same_law(four_symbols, StateEncoding(d=2, epsilon=1.0), HOLDERS),
)


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-kv-noise", "caption": "Noise of a rare key (n times the variance, over d) of frequency (left) and of frequency times mean (right), times ε², against ε: the stated one for the solid line, the exact one for the others. At equal exact ε, halves come close to state encoding for the frequency, and the tight split for the product; no split shown is close in both at small ε."}, "image": {"alt": "Two log-log panels of noise times epsilon squared against epsilon from 0.1 to 5. State encoding is lowest in both. Left, frequency: halves at exact epsilon lie just above it, the tight split starts near the solid line of the published split and joins them later. Right, product: the tight split lies just above state encoding, halves above that, the published split far above."}}
def rare(mechanism):
    """Noise of a key that nobody holds, per person asked: frequency and product."""
    return mechanism.variance(Records.of({}))[0, :, 0] / mechanism.d


def as_published(eps):
    """PrivKV with both budgets equal, at this exact ε."""
    from scipy.optimize import brentq

    half = brentq(lambda x: exact_privkv(x, x) - eps, 1e-3, eps + 1)
    return PrivKV(d=1, key_epsilon=half, value_epsilon=half)


fine = np.geomspace(0.1, 5, 40)
lines = {
    "PrivKV, stated ε/2 + ε/2": [rare(PrivKV(d=1, key_epsilon=x / 2, value_epsilon=x / 2)) for x in fine],
    "PrivKV, halves, exact ε": [rare(as_published(x)) for x in fine],
    "PrivKV, tight split": [rare(PrivKV(d=1, key_epsilon=log((exp(x) + 1) / 2), value_epsilon=x)) for x in fine],
    "state encoding": [rare(StateEncoding(d=1, epsilon=x)) for x in fine],
}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.9))
for i, (name, noise) in enumerate(lines.items()):
    for ax, which in zip(axes, (0, 1), strict=True):
        ax.plot(fine, fine**2 * np.array(noise)[:, which], color=f"C{i}", marker="", label=name)
for ax, title in zip(axes, ("frequency", "frequency × mean"), strict=True):
    ax.set(xscale="log", yscale="log", xlabel="ε", title=title)
    ax.set_xticks([0.1, 0.5, 1, 2, 5], ["0.1", "0.5", "1", "2", "5"])
    ax.minorticks_off()
axes[0].set(ylabel="ε² × noise of a rare key")
axes[0].set_yticks([0.2, 0.5, 1, 2, 4], ["0.2", "0.5", "1", "2", "4"])
axes[1].set_yticks([0.5, 1, 2, 5, 10, 30], ["0.5", "1", "2", "5", "10", "30"])
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
plt.show()

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {
                "at ε = 1": name,
                "exact ε": f"{spent_by:.3f}",
                "frequency": f"{noise[0]:.2f}",
                "frequency × mean": f"{noise[1]:.2f}",
            }
            for name, spent_by, noise in (
                ("PrivKV, stated ½ + ½", exact_privkv(0.5, 0.5), rare(PrivKV(d=1, key_epsilon=0.5, value_epsilon=0.5))),
                ("PrivKV, halves, exact ε", 1.0, rare(as_published(1.0))),
                (
                    "PrivKV, ε₂ = 0.6",
                    1.0,
                    rare(PrivKV(d=1, key_epsilon=1 - log(2 / (1 + exp(-0.6))), value_epsilon=0.6)),
                ),
                ("PrivKV, tight split", 1.0, rare(PrivKV(d=1, key_epsilon=log((exp(1) + 1) / 2), value_epsilon=1.0))),
                ("state encoding", 1.0, rare(StateEncoding(d=1, epsilon=1.0))),
            )
        ]
    )
)

# %% [markdown]
# With a small $\varepsilon_2$ PrivKV even beats state encoding in the frequency, at the expense of the mean: it is a matter of what one wants to know.


# %% [markdown]
# (sec-pckv)=
# ## PCKV: one pair of one's own
#
# If the client simply drew one of its own pairs, each would count as one over the number of pairs, which the collector does not know.
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
# If $\ell > d$, at least $\ell-d$ dummies are in every record, with the same probability to agree, so that $\pi(\text{agreeing})$ differs between two records by at most $\frac d\ell$, and the ratio is largest, $1 + \frac d\ell(e^\varepsilon-1)$, for a report that agrees with no dummy.
# :::

# %% tags=["hide-input"]
ALL = [
    {k: float(s) for k, s in enumerate(state) if s} for state in product((0, 1, -1), repeat=2)
]  # all nine records of signs over two keys


@cache
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
        PCKVGRR(d=3, ell=2, epsilon=1.0),
        RECORDS,
    )
    and same_law(lambda record, rng: pckv_ue(record, 3, 2, 1.0, rng), PCKVUE(d=3, ell=2, epsilon=1.0), RECORDS),
    control="inline with ℓ = 1",
    caught=not same_law(
        lambda record, rng: (lambda key, s: 2 * key + (s > 0))(*pckv_grr(record, 3, 1, 1.0, rng)),
        PCKVGRR(d=3, ell=2, epsilon=1.0),
        RECORDS,
    ),
)

# %% [markdown]
# ### What padding costs
#
# Both are rows of the calculus of {ref}`sec-kv-calculus`, with one change: every report is asked about every key (so take 1 for the $d$ of {prf:ref}`thm-kv-estimates`), and a holder's own pair is the one used with probability $w = 1/\ell$ only, so that $\hat f$ and $\hat s$ are divided by $w$.
# A holder's answer is then a sign with probability $w(\alpha+\beta) + (1-w)b$, another person's with $b$, and a rare key has the noise
#
# $$ \begin{aligned} n\Var\hat f &= \frac{\ell^2\, b(1-b)}{T^2},\quad b = 2\gamma; \\
# \text{UE: } & \frac{8\ell^2(e^\varepsilon+1)}{(e^\varepsilon-1)^2}, \qquad
# \text{GRR: } \frac{2\ell(e^\varepsilon-1) + 4(d+\ell-1)}{(e^\varepsilon-1)^2}. \end{aligned} $$ (eq-pckv-noise)
#
# PCKV-UE pays for ℓ by its square and for the number of keys not at all; PCKV-GRR pays for both in proportion.
# With many keys neither need be better than asking about one random key: at $\ell = 8$, $\varepsilon = 0.5$ and 512 keys PCKV-GRR has more noise than state encoding.
#
# A key that is *not* rare has more: whether its holder draws it is a coin of its own, of variance $f(\ell-1)$, which no ε takes away.
# And ℓ that is too small costs bias: in a record of $|S| > \ell$ pairs each counts as $\ell/|S|$ of a person.
# (The mean of a key is a ratio, in which this cancels, if the size of a record and its values are independent.)


# %% tags=["hide-input"]
def rare(mechanism, *named):
    """Noise of a key that nobody holds: frequency, and frequency × mean."""
    return mechanism.variance(Records.of({}), *named)[0, :, 0]


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
        np.abs(mean - mechanism.expected(small)).max() < 1e-12
        and abs(mean[5, 0, 0] - 2 / 3) < 1e-12
        and abs(variance[0, 0, 0] - formula) < 1e-9,
        control="each pair as one person, ℓ = 1 in the noise",
        caught=np.abs(mean[:, 0] - held).max() > 0.1
        and abs(variance[0, 0, 0] - rare(replace(mechanism, ell=1))[0]) > 1,
    )

# %% tags=["hide-input"]
print(
    f"512 keys, ε = 0.5: noise of PCKV-GRR with ℓ = 8 is {rare(PCKVGRR(d=512, ell=8, epsilon=0.5))[0]:,.0f}, "
    f"that of state encoding {rare(StateEncoding(d=512, epsilon=0.5))[0]:,.0f}"
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "wang2024.definition",
    holds={
        "attained": abs(exact_epsilon(pckv_grr, 2) - 1) < 1e-12,
        "never-given": epsilon(laws(lambda record, rng: 0 in record and toss(0.5, rng), ALL)) == inf,
    },
)
settle("wang2024.interactive")
one_round = privkvm(
    Records.of(*3 * RECORDS), d=3, key_epsilon=0.5, value_epsilon=0.5, rounds=1, rng=np.random.default_rng(0)
)
privkv = PrivKV(d=3, key_epsilon=0.5, value_epsilon=0.5)
alone = privkv.tally(privkv.perturb(Records.of(*3 * RECORDS), rng=np.random.default_rng(0)))
settle(
    "wang2024.privkv",
    holds={
        "one-round": np.array_equal(one_round.frequency, privkv.estimate(alone)[0])
        and np.array_equal(one_round.means[-1], privkv.printed_mean(alone), equal_nan=True),
    },
)
eighteen = Records.of(*3 * RECORDS)
asked = [
    privkv.perturb(eighteen, rng=np.random.default_rng(0)),
    privkv.follow_up(eighteen, np.zeros(3), rng=np.random.default_rng(1)),
]
settle(
    "wang2024.privkvm-online",
    holds={"every-round": [len(said) for said in asked] == [18, 18]},
)
settle(
    "wang2024.privkvm-bias",
    holds={
        "nearer": bool((np.diff([abs(float(privkvm_bias(0.2, 0.6, 0.5, c))) for c in range(1, 11)]) < 0).all()),
        "fifty-rounds": abs(float(privkvm_bias(0.2, 0.6, 0.5, 50))) < 1e-4,
        "three-rounds": abs(float(privkvm_bias(0.2, 0.6, 0.5, 3))) < 0.1,
    },
)
settle(
    "wang2024.pckv",
    holds={
        "one-half": all(
            law(lambda rng, r=r, k=k: pad_and_sample(r, 3, 2, rng)[0] == k).get(True) == Fraction(1, 2)
            for r in ({}, {0: 1.0}, {0: 1.0, 2: -1.0})
            for k in (r or {3: 0})
        )
    },
)
settle("wang2024.privkvm-plus")
settle("wang2024.related")
settle(
    "wang2024.ue-bandwidth",
    holds={
        "tenfold": abs(
            PCKVUE(d=9992, ell=8, epsilon=1.0).report_bits / PCKVUE(d=992, ell=8, epsilon=1.0).report_bits - 10
        )
        < 0.01
    },
)
settle(
    "wang2024.grr-accuracy",
    holds={
        "rare-key": rare(PCKVGRR(d=10_000, ell=8, epsilon=1.0))[0] > 10 * rare(PCKVGRR(d=512, ell=8, epsilon=1.0))[0]
    },
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

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-wheel", "caption": "What one person covers on a circle of 12 slots, m = 3, ε = 1. Left, the wheel for sets with arcs of two slots: three items cover six slots. Right, Wheel-KV (our reconstruction): each key has two slots, one for + and one for −, and covers the one of its sign. A covered slot (filled) is e times as likely as one left free. The key d is not held; its slots are where they are, and say nothing about the person. The report is one slot.", "width": "100%"}, "image": {"alt": "Two rings of twelve slots. In the left one items a, b and c each cover two neighbouring slots, filled blue; the other six are white. In the right one keys a, b and c each own a plus and a minus slot, of which one each is filled; a key d that is not held has two white slots."}}


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
# So the mechanism is ε-LDP under every hash, good or bad, and exactly so where one record is certain to cover $M$ slots and another is certain to cover a slot besides these.
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
# Let $Wm < N$, and let the slots of any $m+1$ keys be independent and uniform.
# Then a report lies in the arc of an item that is among the person's $m$ with probability $p^* = We^\varepsilon/\Omega$, and in that of any other with probability $q^* = W/N$.
# :::
#
# :::{prf:proof}
# The own arc is covered, all $W$ slots of it, whatever the others are; this asks nothing of the hash.
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


check(
    "Same law",
    "wheel inline and the package's Wheel, m = 1 and 2, arcs of one and two slots",
    all(
        same_law(
            lambda items, rng, shape=shape: wheel(items, **shape, eps=1.0, keys=2, rng=rng),
            Wheel(epsilon=1.0, table=2, **shape),
            SETS,
        )
        for shape in (SHAPE, dict(m=2, slots=5, width=1), dict(m=1, slots=5, width=2))
    ),
    control="arcs of one slot for two",
    caught=not same_law(
        lambda items, rng: wheel(items, m=1, slots=5, width=1, eps=1.0, keys=2, rng=rng),
        Wheel(epsilon=1.0, table=2, m=1, slots=5, width=2),
        SETS,
    ),
)

# %% [markdown]
# (sec-wheelkv)=
# ## Wheel-KV, as far as it can be read
#
# {cite:t}`wang2024dynamic` §3.1 turns the wheel to key–value data.
# All formulas are missing from the text that we have, which is that of its web page.
# What is left of Algorithms 1 and 2 is this.
#
# - The client has key–value data, a hash function with a random seed, ε and a *cover parameter*.
#   It discretises something, maps the original data to something, and adjusts something by the size of the value, which gives its output.
# - The server goes through two nested loops, with a test of two parts joined by "or", inside it a second such test with an else-branch, and then through a third loop.
# - §3.2 adds that the probability of the perturbation lies between two bounds that do not depend on the keys, and that the output is a real number.
#
# We take the lost parts to be these.
# Values become signs; keys are hashed to a circle; the third loop corrects the counts.
# Two tests joined by "or" are an arc on a circle that may wrap around, so the first test asks whether the report is in the arc of the key, and the second, inside it, in which half: the sign.
#
# ### One reading
#
# What is it that the value adjusts?
# If it is the report, then the client draws the wheel's point for its *keys*, and moves it into the half of the arc that belongs to the sign.
# For one pair the other half of that arc is then never reported.


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
print(f"a report moved by the sign, four slots, two keys: ε = {literally}")

# %% [markdown]
# A report in the half of − says for certain that the person does not hold the key with a +.
# Nothing in the text says that this is what was meant.
#
# ### A reconstruction
#
# The sign has to be part of what is *covered*, not of what is moved afterwards.
# Give each key two neighbouring slots, one for + and one for −; a pair covers the one of its sign, and the wheel is spun over the slots that all pairs cover.
# Then it is the hashed place that the value adjusts.
# The text says that the adjustment gives the final output, which fits the other reading better; but that one is not private.
# The rest fits, too: a seeded hash, two nested tests, a real number ($z/N$), probabilities between two bounds that do not depend on the keys, a client that knows no list of keys.


# %%
def wheel_kv(record, m, slots, eps, keys, rng):
    """Wheel-KV, our reconstruction."""
    seed = hashed(slots, keys, rng)
    mine = choose(record, m, rng)
    cover = {(seed[key] + (sign(record[key], rng) < 0)) % slots for key in mine}
    cover |= {pick(range(slots), rng) for _ in range(m - len(mine))}
    return seed, spin(cover, slots, m, eps, rng)


# %% [markdown]
# It is a wheel with $W = 1$, so {prf:ref}`thm-wheel-privacy` holds: ε-LDP for whole records, under every hash.
#
# :::{prf:theorem} What a Wheel-KV report says about a key
# :label: thm-wheelkv-estimate
# Let $N > \max(m, 2)$ and let the slots of any $m+1$ keys be independent and uniform.
# About a pair that is among the person's $m$, a report names the slot of the own sign, and that of the other sign, with the probabilities
#
# $$ \alpha = \frac{e^\varepsilon}{N + m(e^\varepsilon-1)}, \qquad \beta = \frac{1-\alpha}{N-1}; $$
#
# about any other key it names either of the two slots with probability $\gamma = \frac1N$.
# So Wheel-KV is one more row of the calculus, with $w = 1$: with $\Delta = \alpha - \frac1N$,
# $T = \Delta\frac{N-2}{N-1}$ and $D = \Delta\frac N{N-1}$, and its estimates are exactly unbiased where nobody has more than $m$ pairs.
# (Of more than $m$, each counts as $m/|S|$ of a person.)
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
            WheelKV(epsilon=1.0, table=2, m=m, slots=slots),
            [*PAIRS, {0: 1.0, 1: -0.5}],
        )
        for m, slots in ((1, 4), (2, 4))
    ),
    control="the report moved by the sign",
    caught=not same_law(
        lambda record, rng: literal(record, 4, 1.0, 2, rng), WheelKV(epsilon=1.0, table=2, m=1, slots=4), PAIRS
    ),
)

# %% tags=["hide-input"]
TWO = [{}, *({k: v} for k in (0, 1) for v in (1.0, -1.0)), {0: 1.0, 1: 1.0}, {0: 1.0, 1: -1.0}, {0: -1.0, 1: -1.0}]


def under(seed, m, slots, eps=1.0):
    """Exact ε of the inline client under one hash."""

    def client(record, rng):
        cover = {(seed[key] + (v < 0)) % slots for key, v in record.items()}
        cover |= {pick(range(slots), rng) for _ in range(m - len(record))}
        return spin(cover, slots, m, eps, rng)

    return epsilon(laws(client, [record for record in TWO if len(record) <= m]))


over_all = {
    (m, slots): epsilon(laws(lambda r, rng, m=m, slots=slots: wheel_kv(r, m, slots, 1.0, 2, rng), TWO))
    for m, slots in ((1, 4), (2, 4), (2, 5))
}
print(f"m = 2, four slots, ε under one hash: (0, 0) {under((0, 0), 2, 4):.3f}, (0, 2) {under((0, 2), 2, 4):.3f}")


def narrow(record, rng):  # the control: two covered slots, where Ω is that of one
    seed = hashed(5, 2, rng)
    cover = {(seed[key] + (v < 0)) % 5 for key, v in record.items()} or {0}
    return seed, spin(cover, 5, 1, 1.0, rng)


check(
    "Wheel-KV",
    "law of the inline client, two keys, all records of signs: ε over all hashes, m = 1 and 2",
    all(abs(found_epsilon - 1) < 1e-12 for found_epsilon in over_all.values()) and under((0, 0), 2, 4) < 1,
    control=f"m = 2 at the Ω of m = 1, ε = {epsilon(laws(narrow, TWO)):.3f}",
    caught=epsilon(laws(narrow, TWO)) > 1.01,
)

# %% [markdown]
# And {prf:ref}`thm-wheelkv-estimate` on every small circle: all hashes of $m+1$ keys, both signs, all numbers of pairs from 0 to $m$.


# %%
@cache
def spun(covered, slots, m, eps):
    """Chance of one covered slot and of one left free, from the law of `spin`."""
    one = law(lambda rng: spin(set(range(covered)), slots, m, eps, rng))
    return float(one[0]), float(one[slots - 1])


def circle(slots, m, eps, held):
    """Law of a report under each hash: a row for the slots of keys 0, …, held, and of what stands in for missing pairs.

    Keys 0, …, held − 1 are held, and what is hashed to a row is the slot of their sign; key `held` is not.
    """
    rows = np.array(list(product(range(slots), repeat=m + 1)))
    covered = np.zeros((len(rows), slots), bool)
    for column in np.delete(rows, held, 1).T:
        covered[np.arange(len(rows)), column] = True
    chances = np.array([spun(size, slots, m, eps) if size else (0, 0) for size in range(m + 1)])[covered.sum(1)]
    return rows, np.where(covered, chances[:, :1], chances[:, 1:])


def small_circle(slots, m, eps, beta=None):
    """How far α, β and γ are off, over all hashes."""
    off, alpha = 0.0, exp(eps) / (slots + m * (exp(eps) - 1))
    beta = (1 - alpha) / (slots - 1) if beta is None else beta
    expected = {True: (alpha, beta), False: (1 / slots, 1 / slots)}
    for held in range(m + 1):
        rows, chances = circle(slots, m, eps, held)
        for key, side in product(
            range(held + 1), (1, -1)
        ):  # the other sign's slot follows that of +, precedes that of −
            own = chances[np.arange(len(rows)), rows[:, key]].mean()
            other = chances[np.arange(len(rows)), (rows[:, key] + side) % slots].mean()
            off = max(off, np.abs(np.subtract((own, other), expected[key < held])).max())
    return off


# %% tags=["hide-input"]
CIRCLES = [(slots, m) for m in (1, 2, 3, 4) for slots in range(max(m, 2) + 1, 9)]
check(
    "Small circles",
    f"{len(CIRCLES)} circles up to 8 slots and 4 pairs, three ε: α, β and γ as in the theorem",
    all(small_circle(slots, m, eps) < 1e-9 for slots, m in CIRCLES for eps in (0.5, 1.0, 3.0)),
    control="β set equal to γ, as in the wheel for sets",
    caught=all(small_circle(slots, m, 1.0, beta=1 / slots) > 1e-3 for slots, m in CIRCLES),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle("wang2024.wheelkv")

# %% [markdown]
# For one pair per person the wheel is an old acquaintance: with $N = e^\varepsilon+3$ slots, if that were a whole number, α, β and γ would be those of PCKV-UE.
# A report of $\lceil\log_2 N\rceil$ bits then says what PCKV-UE says in two bits for every key.
# The vector's answers about all other keys are noise of the client's; the wheel takes that noise from the public seed.
#
# (sec-wheel-slots)=
# ### How many slots
#
# The number of slots is free.
# Few slots and the arcs of others cover too much; many, and a report seldom falls into the own slot.
# A rare key has the noise $n\Var\hat f = \frac2N\big(1-\frac2N\big)/T^2$ and $n\Var\hat s = \frac2N/D^2$, and we take the $N$ with the least sum.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-wheel-slots", "caption": "Noise of a rare key under Wheel-KV, our reconstruction, at ε = 1 against the number of slots, for m = 1, 4 and 8 pairs: frequency (solid) and frequency times mean (dashed), each circle of a whole number of slots; dots mark the least sum of both. For m = 4 and 8 the curves are flat near the best number: a tenth more or fewer slots cost less than 2 %."}, "image": {"alt": "Log-log plot of noise against the number of slots from 3 to 300. For each m a solid and, below it, a dashed curve, which fall steeply and rise slowly (the dashed one of m = 1 only rises), with dots at 5, 19 and 39 slots."}}
fig, ax = plt.subplots()
for i, m in enumerate((1, 4, 8)):
    circles = np.unique(np.geomspace(max(m, 2) + 1, 300, 60).astype(int))
    noise = np.array([WheelKV(epsilon=1.0, m=m, slots=int(N)).variance(Records.of({}), [0])[0, :, 0] for N in circles])
    best = WheelKV(epsilon=1.0, m=m)
    at_best = best.variance(Records.of({}), [0])[0, :, 0]
    for which, dashes in ((0, "-"), (1, "--")):
        ax.plot(circles, noise[:, which], dashes, color=f"C{i}", marker="")
        ax.plot(best.slot_count, at_best[which], "o", color=f"C{i}")
    ax.text(best.slot_count, at_best[0] * 1.25, f"m = {m}", color=f"C{i}", ha="center")
for dashes, what in (("-", "frequency"), ("--", "frequency × mean")):
    ax.plot([], [], dashes, color="black", marker="", label=what)
ax.set(xscale="log", yscale="log", xlabel="slots N", ylabel="noise of a rare key", ylim=(5, 1000))
ax.set_xticks([3, 5, 10, 20, 50, 100, 300], ["3", "5", "10", "20", "50", "100", "300"])
ax.minorticks_off()
ax.legend(loc="upper right")
plt.show()

# %% tags=["hide-input"]
BUDGETS = (0.2, 0.5, 1.0, 2.0, 4.0)
best_slots = {(m, eps): WheelKV(epsilon=eps, m=m).slot_count for m in (1, 4, 8) for eps in BUDGETS}
table(
    pd.DataFrame(
        [
            {
                "best N (bits)": f"m = {m}",
                **{
                    f"ε = {eps:g}": f"{best_slots[m, eps]} ({WheelKV(epsilon=eps, m=m).report_bits})" for eps in BUDGETS
                },
            }
            for m in (1, 4, 8)
        ]
    )
)


# %% tags=["hide-input"]
def on_wheel(eps, m, slots=0):
    return rare(WheelKV(epsilon=eps, m=m, slots=slots), [0])


check(
    "One pair",
    "m = 1, e^ε = 2, N = 5: α, β and γ are those of PCKV-UE with ℓ = 1",
    np.allclose(
        [float(x) for x in WheelKV(epsilon=log(2), m=1, slots=5).answer],
        [float(x) for x in PCKVUE(d=4, ell=1, epsilon=log(2)).answer],
        atol=1e-15,
    ),
    control="N = 6",
    caught=not np.allclose(
        [float(x) for x in WheelKV(epsilon=log(2), m=1, slots=6).answer],
        [float(x) for x in PCKVUE(d=4, ell=1, epsilon=log(2)).answer],
        atol=1e-3,
    ),
)
check(
    "Best slots",
    "15 circles: the sum of both noises is no smaller with one slot more or fewer",
    all(
        on_wheel(eps, m, N).sum()
        <= min(on_wheel(eps, m, N + 1).sum(), on_wheel(eps, m, N - 1).sum() if max(m, 2) + 1 < N else inf)
        for (m, eps), N in best_slots.items()
    ),
    control="twice as many slots",
    caught=all(on_wheel(eps, m, 2 * N).sum() > 1.02 * on_wheel(eps, m, N).sum() for (m, eps), N in best_slots.items()),
)

# %% [markdown]
# (sec-wheel-hash)=
# ## A hash that is good enough
#
# Tables of slots are for proofs.
# A real client hashes keys that it has never seen, from a seed of a few words, and so does a server with a million candidates and a hundred thousand reports.
# The theorem asks for $m+1$ slots that are independent, which is more than hashing usually promises: pairwise independence, all that {ref}`ch-frequency` needed, is not enough.
#
# *Multiply-shift* takes the top of $(ax+c) \bmod 2^{32}$ with random words $a, c$, and is as good as independent for two keys whose difference is not divisible by a large power of two.
# For three keys in a row it is not: $x - 2(x+1) + (x+2) = 0$, so the third slot is known from the other two, but for the last bits.
# Catalogues number their items in a row, and people like neighbours (two films of a series, two sizes of a shirt).
# So `ldpnb` first mixes each key into two words $x, y$ by a public bijection, and takes the top of $(ax+by+c) \bmod 2^{32}$: linear relations are still there, but between keys that a catalogue has together only by accident.


# %%
def end_to_end(mechanism, hash_of, words, trials, rng):
    """Estimates of held keys, and of one that is not held: people hold m keys in a row, with signs + and − in turn."""
    n, keys = 50_000, np.arange(mechanism.m + 1)  # everybody holds 0, …, m − 1; nobody holds m
    found = []
    for _ in range(trials):
        slots = hash_of(rng.integers(0, 2**32, (n, 1, words), np.uint32), keys)
        z = mechanism.circle.spin((slots + keys % 2)[:, :-1] % mechanism.slot_count, rng)
        past = (z[:, None] - slots) % mechanism.slot_count
        plus, minus = ((past == side).sum(0) for side in (0, 1))
        found.append(mechanism.estimate(Tally(mechanism, n, np.stack([minus, n - minus - plus, plus], -1), (*keys,))))
    return np.array(found)


def one_word(slots):
    """Multiply-shift of the keys as they are."""
    return lambda seeds, keys: (
        ((seeds[..., 0] * keys.astype(np.uint32) + seeds[..., 1]).astype(np.uint64) * np.uint64(slots)) >> np.uint64(32)
    ).astype(np.int64)


# %% tags=["hide-input"]
rows, z_scores = [], {"mixed": 0.0, "one word": 0.0}
for m in (2, 4, 8):
    mechanism = WheelKV(epsilon=1.0, m=m)
    everybody = Records.of({k: (-1.0) ** k for k in range(m)})
    # the score of a person with a given hash has its variance; 50,000 people, 20 times
    error = np.sqrt(mechanism.variance(everybody, range(m + 1))[0] / (50_000 * 20))
    truth = mechanism.expected(everybody, range(m + 1))[0]
    for name, family, words in (("mixed", mechanism.hash, 3), ("one word", one_word(mechanism.slot_count), 2)):
        found = end_to_end(mechanism, family, words, 20, rng).mean(0)
        z_scores[name] = max(z_scores[name], np.abs((found - truth) / error).max())
        rows.append(
            {
                "m": m,
                "hash": name,
                **{
                    f"largest error of {which}": f"{max((found - truth)[i].tolist(), key=abs):+.2f}".replace("-", "−")
                    for i, which in enumerate(("f̂", "ŝ"))
                },
                "standard errors": f"{error[0].max():.3f}, {error[1].max():.3f}",
            }
        )
table(pd.DataFrame(rows))

# %% tags=["hide-input"]
check(
    "Real hash",
    "keys in a row, m = 2, 4, 8, a million people each: all 34 estimates within 6 standard errors",
    z_scores["mixed"] < 6,  # a false alarm below 1e-7
    control="one-word multiply-shift",
    caught=z_scores["one word"] > 10,
)

# %% [markdown]
# (sec-wheel-figure)=
# ## Five mechanisms
#
# Fig. 3 of the paper compares five mechanisms on 100,000 people with 8 pairs each out of 512 keys (its Table 3).
# Errors are mean square errors of frequency and of mean, over all keys or over the most frequent ones, such as the first 50 (§4.1; the figure's caption names the mean alone, the text below it both).
# Four mechanisms are named; as the fifth we take state encoding.
# PrivKVM has three rounds, half of its budget for keys and a sixth for the values of each round, PCKV has $\ell = 8$, and the mean is the clipped ratio of {ref}`ch-keyvalue` (PrivKVM's is its last round's).
# Budgets are as stated, so PrivKVM spends less than ε.
#
# Of the law of keys and values our text has only the words uniform and Gaussian.
# We draw each person's 8 keys uniformly, or from a half-Gaussian over the list of keys, whose standard deviation is a third of its length; each key has a mean value, uniform on $[-1, 1]$ or Gaussian with standard deviation ⅓, and values scatter about it with standard deviation ¼, rounded to eighths.
# The range of ε is not in the text; we take 0.5 to 6.

# %% tags=["hide-input"]
PEOPLE, KEYS, HELD, TOP, TRIALS = 100_000, 512, 8, 50, 20
ASKED = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)


def distinct(draw, n, m):
    """m distinct keys for each of n people: what is repeated is drawn again."""
    keys = draw((n, m))
    while True:
        order = np.argsort(keys, 1, kind="stable")
        ordered = np.take_along_axis(keys, order, 1)
        repeated = np.zeros(keys.shape, bool)
        np.put_along_axis(repeated, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], 1)
        if not repeated.any():
            return keys
        keys[repeated] = draw(int(repeated.sum()))


def crowd(kind, rng, n=PEOPLE, d=KEYS, m=HELD):
    """People with m pairs each: uniform or Gaussian keys and mean values."""

    def half_gaussian(shape):
        rank = np.abs(rng.normal(0, d / 3, shape)).astype(int)
        while (rank >= d).any():
            rank[rank >= d] = np.abs(rng.normal(0, d / 3, int((rank >= d).sum()))).astype(int)
        return rank

    keys = distinct(half_gaussian if kind == "Gaussian" else lambda shape: rng.integers(0, d, shape), n, m)
    means = np.clip(rng.normal(0, 1 / 3, d), -1, 1) if kind == "Gaussian" else rng.uniform(-1, 1, d)
    values = np.clip(means[keys] + rng.normal(0, 1 / 4, keys.shape), -1, 1)
    return Records.from_arrays(np.repeat(np.arange(n), m), keys.ravel(), np.round(8 * values.ravel()) / 8)


def five(eps, d, m):
    """The mechanisms of Fig. 3."""
    return {
        "Wheel-KV": WheelKV(epsilon=eps, m=m),
        "PCKV-UE": PCKVUE(d=d, ell=m, epsilon=eps),
        "PCKV-GRR": PCKVGRR(d=d, ell=m, epsilon=eps),
        "SE": StateEncoding(d=d, epsilon=eps),
        "PrivKVM": PrivKV(d=d, key_epsilon=eps / 2, value_epsilon=eps / 6),  # each of three rounds
    }


def errors(name, mechanism, population, top, trials, rng):
    """Squared errors over all keys and the top ones: exact for frequencies, simulated for both."""
    f, m = population.frequency, population.mean
    if name == "PrivKVM":
        stated = dict(key_epsilon=float(mechanism.key_epsilon), value_epsilon=3 * float(mechanism.value_epsilon))
        run = privkvm_marginals(population, **stated, rounds=3, trials=trials, rng=rng)
        frequency, mean = run.frequency, np.clip(run.means[:, -1], -1, 1)
    else:
        estimate = mechanism.estimate(mechanism.simulate_marginals(population, trials=trials, rng=rng))
        frequency, mean = estimate[:, 0], clipped_mean(estimate, population.n)
    rows = []
    for which, keys in (("all keys", slice(None)), ("top 50", np.argsort(-f, kind="stable")[:top])):
        squares = {"frequency": (frequency - f)[:, keys] ** 2, "mean": (mean - m)[:, keys] ** 2}
        for what, square in squares.items():
            each = square.mean(1)
            rows.append({"keys": which, "what": what, "mse": each.mean(), "bar": 1.96 * each.std() / trials**0.5})
    return rows


CROWDS = {kind: crowd(kind, rng) for kind in ("uniform", "Gaussian")}
POPULATIONS = {kind: holdings(people, KEYS, sizes=True) for kind, people in CROWDS.items()}


def fig3_point(kind, eps, name, rng):
    return errors(name, five(eps, KEYS, HELD)[name], POPULATIONS[kind], TOP, TRIALS, rng)


NAMES = list(five(1.0, 2, 1))
fig3 = sweep(fig3_point, rng=rng, kind=list(CROWDS), eps=ASKED, name=NAMES)
top_keys = {kind: np.argsort(-p.frequency, kind="stable")[:TOP] for kind, p in POPULATIONS.items()}
exact3 = {  # expected squared error of each frequency: its variance, as nothing is cut
    (kind, eps, name): mechanism.spread(people, *([range(KEYS)] if name == "Wheel-KV" else [])).variance[0]
    for kind, people in CROWDS.items()
    for eps in ASKED
    for name, mechanism in five(eps, KEYS, HELD).items()
}

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-wheel-fig3", "caption": "Fig. 3 of the paper at its own size, for Gaussian keys; Wheel-KV is our reconstruction. Mean square error over the 50 most frequent of 512 keys, 100,000 people with 8 pairs each. Lines on the left: exact; markers: means of 20 runs with 95 % bars; on the right simulated alone. Wheel-KV is lowest up to ε = 3, PCKV-GRR from 5 on; at 4 they are about equal.", "width": "100%"}, "image": {"alt": "Two panels, logarithmic error against epsilon from 0.5 to 6. All five curves fall. Left, frequency: Wheel-KV lowest until about 4, then PCKV-GRR, which falls fastest; PCKV-UE, SE and PrivKVM above. Right, mean: all five between 0.6 and 1 at the left; Wheel-KV lowest until about 4, then PCKV-GRR, with PCKV-UE, SE and PrivKVM above."}}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 4.2))
for i, name in enumerate(NAMES):
    picked = fig3.query("kind == 'Gaussian' and name == @name and keys == 'top 50'")
    keys = top_keys["Gaussian"]
    axes[0].plot(ASKED, [exact3["Gaussian", eps, name][keys].mean() for eps in ASKED], **line(i))
    for ax, what in zip(axes, ("frequency", "mean"), strict=True):
        seen = picked[picked["what"] == what]
        ax.errorbar(seen["eps"], seen["mse"], seen["bar"], **dots(i), markersize=4, label=name)
    axes[1].plot(seen["eps"], seen["mse"], **line(i) | {"linewidth": 0.8})
for ax, what in zip(axes, ("frequency", "mean"), strict=True):
    ax.set(yscale="log", xlabel="privacy budget ε", title=what)
axes[0].set(ylabel="mean square error, top 50")
fig.legend(*axes[1].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %% tags=["hide-input"]
shown = fig3.query("kind == 'Gaussian' and eps in (1, 3, 5)")
table(
    pd.DataFrame(
        [
            {
                "ε": f"{eps:g}",
                "mechanism": name,
                **{
                    f"{what}, {keys}": ("{:.1e}" if what == "frequency" else "{:.3f}").format(each["mse"].iloc[0])
                    for (what, keys), each in rows.groupby(["what", "keys"], sort=False)
                },
            }
            for (eps, name), rows in shown.groupby(["eps", "name"], sort=False)
        ]
    )
)

# %% tags=["hide-input"]


def simulated(kind, eps, name, what="frequency", keys="all keys"):
    return fig3.query("kind == @kind and eps == @eps and name == @name and what == @what and keys == @keys")[
        "mse"
    ].iloc[0]


ratios = [
    simulated(kind, eps, name) / exact3[kind, eps, name].mean() for kind in CROWDS for eps in ASKED for name in NAMES
]
# the mean of 512 × 20 squared errors scatters by √(2/10240) = 1.4 % of itself
check(
    "Fig. 3",
    f"{len(ratios)} simulated frequency errors over all keys within 9 % of the exact ones",
    max(abs(ratio - 1) for ratio in ratios) < 0.09,  # more than six standard errors each
    control="PCKV-UE simulated with ℓ = 7",
    caught=abs(
        errors(
            "PCKV-UE",
            PCKVUE(d=KEYS, ell=7, epsilon=1.0),
            POPULATIONS["uniform"],
            TOP,
            TRIALS,
            np.random.default_rng(7),
        )[0]["mse"]
        / exact3["uniform", 1.0, "PCKV-UE"].mean()
        - 1
    )
    > 0.09,
)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
def order(kind, eps, what, keys="top 50"):
    """Mechanisms by their error, the smallest first; frequencies by the exact one."""
    if what == "frequency":
        return sorted(NAMES, key=lambda name: exact3[kind, eps, name][top_keys[kind]].mean())
    return sorted(NAMES, key=lambda name: simulated(kind, eps, name, what, keys))


BOTH = [(kind, what) for kind in CROWDS for what in ("frequency", "mean")]
settle(
    "wang2024.fig3-falls",
    holds={
        "frequency": all(
            exact3[kind, a, name][top_keys[kind]].mean() > exact3[kind, b, name][top_keys[kind]].mean()
            for kind in CROWDS
            for name in NAMES
            for a, b in pairwise(ASKED)
        ),
        "mean": all(
            simulated(kind, 1, name, "mean", "top 50")
            > simulated(kind, 3, name, "mean", "top 50")
            > simulated(kind, 6, name, "mean", "top 50")
            for kind in CROWDS
            for name in NAMES
        ),
    },
)
settle(
    "wang2024.fig3-wheel",
    holds={
        "up-to-three": all(order(kind, eps, what)[0] == "Wheel-KV" for kind, what in BOTH for eps in ASKED if eps <= 3),
        "above-three": all(
            order(kind, eps, what)[:2] == ["PCKV-GRR", "Wheel-KV"] for kind, what in BOTH for eps in (5.0, 6.0)
        ),
    },
)
settle(
    "wang2024.top-n",
    holds={
        "top": simulated("Gaussian", 2, "Wheel-KV", "mean", "top 50") < 0.2,
        "all": simulated("Gaussian", 2, "Wheel-KV", "mean") > 0.4,
        "uniform": simulated("uniform", 2, "Wheel-KV", "mean", "top 50")
        < simulated("uniform", 2, "Wheel-KV", "mean") / 2,
    },
)
settle("wang2024.table3")
settle("wang2024.mse")
settle(
    "wang2024.protection",
    holds={
        "within": all(
            mechanism.realised_epsilon <= 1 for name, mechanism in five(1.0, KEYS, HELD).items() if name != "PrivKVM"
        )
        and privkvm_epsilon(0.5, 0.5, 3) <= 1,
        "same": privkvm_epsilon(0.5, 0.5, 3) > 0.99,
    },
)

# %% [markdown]
# The paper says that all errors fall with ε, and that Wheel-KV does well in both respects.
# In our reconstruction it does: at $\varepsilon = 1$ the squared error of its frequencies is about an eighth of the next best one's.
# Two things are worth seeing besides.
#
# The mean of *all* keys is out of reach at small ε for every method: a key that one in 64 people holds has a frequency below its own standard error, and the ratio is a guess.
# That is what the top 50 are for, where keys differ in frequency; of uniform keys the top 50 are hardly better.
#
# And above $\varepsilon \approx 4$ PCKV-GRR is better.
#
# (sec-wheel-crossing)=
# ### A circle or a list
#
# A rare key has the noise {eq}`eq-pckv-noise` under PCKV-GRR, which has a part that grows with the number of keys, and under Wheel-KV one that knows nothing of it.
# If ε is large enough for the list, the list wins.
# {numref}`fig-wheel-crossing` counts the noise of held keys as well: all $d$ keys of a person with $m = 8$ of them.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-wheel-crossing", "caption": "Variance of PCKV, summed over all keys, as a multiple of that of Wheel-KV (our reconstruction), for people with m = ℓ = 8 pairs: frequency (solid) and frequency times mean (dashed, values near 0). PCKV-GRR falls below Wheel-KV (below 1) at a budget that grows with the number of keys; PCKV-UE, drawn for 512 keys, stays above it."}, "image": {"alt": "Ratio on a logarithmic axis from 0.4 to 300 against epsilon from 0.5 to 8. Lines for 64, 512 and 10,000 keys fall and cross the line at one near epsilon 1.7, 4 and 7, solid and dashed together; PCKV-UE's solid line falls from 9 to 1.6, its dashed one rises from 5 to 7 and falls with it."}}


def over_keys(mechanism, d, named=()):
    """Variance per person, summed over all keys, of people with 8 pairs of value 0: frequency, frequency × mean."""
    some = [range(9)] if named else []
    noise = mechanism.variance(Records.of(dict.fromkeys(range(8), 0.0)), *some)[0]
    return 8 * noise[:, 0] + (d - 8) * noise[:, 8]


def best_slots_of(eps):
    return WheelKV(epsilon=eps, m=8).slot_count


def times_wheel(eps, d, pckv=PCKVGRR):
    wheel_noise = over_keys(WheelKV(epsilon=eps, m=8), d, named=True)
    return over_keys(pckv(d=d, ell=8, epsilon=eps), d) / wheel_noise


fine = np.linspace(0.5, 8, 26)
fig, ax = plt.subplots()
for i, d in enumerate((64, 512, 10_000)):
    ratio = np.array([times_wheel(eps, d) for eps in fine])
    ax.plot(fine, ratio[:, 0], "-", color=f"C{i}", marker="os^"[i], markevery=5, label=f"PCKV-GRR, d = {d:,}")
    ax.plot(fine, ratio[:, 1], "--", color=f"C{i}", marker="os^"[i], markevery=5)
ratio = np.array([times_wheel(eps, 512, PCKVUE) for eps in fine])
ax.plot(fine, ratio[:, 0], "-", color="C4", marker="v", markevery=5, label="PCKV-UE, d = 512")
ax.plot(fine, ratio[:, 1], "--", color="C4", marker="v", markevery=5)
ax.axhline(1, color="black", linewidth=1, linestyle="-", marker="")
ax.set(yscale="log", xlabel="privacy budget ε", ylabel="variance / variance of Wheel-KV")
ax.legend()
plt.show()

# %% tags=["hide-input"]
crossing = {
    (d, which): brentq(lambda eps, d=d, which=which: log(times_wheel(eps, d)[which]), 0.5, 9, xtol=1e-3)
    for d in (64, 512, 10_000)
    for which in (0, 1)
}
table(
    pd.DataFrame(
        [
            {
                "PCKV-GRR better above ε": what,
                **{f"d = {d:,}": f"{crossing[d, which]:.1f}" for d in (64, 512, 10_000)},
            }
            for which, what in enumerate(("frequency", "frequency × mean"))
        ]
    )
)

# %% [markdown]
# To the right of the crossings part of the gap is our choice of $N$, which is best for rare keys.
# There a circle with fewer slots serves the held keys better; the crossings hardly move.

# %% tags=["hide-input"]
for d, eps in ((64, 8.0), (512, 6.0), (64, 1.6), (512, 4.0), (10_000, 7.0)):
    grr = over_keys(PCKVGRR(d=d, ell=8, epsilon=eps), d)[0]
    tried = [
        over_keys(WheelKV(epsilon=eps, m=8, slots=int(N)), d, named=True)[0]
        for N in np.unique(np.geomspace(20, best_slots_of(eps), 80).astype(int))
    ]
    print(
        f"d = {d}, ε = {eps:g}: ratio {times_wheel(eps, d)[0]:.2f}, with the best N for these people {grr / min(tried):.2f}"
    )

# %% [markdown]
# (sec-wheel-clothing)=
# ### On people who rent clothes
#
# The authors of PCKV measured on ratings of how well rented clothes fit: 105,508 people, 5,850 pieces, values −1 to 1 in halves.
# We have that data, too, but may not pass it on; the table is a recorded result.
# Most of these people rate a single piece, so the choice of $m = \ell$ matters: one pair per person means little noise and a bias where people have more, eight pairs the other way round.
# Squared errors are of the 50 most rated pieces; those of the frequency are exact, those of the mean from 20 runs.


# %% tags=["hide-input"]
def real_errors(seed, trials, top):
    """Error of frequency (variance and squared bias, exact) and of the mean (simulated), for the most frequent keys."""
    records, d, rng = datasets.clothing(), 5850, np.random.default_rng(seed)
    population = holdings(records, d, sizes=True)
    keys = np.argsort(-population.frequency, kind="stable")[:top]
    rows = []
    for eps in (1.0, 2.0, 4.0):
        for m in (1, 2, 4, 8):
            for name in ("Wheel-KV", "PCKV-UE", "PCKV-GRR"):
                mechanism = five(eps, d, m)[name]
                some = [keys] if name == "Wheel-KV" else []
                variance = mechanism.spread(records, *some).variance[0]
                variance = variance if some else variance[keys]
                counted = population.by_key(population.counts * mechanism.used(population.sizes)) / mechanism.w
                bias = counted / population.n - population.frequency
                estimate = mechanism.estimate(mechanism.simulate_marginals(population, trials=trials, rng=rng))
                mean = (clipped_mean(estimate, population.n) - population.mean)[:, keys] ** 2
                rows.append(
                    {
                        "eps": eps,
                        "m": m,
                        "name": name,
                        "variance": variance.mean(),
                        "bias2": (bias[keys] ** 2).mean(),
                        "mean": mean.mean(),
                    }
                )
    mechanism = WheelKV(epsilon=4.0, m=2)
    runs = [mechanism.estimate(mechanism.tally(mechanism.perturb(records, rng=rng), keys))[0] for _ in range(trials)]
    squares = ((np.array(runs) - population.frequency[keys]) ** 2).mean()
    return pd.DataFrame(
        [*rows, {"eps": 4.0, "m": 2, "name": "reports", "variance": squares, "bias2": 0.0, "mean": 0.0}]
    )


def real_facts():
    """What the choice of m depends on."""
    records = datasets.clothing()
    share = np.sort(np.bincount(records.keys, minlength=5850) / len(records))[::-1]
    return {
        "people": len(records),
        "single": float((records.sizes == 1).mean()),
        "most": int(records.sizes.max()),
        "first": float(share[0]),
        "fiftieth": float(share[49]),
    }


facts = recorded("wang2024.clothing-facts", real_facts, dataset="clothing")
print(
    f"{facts['people']:,} people, {facts['single']:.0%} of whom rate one piece, and one {facts['most']}; "
    f"shares of the 50 most rated pieces: {facts['first']:.2%} to {facts['fiftieth']:.2%}"
)
clothing = recorded(
    "wang2024.clothing", real_errors, dataset="clothing", parameters={"seed": 22, "trials": 20, "top": TOP}
)
real_reports, clothing = clothing.query("name == 'reports'").iloc[0], clothing.query("name != 'reports'")
best_of = (
    clothing.assign(total=clothing["variance"] + clothing["bias2"])
    .sort_values("total", kind="stable")
    .groupby(["eps", "name"], sort=False, as_index=False)
    .first()
    .sort_values(["eps", "total"], kind="stable")
)
table(
    pd.DataFrame(
        {
            "ε": [f"{x:g}" for x in best_of["eps"]],
            "mechanism": best_of["name"],
            "best m = ℓ": best_of["m"],
            "variance of f̂": [f"{x:.1e}" for x in best_of["variance"]],
            "squared bias": [f"{x:.1e}" for x in best_of["bias2"]],
            "squared error of the mean": [f"{x:.3f}" for x in best_of["mean"]],
        }
    )
)

# %% tags=["hide-input"]
one = "Wheel-KV"
predicted = clothing.query("eps == 4 and m == 2 and name == 'Wheel-KV'").iloc[0]
print(
    f"Wheel-KV, ε = 4, m = 2: expected squared error {predicted['variance'] + predicted['bias2']:.2e}, "
    f"20 runs with real reports {real_reports['variance']:.2e}; squared error of the mean {predicted['mean']:.3f}, "
    f"with m = 1 {clothing.query('eps == 4 and m == 1 and name == @one')['mean'].iloc[0]:.3f}"
)

# %% [markdown]
# With one pair per person Wheel-KV and PCKV-UE are nearly the same mechanism, one in three to six bits and the other in two bits for every one of 5,850 pieces; PCKV-GRR has far too long a list.
# At $\varepsilon = 4$ the noise of the frequencies is small enough for their bias to matter, and for them a wheel for two pairs is best, which costs about twice the noise of one pair, and four times in PCKV-UE.
# For the means, in which the bias nearly cancels, one pair is better even there, as the line above says.
#
# (sec-wheel-cost)=
# ### What it costs
#
# A report is $\lceil\log_2 N\rceil$ bits and a seed; the seed may be derived from a public number of the person's, and then costs nothing.
# The client is independent of the catalogue; for eight pairs it hashes eight keys and sorts their slots, which takes longer than PCKV-GRR's single draw and much less than a vector.
# The server pays instead: it hashes every candidate under every seed.
# `ldpnb` counts in blocks of reports, with two multiplications and two comparisons for each pair of a report and a key; candidates may be strings, and any list can be counted, also one that nobody had thought of when the reports came in.

# %% tags=["hide-input"]
bench = recorded("bench.catalogue")
cost = bench.query("what != 'scan'").set_index(["mechanism", "what"])
counting = cost.loc[("Wheel-KV", "count")]
print(f"{bench.attrs['processor']}, one core, {bench.attrs['date']}")
table(
    pd.DataFrame(
        [
            {
                "client, 512 keys, m = 8": name,
                "ns a person": f"{cost.loc[(name, 'client'), 'nanoseconds']:,.0f}",
                "÷ Wheel-KV": f"{cost.loc[(name, 'client'), 'nanoseconds'] / cost.loc[('Wheel-KV', 'client'), 'nanoseconds']:.1f}",
            }
            for name in ("Wheel-KV", "PCKV-GRR", "PCKV-UE")
        ]
    )
)

# %% tags=["hide-input"]
print(
    f"counting {int(counting['keys']):,} strings in {int(counting['n']):,} reports: "
    f"{counting['nanoseconds']:.2f} ns a report and key, {counting['nanoseconds'] * counting['n'] * counting['keys'] / 1e9:.0f} s, "
    f"{bench.attrs['largest memory of the run, MB']} MB in all"
)

# %% [markdown]
# (sec-wheel-designs)=
# ## Appendix: other designs
#
# The words of the paper fit more than one mechanism.
# Three others deserve a look, if only to see why they are not the one above.
#
# *Longer arcs.* Let a key have two neighbouring arcs of $W$ slots, one for each sign, as on a circle $[0, 1)$.
# Privacy holds as before, but the arc of the other sign is no longer like any other place.
# Where arcs overlap, fewer slots are covered, and those left free are likelier.
# But an arc that overlaps the own one also covers slots next to it, so that just then these are not free and do not share in the gain.
# Corrected as if all places were alike, with $\beta = W\frac{1-p^*}{N-W}$, the estimates are off by up to about one per cent.
#
# *Two hashes.* Let $(k, +)$ and $(k, -)$ be two items of a wheel for sets, hashed separately.
# Both shares are then unbiased, $\hat f$ is their sum and $\hat s$ their difference, both with twice the noise of the wheel for sets.
# The server hashes twice.
# The frequency has less noise than in Wheel-KV and the product more; for one pair per person the sum of both is smaller, at small ε much so, and for more pairs it is nearly the same.
#
# *The moved report, mended.* Draw the wheel's point for the keys with the budget $\ln\frac{e^\varepsilon+1}2$, and move it to the half of the *true* sign with probability $\frac{e^\varepsilon}{e^\varepsilon+1}$ only.
# For one pair that is exactly ε, and indeed the very law of Wheel-KV: $\frac{e^\varepsilon}\Omega$ for the own slot and $\frac1\Omega$ for all others.
# For more, arcs overlap, and it is not private at ε.


# %% tags=["hide-input"]
def longer(slots, width, m, eps):
    """Chance of the own arc and of the other sign's, over all places of the m − 1 others."""
    omega = slots + m * width * (exp(eps) - 1)
    own = other = 0.0
    places = list(product(range(slots), repeat=m - 1))
    for others in places:
        cover = {(start + step) % slots for start in (0, *others) for step in range(width)}
        free = (omega - len(cover) * exp(eps)) / ((slots - len(cover)) * omega)
        own += width * exp(eps) / omega / len(places)
        other += sum(exp(eps) / omega if z in cover else free for z in range(width, 2 * width)) / len(places)
    return own, other


def off_by(slots, width, m, eps=1.0):
    """By how much α − β differs from what exchangeable places would give."""
    own, other = longer(slots, width, m, eps)
    return (own - other) / (own - width * (1 - own) / (slots - width)) - 1


def two_hashes(eps, m):
    """Noise of the sum and the difference of (k, +) and (k, −), on nearly continuous arcs."""
    best = Wheel(epsilon=eps, m=m, width=16)
    return np.full(2, 2 * best.variance(Records.of(set()), [0])[0, 0])


def mended(record, m, slots, eps, seed, rng):
    """The report moved by a sign that is perturbed itself, under one hash."""
    mine = choose(record, m, rng)
    starts = [seed[key] for key in mine] + [pick(range(slots), rng) for _ in range(m - len(mine))]
    cover = {(start + step) % slots for start in starts for step in (0, 1)}
    z = spin(cover, slots, 2 * m, log((exp(eps) + 1) / 2), rng)
    for key in mine:
        if (z - seed[key]) % slots < 2:
            kept = sign(record[key], rng) * (1 if toss(exp(eps) / (exp(eps) + 1), rng) else -1)
            return (seed[key] + (kept < 0)) % slots
    return z


SIGNS3 = [
    {k: float(s) for k, s in enumerate(state) if s}
    for state in product((0, 1, -1), repeat=3)
    if sum(map(abs, state)) < 3
]
mended_epsilon = {
    m: max(
        epsilon(
            laws(lambda r, rng, seed=seed, m=m: mended(r, m, 8, 1.0, seed, rng), [r for r in SIGNS3 if len(r) <= m])
        )
        for seed in ((0, 0, 4), (0, 1, 2), (0, 1, 4), (0, 2, 4))
    )
    for m in (1, 2)
}
table(
    pd.DataFrame(
        [
            {
                "longer arcs, N = 12, W = 2": f"m = {m}",
                "α − β off by": f"{100 * off_by(12, 2, m):.2f} %" if m > 1 else "0",
            }
            for m in (1, 2, 3, 4)
        ]
    )
)

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {
                "Wheel-KV ÷ two hashes": f"m = {m}",
                **{
                    f"ε = {eps:g}": " / ".join(
                        f"{x:.2f}"
                        for x in (
                            *(on_wheel(eps, m) / two_hashes(eps, m)),
                            on_wheel(eps, m).sum() / two_hashes(eps, m).sum(),
                        )
                    )
                    for eps in (0.2, 0.5, 1.0, 2.0)
                },
            }
            for m in (1, 4, 8)
        ]
    )
)

# %% [markdown]
# (Noise of frequency / of the product / sum of both.)

# %% tags=["hide-input"]
for m, found_epsilon in mended_epsilon.items():
    print(f"moved report, mended, ε = 1, eight slots, m = {m}: ε = {found_epsilon:.4f} under the worst of four hashes")


def with_hash(record, rng):
    seed = hashed(6, 2, rng)
    return seed, mended(record, 1, 6, 1.0, seed, rng)


check(
    "Other designs",
    "one-slot arcs exchangeable for m = 1 to 4; the mended report is Wheel-KV for m = 1",
    all(abs(off_by(8, 1, m)) < 1e-12 for m in (1, 2, 3, 4))
    and abs(mended_epsilon[1] - 1) < 1e-12
    and same_law(with_hash, lambda record, rng: wheel_kv(record, 1, 6, 1.0, 2, rng), PAIRS),
    control="two-slot arcs, m = 2; mended report, m = 2",
    caught=off_by(12, 2, 2) > 1e-3 and mended_epsilon[2] > 1.5,
)

# %% [markdown]
# (sec-wheel-wrong)=
# ## What can go wrong
#
# - *One seed for all.* Two keys that collide under it collide for everybody and for ever, and no number of reports tells them apart.
#   The seed has to be each person's own.
# - *Too few of $m$.* A person with more pairs than $m$ counts for less; a person with fewer pairs costs nothing but the noise that $m$ brings.
# - *β set equal to γ.* Whoever corrects Wheel-KV with the two numbers of the wheel for sets multiplies every frequency by $\frac{N-2}{N-1}$ and every product by $\frac N{N-1}$; exercise 2.
# - *Sampling does not save budget by itself.* It does for a report that speaks of one pair ({prf:ref}`thm-pckv-privacy`), and not for one that speaks of all.
# - *Hashes that are independent in pairs.* See {ref}`sec-wheel-hash`.
# - *Looking until something turns up.* Of a million candidates more than a thousand come out three standard errors too large; {ref}`sec-charts-guard` sets the bar higher.
#
# (sec-wheel-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: the limit of many slots
# What does a Wheel-KV report say for $N \to \infty$, and how large is the noise?
# :::
#
# :::{dropdown} Solution
# Then $\Omega \approx N$, no slot is likelier than $e^\varepsilon/N$, and the noise $\frac2N/D^2 \approx \frac{2N}{(e^\varepsilon-1)^2}$ grows without bound: nearly every report falls between all keys.
# The steep left-hand branches of {numref}`fig-wheel-slots` for $m = 4$ and 8 are the opposite fault: with hardly more slots than pairs nearly everything is covered, and a report says little as well.
# :::

# %% tags=["hide-input"]
for slots in (100, 1000, 10_000):
    print(
        f"N = {slots:>6,}: noise {on_wheel(1.0, 4, slots)[1]:9.1f}, 2N/(e − 1)² = {2 * slots / (exp(1) - 1) ** 2:9.1f}"
    )

# %% [markdown]
# :::{admonition} Exercise 2: the wrong correction
# By which factor is a mean off that was estimated with β set equal to γ, for one pair, $\varepsilon = 1$ and the best circle?
# :::
#
# :::{dropdown} Solution
# $\hat f$ is multiplied by $\frac{T}{\alpha-\gamma} = \frac{N-2}{N-1}$ and $\hat s$ by $\frac{D}{\alpha-\gamma} = \frac N{N-1}$, so the mean by $\frac N{N-2}$: two thirds too large for $N = 5$, and a mean of 0.9 becomes 1.5.
# :::

# %% tags=["hide-input"]
alpha, beta, gamma = WheelKV(epsilon=1.0, m=1).answer
wrong_f, wrong_s = (alpha + beta - 2 * gamma) / (alpha - gamma), (alpha - beta) / (alpha - gamma)
print(
    f"N = {best_slots[1, 1.0]}: f × {float(wrong_f):.3f}, product × {float(wrong_s):.3f}, mean × {float(wrong_s / wrong_f):.3f}"
)

# %% [markdown]
# :::{admonition} Exercise 3: a wheel for your own keys
# Let 20,000 people hold up to four of the pages of a small site, with a rating each, and read all estimates from their reports.
# :::
#
# :::{dropdown} Solution
# The keys are strings; `digest` makes them integers for the client, and the server counts the strings themselves.
# :::

# %% tags=["hide-input"]
pages = ["/", "/map", "/help", "/blog", "/blog/2"]
visits = np.array([0.6, 0.3, 0.2, 0.5, 0.0])
rating = np.array([0.2, 0.8, -0.6, 0.4, 0.0])
has = rng.random((20_000, 5)) < visits
user, page = np.nonzero(has)
own = Records.from_arrays(user, digest(pages)[page], rating[page], n=20_000)
site = WheelKV(epsilon=2.0, m=4)
said = site.estimate(site.tally(site.perturb(own, rng=rng), pages))
spread = site.plug_in(said, len(own))
means = mean_of(said, spread)
table(
    pd.DataFrame(
        {
            "page": pages,
            "share": [f"{x:.3f}" for x in has.mean(0)],
            "estimate ± standard error": [
                f"{f:.3f} ± {e:.3f}" for f, e in zip(said[0], np.sqrt(spread.variance[0]), strict=True)
            ],
            "rating": [f"{x:.1f}".replace("-", "−") if share else "—" for x, share in zip(rating, visits, strict=True)],
            "estimate": [
                f"{m:.2f} ± {e:.2f}".replace("-", "−") if ok else "—"
                for m, e, ok in zip(means.mean, means.error, means.reliable, strict=True)
            ],
        }
    )
)

# %% [markdown]
# ## Summary
#
# A report about one of one's own pairs (PCKV), or about all of them at once (the wheel), can tell more than one about a random key of the catalogue; the closed forms say when.
# The wheel's privacy is a property of the circle alone, its estimates rest on the hash, and neither knows the list of keys.
# Our reconstruction of Wheel-KV is ε-LDP under every hash and unbiased under an ideal one; for people with several pairs out of many keys it is the best of five mechanisms up to an ε that grows with the number of keys ({ref}`sec-wheel-crossing`), and for one pair PCKV-UE is as good.
# What a mechanism without a list is good for is the next chapter.
