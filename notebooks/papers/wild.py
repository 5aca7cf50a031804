# %% [markdown]
# (ch-wild)=
# # Found in the wild
#
# *Fourteen public reports on local privacy in other people's code and designs: what was reported, by whom, and who mended it where it is mended.*
#
# Thanks to all who reported, discussed or mended this in public, and to the authors of the papers; each entry names those who reported or mended, as far as a thread or commit names them.
# A library with a list of mended mistakes is one that somebody reads.
# This book has {ref}`such a list <errata>` for five papers, and below is {ref}`one for its audit <wild-glass>`.
#
# (wild-rules)=
# ## Rules of this page
#
# - We print only what a public thread, change log, guide, commit or paper by others says.
#   Every ε, ratio, mean and lower bound is our computation, unless a quotation or a citation gives it.
#   In the entries, sentences with such a number say “(our computation)”.
# - A restatement has the mistake and as little else as possible.
#   It is written in our words, on the coins of `ldpnb.chance`; no code of others is copied.
# - A mended version stands beside the other one.
#   In tables and pictures, “stated” and “mended” are those of our restatement.
#   Where a project has changed nothing (11, 14), “mended” is our version.
# - What our tools find first goes to the maintainers.
#   It is printed when they have answered or released, or after 90 days, with their answer or without one.
# - The state of a thread is that of archived copies, read on 27 November 2026; a thread may have moved on since.
# - To object, {ref}`file an erratum <contributing-erratum>` that names the sentence.
#   We take a disputed sentence out until it is settled.
#
# The laws are those of {ref}`ch-verify`: every branch of a client once, with its probability.
# In each check, the mended version passes the same computation that catches the other one.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports, and what is done with each case"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
import warnings
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from math import exp, frexp, isinf, ldexp, log
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldpnb import GRR, OUE, SUE, SubsetSelection, laws, pick, prove, toss, worst
from ldpnb.chance import odds, weighted
from ldpnb.verify import audit, keeps
from ldpnb_book import COLOURS, check, diagram, recorded, style, table

style()
warnings.filterwarnings("ignore", "this audit says little")  # said in the text
SAMPLES = 4000  # reports of each input for an audit
LAWS = {}


@dataclass
class Case:
    """A client with a mistake, and the mended one, as client(x, ε, rng)."""

    number: int
    name: str
    broken: Any
    mended: Any
    ordinary: list  # inputs
    stated: float
    hidden: tuple = ()  # further inputs of the domain, without which nothing shows
    needs: str = ""
    symbol: bool = False  # whether the coins are formulas in ε
    compared: bool = True  # whether mean and variance can be compared with the mended client's
    grows: bool = False  # with the inputs, without bound
    ours: bool = False  # whether nobody else states this ε

    @property
    def claim(self):
        return ε(self.stated) + ", ours" * self.ours

    @property
    def telling(self):
        return [*self.ordinary, *self.hidden]

    def laws(self, client, inputs):
        asked = client, self.stated, tuple(inputs)
        if asked not in LAWS:
            LAWS[asked] = laws(lambda x, rng: client(x, self.stated, rng), inputs)
        return LAWS[asked]

    def moments(self, client):
        """Mean and variance of each entry of a report."""
        found = []
        for one in self.laws(client, self.ordinary):
            rows = [np.atleast_1d(np.array(y, float)) for y in one]
            size, p = min(map(len, rows)), np.array([float(w) for w in one.values()])
            values = np.array([row[:size] for row in rows])
            mean = p @ values
            found.append((mean, p @ values**2 - mean**2))
        return found

    def unlike(self):
        """Whether mean or variance differ from those of the mended client."""
        pairs = zip(self.moments(self.broken), self.moments(self.mended), strict=True)
        return any(
            not np.allclose(a[: len(b)], b[: len(a)], atol=1e-9)
            for one, other in pairs
            for a, b in zip(one, other, strict=True)
        )

    def audited(self, client):
        """Whether an audit alarms; reports are drawn from the law, which is faster than from the client."""
        known = dict(zip(self.telling, self.laws(client, self.telling), strict=True))

        def reports(x, n, rng):
            values, chances = list(known[x]), np.array([float(w) for w in known[x].values()])
            return [values[i] for i in rng.choice(len(values), n, p=chances / chances.sum())]

        rng = np.random.default_rng(self.number)
        return audit(reports, self.telling, samples=SAMPLES, claimed=self.stated, rng=rng, many=True).flagged


def ε(x, digits=3):
    return "∞" if isinf(x) else f"{x:.{digits}f}"


CASES, FOUND = [], {}


def examine(case):
    """Print the law where it leaks, and check the mended client beside the other."""
    exact = case.laws(case.broken, case.telling)
    found, right = worst(exact), worst(case.laws(case.mended, case.telling))
    print(f"stated {case.claim}; exact ε {ε(found.epsilon)}; mended {ε(right.epsilon)}")
    for at in found.pair:
        print(f"P(report {found.report} | {case.telling[at]}) = {float(exact[at].get(found.report, 0)):.2g}")
    CASES.append(case)
    FOUND[case.number] = found.epsilon, right.epsilon
    return exact, found, right


def settled(number, name, broken, mended, inputs, stated, **about):
    """The usual check of a case: the mended client keeps what is stated, the other does not."""
    case = Case(number, name, broken, mended, inputs, stated, **about)
    exact, found, right = examine(case)
    check(
        f"Case {number}",
        f"mended, exactly {ε(right.epsilon)}",
        keeps(case.laws(mended, case.telling), stated),
        control=f"as it was, {ε(found.epsilon)}{' and more' if case.grows else ''}",
        caught=not keeps(exact, stated),
    )


# %% [markdown]
# (wild-too-little)=
# ## Too little randomness reaches the report
#
# (wild-bitvec)=
# ### 1 · A coin too few
#
# OpenDP's `make_randomized_response_bitvec` flips each bit of a vector with probability $f/2$.
# From 0.11.1 (August 2024) to 0.14.2, it drew one coin less than there are bits, which “results in the last bit not being protected” ([#2707](https://github.com/opendp/opendp/issues/2707)).
# The change that added it ([#1279](https://github.com/opendp/opendp/pull/1279)) came with a proof, “work in progress”, whose pseudocode draws a coin for every bit.
# Michael Shoemate of the project reported the mistake in April 2026.
# A repair with a test of the last bit, also by Shoemate, was merged a day later ([#2708](https://github.com/opendp/opendp/pull/2708)).
# 0.15.0 (May 2026) has the repair.
# Like those of cases 4 and 11, this function is behind OpenDP's flag `contrib`, for “[constructors that have not completed the vetting process](https://github.com/opendp/opendp/blob/main/docs/source/api/user-guide/index.rst)”.


# %%
def flips(number, eps, rng):
    return [toss(1 / (odds(eps / 2) + 1), rng) for _ in range(number)]


def vector(x, eps, rng):  # one coin for each bit
    return tuple(bit ^ coin for bit, coin in zip(x, flips(len(x), eps, rng), strict=True))


def coin_missing(x, eps, rng):
    coins = flips(len(x) - 1, eps, rng)
    return tuple(bit ^ coin for bit, coin in zip_longest(x, coins, fillvalue=0))


settled(1, "OpenDP, bit vector", coin_missing, vector, [(1, 0), (0, 1)], log(9), symbol=True)
# %% [markdown]
# (wild-flower)=
# ### 2 · Noise that is dropped
#
# Flower's `LocalDpMod` clips a model update and adds noise.
# From 1.8.0 (April 2024) to 1.13.1, the call that adds noise returned a noisy copy, which was not used.
# Mohammad Naseri, who had written the module, assigned the result ([#4677](https://github.com/flwrlabs/flower/pull/4677)); 1.14.0 (December 2024) has the repair.
#
# Flower's noise is Gaussian.
# Ours, here and below, is a whole number $n$ with probability proportional to $2^{-|n|}$, where numbers beyond 20 count as 20.
# So a step of one costs $\ln 2$ (our computation, like all below in this noise).
# A message holds numbers from −6 to 6.


# %%
WEIGHTS = [2, *(2 ** (20 - abs(n)) for n in range(-19, 20)), 2]


def noise(rng):
    return int(weighted(WEIGHTS, (), rng)) - 20


def clip(v, low, high):
    return min(max(v, low), high)


def message(v):
    return clip(v, -6, 6)


def noisy(x, eps, rng):
    return message(round(clip(x, 0, 1)) + noise(rng))


def dropped(x, eps, rng):
    noisy(x, eps, rng)
    return clip(x, 0, 1)


settled(2, "Flower, local module", dropped, noisy, [0, 1], log(2))
# %% [markdown]
# (wild-drawn)=
# ### 3 · Accepted, not drawn, sent without noise
#
# NVFlare's `SVTPrivacy` accepts some weights of a model, draws among them *with replacement*, and adds noise to those drawn.
# Up to 2.0.16, accepted weights that were not drawn were sent without noise.
# zincorca reported it, and YuanTingHsieh confirmed it: “it is a bug” ([#343](https://github.com/NVIDIA/NVFlare/issues/343)).
# Wenqi Li (wyli) mended it the same day, 24 March 2022 ([#348](https://github.com/NVIDIA/NVFlare/pull/348)); 2.1.0 and, through Yuan-Ting Hsieh's [#349](https://github.com/NVIDIA/NVFlare/pull/349), 2.0.17 set such weights to 0.
# We leave out the threshold: all of $n$ weights are accepted, and $n$ draws miss one with probability $(1-1/n)^n$, a quarter for two (our computation).
# Noise rounds first, so a weight without noise shows by its digits, as among real numbers.


# %%
def drawn(w, rest, rng):
    hit = {pick(range(len(w)), rng) for _ in w}
    return tuple(noisy(v, None, rng) if i in hit else rest(v) for i, v in enumerate(w))


def left_as_is(w, eps, rng):
    return drawn(w, lambda v: v, rng)


def left_at_zero(w, eps, rng):
    return drawn(w, lambda v: 0, rng)


two = [(0.2, 1), (0.8, 1)]
settled(3, "NVFlare, not drawn", left_as_is, left_at_zero, two, log(2))
# %% [markdown]
# (wild-twice)=
# ## The truth is let in twice
#
# (wild-one-bit)=
# ### 4 · The lie may be the truth
#
# In OpenDP 0.4.0, `make_randomized_response_bool` told the truth with probability $p$, and otherwise the result of a coin; “the lie could also be” the truth ([#480](https://github.com/opendp/opendp/issues/480)).
# The stated ε is $\ln\big(p/(1-p)\big)$.
# Michael Shoemate (Shoeboxam) reported and mended it ([#481](https://github.com/opendp/opendp/pull/481)).
# The change log of 0.5.0 (August 2022) lists the repair under *Security*, “from proofwriting by Vicki Xu and Hanwen Zhang”.
# In 0.4.0 the coin of the lie had probability $p$ as well, so for $p = 3/4$ our tree has only one leaf that says “no”.


# %%
def lie_is_a_coin(x, eps, rng):
    p = odds(eps) / (odds(eps) + 1)
    lie = toss(p, rng)
    return x if toss(p, rng) else int(lie)


def lie_is_a_lie(x, eps, rng):
    p = odds(eps) / (odds(eps) + 1)
    return x if toss(p, rng) else 1 - x


settled(4, "OpenDP, one bit", lie_is_a_coin, lie_is_a_lie, [0, 1], log(3), symbol=True)
print(prove(lie_is_a_coin, [0, 1], rounded=False))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The tree", "figure": {"caption": "Case 4 for the answer “yes”, with p = 3/4. Only the last leaf says “no”."}, "image": {"alt": "Tree with two coins in a row, the lie and the truth, each with 3/4. Of four leaves, three say yes, with 9/16, 3/16 and 3/16, and one says no, with 1/16."}}
diagram.tree(
    lambda x, rng: lie_is_a_coin(x, log(3), rng),
    1,
    steps=["lie", "tell"],
    options=[["yes", "no"], ["truth", "lie"]],
    names={1: "yes", 0: "no"},
    root="yes",
)
plt.show()

# %% [markdown]
# In our restatement, with $x = e^\varepsilon$ stated, the exact ratio is $x^2 + x + 1$ (our computation).
# So where 0 is stated, for $p = 1/2$, the ratio is 3 (our computation).
#
# (wild-either)=
# ### 5 · A bit set by either of two coins
#
# In *unary encoding*, the bit of the person's item is set with probability $p$, each other bit with $q$.
# pure-ldp 1.1.0 to 1.1.2 drew all bits with $q$, then set the person's with $p$, but did not clear it otherwise.
# The line came with a commit on performance (129016b, February 2021); 1.0.6 does not have it.
# The audit of {cite:t}`arcolezi2024auditing` found it, and Samuel Maddock mended it within days of their preprint, and cites it ([#11](https://github.com/Samuel-Maddock/pure-LDP/issues/11), [#12](https://github.com/Samuel-Maddock/pure-LDP/pull/12)).
# 1.2.0 (September 2023) has the repair.


# %%
def either(x, eps, rng):
    y = [int(toss(1 / (odds(eps) + 1), rng)) for _ in range(3)]
    if toss(1 / 2, rng):
        y[x] = 1
    return tuple(y)


def own_coin(x, eps, rng):
    y = [int(toss(1 / (odds(eps) + 1), rng)) for _ in range(3)]
    y[x] = int(toss(1 / 2, rng))
    return tuple(y)


settled(5, "pure-ldp, OUE", either, own_coin, [0, 1, 2], 1.0, symbol=True)
print(prove(either, range(3), rounded=False))
for budget in (1.0, 0.1):
    q = 1 / (exp(budget) + 1)
    own = 1 / 2 + q / 2
    print(f"ε = {budget:g}: a share of 1 is estimated as {(own - q) / (1 / 2 - q):.3f}")

# %% [markdown]
# The ratio is $e^\varepsilon + 2$, and shares of 1 come out far above 1 (our computation).
# So a look at the histogram would have helped.
#
# (wild-order)=
# ## The order of steps, a clip that is missing
#
# Noise of a fixed scale bounds ε only where the number is bounded first.
# In our restatements, inputs inside the bounds show nothing (our computation).
#
# (wild-clip)=
# ### 6 · Noise first, clip after
#
# NVFlare's `SVTPrivacy`, up to 2.7.2 at least, clipped a weight after adding noise.
# npapernot asked about it in 2022 ([#462](https://github.com/NVIDIA/NVFlare/issues/462)).
# Wenqi Li answered that a sensitivity computed from the bound is then, in their understanding, “a more conservative (but bounded) estimation”.
# Holger Roth's [#4470](https://github.com/NVIDIA/NVFlare/pull/4470) of April 2026 clips “before adding release noise”, with reference to a discussion (484), and states the budget of each step.
# 2.8.0 (June 2026) has it.


# %%
def clip_last(x, eps, rng):
    return clip(x + noise(rng), -1, 1)


def clip_first(x, eps, rng):
    return message(clip(x, -1, 1) + noise(rng))


far = {"hidden": (10,), "needs": "beyond the clip", "grows": True}
settled(6, "NVFlare, clip after", clip_last, clip_first, [-1, 0, 1], log(4), **far)
# %% [markdown]
# In our restatement, a weight far beyond clip and noise nearly always ends at the bound (our computation).
# Each further unit of the input adds $\ln 2$, so no number bounds ε (our computation).
# The thread does not say this.
#
# (wild-no-clip)=
# ### 7 · `!=` for `==`
#
# In a public [repository](https://github.com/wenzhu23333/Differential-Privacy-Based-Federated-Learning) for federated learning, gradients were to be clipped if the mechanism is Laplace's.
# The condition read `!=`, so with Laplace noise no gradient was clipped.
# beiyuouo asked, and wenzhu23333 mended it the same day, 2 May 2022 ([issue 2](https://github.com/wenzhu23333/Differential-Privacy-Based-Federated-Learning/issues/2), 6fb257a).


# %%
def no_clip(x, eps, rng):
    return message(x + noise(rng))


settled(7, "federated learning, clip", no_clip, noisy, [0, 1], log(2), **far)
# %% [markdown]
# (wild-number)=
# ## A wrong number in a right formula
#
# (wild-odds)=
# ### 8 · A probability where $e^\varepsilon$ belongs
#
# In sunPytools, the probability $e^\varepsilon/(e^\varepsilon+1)$ stood for $e^\varepsilon$ in optimized (and symmetric) unary encoding.
# leileidudu asked on 18 April 2021 ([issue 6](https://github.com/forestneo/sunPytools/issues/6)), and Lin Sun mended it two days later with thanks (20861fa).
# At $\varepsilon = 1$, this leaks less than stated (our computation, which the thread does not have).


# %%
def probability_for_odds(x, eps, rng):
    q = 1 / (odds(eps) / (odds(eps) + 1) + 1)
    return tuple(int(toss(1 / 2 if v == x else q, rng)) for v in range(3))


eight = Case(8, "sunPytools, OUE", probability_for_odds, own_coin, [0, 1, 2], 1.0, symbol=True)
_, found, right = examine(eight)
refuted = prove(probability_for_odds, range(3), rounded=False)
print(refuted)
check(
    "Case 8",
    f"mended, exactly {ε(right.epsilon)}",
    abs(right.epsilon - 1) < 1e-9,
    control=f"as it was, {ε(found.epsilon)}",
    caught=abs(found.epsilon - log(1 + exp(-1))) < 1e-9,
)

# %% [markdown]
# The ratio is $1 + e^{-\varepsilon}$, which is above $e^\varepsilon$ for $\varepsilon < \ln\big((1+\sqrt5)/2\big) \approx 0.481$: there the old formula leaked more than stated (our computation, not the thread's).
#
# (wild-merge)=
# ### 9 · A typo in a formula
#
# Presto and Velox estimate how many distinct values a column has, with a sketch of perturbed bits {cite:p}`hehir2023sketch`; two sketches merge by a randomized *or*.
# “A small typo in the formula” gave “excess 1-bits”, says jonhehir, who had contributed the sketch to Presto ([#21290](https://github.com/prestodb/presto/pull/21290)).
# jonhehir mended Velox ([#18790](https://github.com/facebookincubator/velox/pull/18790), September 2026) and reported it for Presto ([#28461](https://github.com/prestodb/presto/issues/28461), open when read).
#
# In our restatement, the typo is a factor too many.
# A merge is post-processing ({prf:ref}`thm-post`), so the ε of each sketch still holds (our remark).
# The threads are about the count, and so are the means below (our computation):


# %%
def merging(bits, eps, factor, rng):
    r = 1 / (exp(eps) + 1)  # of a wrong bit in a sketch
    R = 1 / (exp(after(eps)) + 1)  # and in the merged one
    N = (1 - 2 * R) / (1 - 2 * r) ** 2
    a, b = (bit ^ toss(r, rng) for bit in bits)
    step = 1 - 2 * R - N * (1 - r - a) * (1 - r - b)
    return int(toss(clip(R + (N if factor else 1) * step, 0, 1), rng))


def after(eps):
    return -log(2 * exp(-eps) - exp(-2 * eps))


def factor_twice(bits, eps, rng):
    return merging(bits, 1.0, True, rng)


def factor_once(bits, eps, rng):
    return merging(bits, 1.0, False, rng)


bits = [(0, 0), (0, 1), (1, 0), (1, 1)]
merge = Case(9, "Presto and Velox, merge", factor_twice, factor_once, bits, 1.0)
CASES.append(merge)
R = 1 / (exp(after(1.0)) + 1)
scores = {
    name: [(float(mean[0]) - R) / (1 - 2 * R) for mean, _ in merge.moments(client)]
    for name, client in (("as it was", factor_twice), ("mended", factor_once))
}
for name, means in scores.items():
    print(f"mean score, {name}: empty bit {means[0]:.3f}, set in one {means[1]:.3f}, in both {means[3]:.3f}")
check(
    "Case 9",
    "mended, mean scores 0 and 1",
    np.allclose(scores["mended"], [0, 1, 1, 1]),
    control="as it was",
    caught=not np.allclose(scores["as it was"], [0, 1, 1, 1], atol=0.1),
)

# %% [markdown]
# (wild-columns)=
# ### 10 · Columns read into wrong names
#
# A reader of parameter files in RAPPOR's Python client stored the column of $f$ under another name, so $f$ stayed at its default, 1/2.
# Markus De Shon mended it ([#81](https://github.com/google/rappor/pull/81), March 2016).
# A note in the code says that the reader “is currently used in sum_bits.py”, which counts bits; `hash_candidates.py` calls it too.
# Neither perturbs reports, so we know of no client that was affected.
# Had one been, with $f = 0.9$ in the file (our computation):


# %%
def default_f(x, eps, rng):
    return tuple(bit ^ toss(1 / 4, rng) for bit in x)


one_bit = [(1, 0), (0, 1)]
settled(10, "RAPPOR, parameters", default_f, vector, one_bit, 2 * log(1.1 / 0.9), symbol=True)
# %% [markdown]
# (wild-outside)=
# ## Something outside the report
#
# (wild-lengths)=
# ### 11 · The length of the vector
#
# The description of OpenDP's domain of bit vectors says nothing about their length, so two vectors of different lengths are at distance 1.
# This makes the map “technically wrong, since outputs are trivially distinguishable based on their length”, writes TedTed ([#2930](https://github.com/opendp/opendp/issues/2930), September 2026).
# The issue was open when read; its title asks for a domain of fixed size.
# Our mended version pads all vectors to one length instead.


# %%
def padded(x, eps, rng):
    return vector(x + (0,) * (3 - len(x)), eps, rng)


longer = {"hidden": ((1, 0, 0),), "needs": "two lengths", "symbol": True}
settled(11, "OpenDP, lengths", vector, padded, one_bit, log(9), **longer)
# %% [markdown]
# (wild-topics)=
# ### 12 · A second caller knows the noise
#
# In the draft of the Topics API, a browser told a site one of a person's topics per week, and with 5 % a random one.
# True topics went only to callers that had observed them before; random ones went to every caller.
# So a caller without a past learns which topics are random, wrote AlexandreGilotte in May 2022 ([#75](https://github.com/patcg-individual-drafts/topics/issues/75)).
# jkarlin proposed to send a random topic only to callers that would have received the true one, to “significantly mitigate” this ([#121](https://github.com/patcg-individual-drafts/topics/issues/121)).
# jkarlin changed the draft accordingly ([#124](https://github.com/patcg-individual-drafts/topics/pull/124), December 2022).
#
# Our restatement has five topics and two callers: one has observed all topics, the other none.
# For the first caller alone, the ratio is 96 (our computation).
# The draft states no ε; it speaks of “plausible deniability”.


# %%
def topics(x, eps, rng):
    random = toss(0.05, rng)
    told = pick(range(5), rng) if random else x
    return told, told if random else -1  # -1: nothing


def filtered(x, eps, rng):
    return topics(x, eps, rng)[0], -1


alone = worst(laws(lambda x, rng: topics(x, None, rng)[0], range(5)))
second = {"needs": "the second caller", "compared": False, "ours": True}
settled(12, "Topics API, draft", topics, filtered, [0, 1, 2, 3, 4], alone.epsilon, **second)

# %% [markdown]
# (wild-macos)=
# ### 13 · Per report is not per person
#
# {cite:t}`tang2017apple` studied macOS 10.12 by experiments and by analysis of its code.
# By their paper, the loss per datum was 1 or 2, and the system permitted as much as 16 a day for four applications.
# It renewed this budget every day.
# No report is wrong here; reports add up ({ref}`ch-composition`).
# We have read only the paper, no statement of Apple's about it, and looked at no later version.
#
# (wild-machine)=
# ## The numbers of the machine
#
# (wild-floats)=
# ### 14 · Floats
#
# A float has few digits, so zero plus noise and one plus noise can end in different digits {cite:p}`mironov2012significance`.
# In IBM's diffprivlib, naoise-h, who maintains it, opened an issue about it in 2020 ([#19](https://github.com/IBM/differential-privacy-library/issues/19)).
# danrr wrote there that an attack “seems to work”.
# Since 2021, the library's Laplace noise comes from four uniform numbers ([#47](https://github.com/IBM/differential-privacy-library/pull/47), which closed #19), against such attacks {cite:p}`holohan2021secure`.
# danrr's snapping mechanism, which is separate ([#46](https://github.com/IBM/differential-privacy-library/pull/46)), was merged in 2022.
# {cite:t}`haney2022precision` attack the precision of the sum instead.
# TedTed, in [#94](https://github.com/IBM/differential-privacy-library/issues/94) of 2024, asks to remove, replace or document such noise; the issue was open when read.
# diffprivlib's README lists a later paper of its authors, on securing the addition itself {cite:p}`holohan2024securing`.
# OpenDP, which the paper attacks as well (TedTed's [#414](https://github.com/opendp/opendp/issues/414), then behind the flag `floating-point`), has added Laplace and Gaussian noise to whole numbers since 0.5.0, with reference to the paper in its change log.
#
# Our restatement is of the sum, with a simpler sampler than diffprivlib's.
# Our floats have three binary digits, and noise takes 16 values:


# %%
def three_digits(v):
    part, power = frexp(v)
    return ldexp(round(8 * part), power - 3)


def laplace(rng):
    size = three_digits(-log(1 - pick(range(8), rng) / 8) / log(2))
    return size if toss(1 / 2, rng) else -size


def floats(x, eps, rng):
    return three_digits(x + laplace(rng))


settled(14, "Laplace in floats", floats, noisy, [0, 1], log(2), compared=False)
# %% [markdown]
# (wild-table)=
# ## What would have caught them
#
# Each cell is computed from the restatements (our computation); where noise is added, ε is that of our noise.
# Where a project has changed nothing (11, 14), *mended* is our version; the *stated* ε of case 12 is ours too.
# *Law* says whether the exact ε (of case 9, the mean) is another than stated.
# *Proof* tries all ε at once, where the coins are formulas in ε.
# *Audit* draws 4,000 reports of each input, and alarms if its bound is above the stated ε.
# *Moments* compares mean and variance of a report with the mended client's, on inputs without the *needed* ones; a contract such as `check_mechanism` tests both.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The table, and its check"}
YES = {True: "yes", False: "no", None: "–"}
CASES.sort(key=lambda case: case.number)
rows, alarms, hidden = [], {}, {}
for case in CASES:
    before, mended = FOUND.get(case.number, (None, None))
    seen = case.unlike() if before is None else not abs(before - case.stated) < 1e-9
    proof = prove(case.broken, case.telling, rounded=False).holds is False if case.symbol else None
    if before is not None:
        alarms[case.number] = case.audited(case.broken), case.audited(case.mended)
    if case.hidden:
        hidden[case.number] = not keeps(case.laws(case.broken, case.ordinary), case.stated)
    unlike = case.unlike() if case.compared else None
    rows.append(
        {
            "": f"{case.number} · {case.name}",
            "stated": "–" if before is None else case.claim,
            "exact ε": "–" if before is None else ε(before) + (" and more" if case.grows else ""),
            "mended": "–" if before is None else ε(mended),
            "law": YES[seen],
            "proof": YES[proof],
            "audit": YES[alarms.get(case.number, (None,))[0]],
            "moments": YES[unlike],
            "needs": case.needs,
        }
    )
check(
    "Audits",
    f"no alarm for {len(alarms)} mended clients",
    not any(right for _, right in alarms.values()),
    control=f"{sum(broken for broken, _ in alarms.values())} of the others",
    caught=any(broken for broken, _ in alarms.values()),
)
symbolic = [case for case in CASES if case.symbol]
check(
    "Proofs",
    f"every ε > 0, for {len(symbolic)} mended clients",
    all(prove(case.mended, case.telling, rounded=False).holds for case in symbolic),
    control="as they were, all refuted",
    caught=all(row["proof"] == "yes" for row, case in zip(rows, CASES, strict=True) if case.symbol),
)
check(
    "Inputs",
    "cases 6, 7 and 11 leak on inputs that belong to the domain",
    all(not keeps(case.laws(case.broken, case.telling), case.stated) for case in CASES if case.hidden),
    control="tried without these",
    caught=not any(hidden.values()),
)
table(pd.DataFrame(rows))

# %% [markdown]
# Without the *needed* inputs, no test of the law sees cases 6, 7 and 11.
# So inputs must cover the shape of the domain: other lengths, numbers beyond a clip, what a second observer sees.
#
# (wild-recorded)=
# ## The releases themselves
#
# `make wild` installs pinned releases and audits their reports, five times, at level 0.001.
# The table has the least bound of the five, beside the exact ε of the restatement (our computation).
# The exact number must be at least the bound.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "The recorded audits beside exact numbers"}
def either_symmetric(x, eps, rng):  # SUE
    keep = odds(eps / 2) / (odds(eps / 2) + 1)
    y = [int(toss(1 - keep, rng)) for _ in range(3)]
    if toss(keep, rng):
        y[x] = 1
    return tuple(y)


def exactly(row):
    """Exact ε of the restatement of a recorded client."""
    same = {"one coin too few": 1, "length": 11, "digits": 14}
    if row.case in same:
        return FOUND[same[row.case]][0]
    number = float(row.client.split("= ")[-1])
    if "bool" in row.client:
        client, eps, inputs = lie_is_a_coin, log(number / (1 - number)), [0, 1]
    else:
        client, eps, inputs = either if "OUE" in row.client else either_symmetric, number, range(3)
    return worst(laws(lambda x, rng: client(x, eps, rng), inputs)).epsilon


runs = recorded("wild")
audits = runs[(runs.case != "right") & ~runs.missed]
before, after_it = (audits[audits.broken == broken].reset_index() for broken in (True, False))
shown, exact_numbers = [], [exactly(row) for row in before.itertuples()]
for row, fixed, exact in zip(before.itertuples(), after_it.itertuples(), exact_numbers, strict=True):
    shown.append(
        {
            "client": row.client,
            "stated": ε(row.stated),
            "exact ε": ε(exact),
            "release": f"{row.package} {row.version}",
            "ε ≥": ε(before.loc[row.Index, "least bound"], 2),
            "beside it": f"{fixed.package} {fixed.version}",
            "its ε ≥": ε(after_it.loc[row.Index, "least bound"], 2),
        }
    )
check(
    "Releases",
    f"{len(before)} flagged in all five runs, none above its exact ε",
    (before["flagged runs"] == 5).all() and all(np.array(exact_numbers) >= before["least bound"]),
    control="the releases beside them, never flagged",
    caught=(after_it["flagged runs"] == 0).all(),
)
table(pd.DataFrame(shown))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The picture", "figure": {"caption": "Exact ε of the restatements, and recorded bounds of releases with the same ε. Where the row ends in an arrow, no number bounds ε."}, "image": {"alt": "Dot plot with a row for each of twelve cases. As it was, eight rows end in an arrow at infinity, three dots lie right of the bar of the stated ε, and one left of it. The squares of the mended versions all lie on the bar. Recorded bounds of four cases lie between the bar and the dot or arrow."}}
SAME = {1: 0, 4: 3, 5: 6, 11: 5}  # rows of the table above
fig, ax = plt.subplots(figsize=(7.2, 5.2))
END = 7.2
drawn_cases = [case for case in CASES if case.number in FOUND]
for at, case in enumerate(drawn_cases):
    exact, mended = FOUND[case.number]
    endless = case.grows or isinf(exact)
    place = END if endless else exact
    ax.plot([case.stated, place], [at, at], color="#BBBBBB", linewidth=1.5, linestyle="-", zorder=1)
    ax.plot(case.stated, at, "|", color="black", markersize=15, markeredgewidth=2, zorder=2)
    ax.plot(place, at, ">" if endless else "o", color=COLOURS[4], markersize=9, zorder=3)
    ax.plot(mended, at, "s", color=COLOURS[0], markersize=6, zorder=4)
    if case.number in SAME:
        ax.plot(before.loc[SAME[case.number], "least bound"], at, "D", color=COLOURS[2], markersize=6, zorder=5)
ax.set_yticks(range(len(drawn_cases)), [f"{case.number} · {case.name}" for case in drawn_cases])
ax.invert_yaxis()
ax.set_xticks([*range(7), END], [*map(str, range(7)), "∞"])
ax.set_xlim(0, END + 0.3)
ax.set_xlabel("ε")
ax.grid(visible=False, axis="y")
LOOKS = (("|", "stated", 6), ("o", "as it was", 4), ("s", "mended", 0), ("D", "recorded bound", 2))
for mark, name, colour in LOOKS:
    edge = 2 if mark == "|" else 1
    ax.plot([], [], mark, color=COLOURS[colour], label=name, markersize=8, markeredgewidth=edge)
fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=4)
plt.show()

# %% [markdown]
# (wild-right)=
# ## Most clients passed
#
# Not one of these was flagged, in five recorded runs each:

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The list"}
fine = runs[runs.case == "right"]
for name, group in fine.groupby(fine.package + " " + fine.version):
    print(f"{name}: {'; '.join(group.client)}")
check(
    "Clients that passed",
    f"{len(fine)} clients, {fine.runs.sum()} audits, none flagged",
    (fine["flagged runs"] == 0).all(),
    control="cases 1, 4, 5, 11 and 14 above",
    caught=(before["flagged runs"] > 0).all(),
)

# %% [markdown]
# Nor were these, in one run each that is not recorded:
#
# - pure-ldp 1.0.6: OUE, SUE
# - ldp-toolbox 0.1.3: k-RR, OUE, SUE, subset selection
# - trasgoDP 2.1.0: binary and k-ary response, clipped Laplace, exponential
# - insurance-fairness-ldp 0.1.1 and privue 0.12: one client each
#
# A passed audit proves nothing ({ref}`sec-verify-audit`).
# But most clients that we tried passed.
#
# (wild-maintainer)=
# ## What would a maintainer run?
#
# {download}`A test of pytest to copy <../../book/examples/foreign/test_client.py>` audits any function from a value to a report.
# It passes OpenDP 0.16.0, and fails 0.14.2 (case 1) at the inputs that differ in the first and the last bit.
# This is its core, on our restatements of both:


# %%
def refuted(client, inputs, stated, rng):
    """Whether 10,000 reports of each input show more than ε.

    A right client is refuted once in a million runs.
    """
    told = {"samples": 10_000, "level": 1e-6, "claimed": stated}
    return audit(client, inputs, **told, rng=rng).flagged


rng, ends = np.random.default_rng(15), [(1, 0), (0, 1)]
shows = {}
for client in (coin_missing, vector):
    one = partial(lambda x, rng, client: client(x, log(9), rng), client=client)
    shows[client.__name__] = refuted(one, ends, log(9), rng)
    print(f"{client.__name__} refuted: {shows[client.__name__]}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the test to copy"}
check(
    "A test to copy",
    "the mended client passes",
    not shows["vector"],
    control="the one with a coin too few",
    caught=shows["coin_missing"],
)

# %% [markdown]
# (wild-glass)=
# ## Our own glass house
#
# - {ref}`Our errata <errata>` list what we believe to be wrong in five papers, and {ref}`say how to correct this book <contributing-erratum>`.
# - Our audit does not see the digits of floats by itself:

# %%
missed = runs[runs.missed].iloc[0]
print(f"{missed.package} {missed.version}, {missed.client}, as it is: flagged in {missed['flagged runs']} of 5 runs")


def laplace_noise(x, n, rng):
    return x + rng.laplace(size=n)


def digits(y):
    return np.column_stack([(0 < y) & (y < 1 / 2), y * 2**53 % 1 == 0])


found = {}
for name, features in (("as it is", None), ("with two features", digits)):
    rng = np.random.default_rng(8)
    found[name] = audit(laplace_noise, [0, 1], samples=10_000, claimed=1.0, rng=rng, many=True, features=features)
    print(f"audit {name}: ε ≥ {found[name].bound:.2f}, flagged: {found[name].flagged}")
check(
    "Digits of floats",
    "seen with two features",
    found["with two features"].flagged,
    control="without them",
    caught=not found["as it is"].flagged,
)

# %% [markdown]
# - When we first tried case 1 on a release, our audit took a report of bytes as one symbol.
#   With 16 bytes or more, no report came back, and it returned 0 without a word.
#   It now reads bytes bit by bit, and warns where it sees little; the table of releases has 16 bytes.
# - An audit is a lower bound: it cannot see that case 8 spends too little.
#
# (wild-published)=
# ## Beside published lower bounds
#
# An audit bounds ε from below, and the exact ε shows how closely.
#
# - The [repository](https://github.com/eth-sri/dp-sniper) of DP-Sniper {cite:p}`bichsel2021sniper` records bounds for RAPPOR at confidence 0.9, from 200 million reports of each input.
#   We take the one of its linear classifier for the permanent response, as our audit has one.
#   It compares the inputs 0 and 1, whose filters differ in 6 of 20 bits.
# - LDP-Auditor {cite:p}`arcolezi2024auditing` takes k-RR's report as its guess, and draws one from the set in other reports, or among all items if it is empty.
#   From a million reports each of two items, it bounds how much likelier one item makes the guess of that item than the other does.
#   Its repository records settings, but no bounds.
# - {cite:t}`guerra2026disclosure` ran LDP-Auditor for 3,052 items.
#   They [plot](https://github.com/PatriciaBalboaKIT/Understanding-Disclosure-Risk-in-Differential-Privacy) its bounds at 19 values of ε, as means of five runs.
#   We read those at 1, 4 and 16 off their pictures (d3e6cbd), to one decimal.
#   Beside them is the exact log ratio of LDP-Auditor's guess, which a bound passes only by chance.
# - KV-Auditor {cite:p}`xu2025kvauditor` audits PCKV, PrivKVM and PrivKVM*.
#   Its [slides](https://github.com/JingnanXu97/KV-Auditor) plot bounds for the key in PrivKVM's response, CPP, on the theoretical line.
#   The table has the largest, as we read it; by its code, such a key goes through k-RR for two items, with half of ε.
#   We could match neither the other plots nor the tables, for CPP-UE, to a client of ours; {ref}`our exact numbers <sun2021-4-2-budgets>` are in the dossier.
#
# The last column is from our own audit, at level 0.001, with 300,000 reports of each input.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "The table, and its check"}
REPORTS = 300_000
FILTERS = {0: [0, 11, 18], 1: [3, 10, 13]}  # of four hashes each, two fall on one bit
RAPPORS = {  # chance that a bit is 1, by the bit of the filter; recorded bound
    "RAPPOR, permanent response, f = 0.95": (0.525, 0.475, 0.5978),
}


def filtered_bits(x, n, rng, one, zero):
    chances = np.full(20, zero)
    chances[FILTERS[x]] = one
    return (rng.random((n, 20)) < chances).astype(np.int8)


def guess(oracle):
    """ln of how much likelier item 0 than item k - 1 makes the guess 0."""
    p, q = map(float, oracle.support)
    if isinstance(oracle, GRR | SubsetSelection):  # sets of one size
        return log(p / q)

    def named(own, other):
        sizes = np.array([1 - other, other])  # how many of the other items are in the set
        for _ in range(oracle.k - 2):
            sizes = np.convolve(sizes, [1 - q, q])
        return own * np.sum(sizes / np.arange(1, oracle.k + 1)) + (1 - own) * sizes[0] / oracle.k

    return log(named(p, q) / named(q, p))


def bounded(client, inputs, **how):
    rng = np.random.default_rng(9)
    return audit(client, inputs, samples=REPORTS, rng=rng, **how).bound


PLOTTED = {  # LDP-Auditor's bounds for 3,052 items, by ε, as read
    GRR: {1: 0.8, 4: 3.8, 16: 12.0},
    SubsetSelection: {1: 0.3, 4: 3.1, 16: 12.0},
    OUE: {1: 0.4, 4: 3.1, 16: 7.7},
}
compared = []  # client, exact, published, guess, ours
for name, (one, zero, published) in RAPPORS.items():

    def six(x, rng, one=one, zero=zero):  # the bits that differ
        return tuple(int(toss(one if (bit < 3) == (x == 0) else zero, rng)) for bit in range(6))

    ours = bounded(partial(filtered_bits, one=one, zero=zero), [0, 1], many=True)
    compared.append((name, worst(laws(six, [0, 1])).epsilon, published, None, ours))
for kind in (GRR, SubsetSelection, SUE, OUE):
    oracle = kind(k=25, epsilon=1.0)
    compared.append(
        (f"{oracle.label}, 25 items", oracle.realised_epsilon, None, guess(oracle), bounded(oracle, [0, 24]))
    )
plotted = [(kind, eps, bound) for kind, bounds in PLOTTED.items() for eps, bound in bounds.items()]
for kind, eps, bound in plotted:
    oracle = kind(k=3052, epsilon=float(eps))
    compared.append((f"{kind.label}, 3,052 items", oracle.realised_epsilon, bound, guess(oracle), None))
key = GRR(k=2, epsilon=6 / 2)
compared.append(("key of CPP at ε = 6: k-RR, 2 items", key.realised_epsilon, 3.0, None, bounded(key, [0, 1])))
check(
    "Bounds as plotted",
    "none above the ratio of its guess",
    all(bound < guess(kind(k=3052, epsilon=float(eps))) for kind, eps, bound in plotted),
    control="the same for 25 items",
    caught=any(bound > guess(kind(k=25, epsilon=float(eps))) for kind, eps, bound in plotted),
)
check(
    "Lower bounds",
    "published, of the guess, and ours: at most the exact ε",
    all(bound < exact + 1e-9 for _, exact, *bounds in compared for bound in bounds if bound is not None),
    control="against half of it",
    caught=any(bound > exact / 2 for _, exact, *bounds in compared for bound in bounds if bound is not None),
)
columns = ["client", "exact ε", "published, ε ≥", "guess, at most", "our audit, ε ≥"]
shown = [
    [name, *("–" if v is None else str(v) if at == 1 else ε(v) for at, v in enumerate(numbers))]
    for name, *numbers in compared
]
table(pd.DataFrame(shown, columns=columns))

# %% [markdown]
# A guess from a set leaves much unseen: at $\varepsilon = 16$, OUE's shows about half of it (our computation).
# {cite:t}`guerra2026disclosure` say that the intervals of LDP-Auditor cap its bounds, and report that their own estimates come closer.
# {cite:t}`arcolezi2025revisiting` weigh the chance that it is right against the error of estimates.
# For RAPPOR, our audit sees less than DP-Sniper, which has over 600 times as many reports, and confidence 0.9 instead of 0.999.
#
# (wild-neighbours)=
# ## Neighbours
#
# {cite:t}`cebere2026privacy` replay pipelines of 12 libraries on neighbouring data sets with the same randomness, and report 13 violations.
# Threads of projects for *central* privacy report mistakes of the same kinds: noise from floats (frankmcsherry's [smartnoise-core#242](https://github.com/opendp/smartnoise-core/issues/242), closed), “we retrieved a noise weight, but never used it” ([privcount#360](https://github.com/privcount/privcount/issues/360), mended by teor in 1.0.2).
