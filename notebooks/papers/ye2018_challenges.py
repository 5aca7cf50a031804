# %% [markdown]
# (paper-ye2018-challenges)=
# (open-problems)=
# # The survey, §5: open problems
#
# *A part of the {ref}`dossier <paper-ye2018>` on {cite:t}`ye2018survey`: §5, §6 and the references.*
#
# In §5 the survey names three challenges: complex types of data, other queries, many dimensions.
# For each section we say what it claims, whether that holds, what has answered it since, as far as we know, and what is open.
# Of works from 2021 on that the book does not use, we have read only abstracts.
#
# **Readings that are ours.**
# - “Sensitivity” of a graph query is the most that one link can change its answer; two graphs are neighbours if they differ in one link.
# - A large sparse graph is one of 10,000 people with ten links each.
# - The relation of two binary attributes is measured by their parity, and utility by its variance.
#
# **Lessons.**
# {ref}`ch-keyvalue` answers §5.1, {ref}`ch-publish` §5.3.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from functools import partial
from itertools import combinations, product
from math import comb, exp, inf, isclose, sqrt, tanh

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from ldpnb import BitFlip, epsilon, laws, moments, pick, toss
from ldpnb.attributes import best_block_size, pair_variance
from ldpnb.chance import odds
from ldpnb_book import close, settle, style, table

style()


# %%
def flip(link, eps, rng):
    """One link by randomized response."""
    return link if toss(odds(eps) / (odds(eps) + 1), rng) else 1 - link


# %% [markdown]
# (ye2018-5)=
# ## §5 Challenges
#
# (ye2018-5-1)=
# (open-problems-types)=
# ## §5.1 Complex types of data
#
# (ye2018-5-1-keys)=
# ### Key–value data
#
# {badge}`Reproduced <ye2018.key-sensitive>` · Lesson: {ref}`ch-keyvalue`
#
# Locally, the survey says, keys are sensitive as well as values, since a collector might identify a person by them.
# So key and value must both be perturbed, and still belong together.
# A client that perturbs values alone has no finite ε, because it shows which keys a person has.
# The state of one public key, which binds key and value, is exactly ε-LDP ({ref}`sec-kv-se`).
#
# *Since then.*
# The first answer was PrivKV {cite:p}`ye2019privkv`, a year later; {ref}`sec-kv-privkv` shows what its ε is.
# {cite:t}`sun2021keyvalue` bind key and value in one state, {cite:t}`gu2020pckv` let people report pairs that they have ({ref}`sec-pckv`), and the client of {cite:t}`wang2024dynamic` {undecided}`needs no list of keys <wang2024.independence>` ({ref}`ch-changing`).
# KV-Auditor {cite:p}`xu2025kvauditor` bounds ε of such clients from below; {ref}`sun2021-4-2-budgets` has exact numbers.
# {cite:t}`sun2021keyvalue` also {holds}`number whole records <sun2021.index>` and answer {holds}`every conditional question <sun2021.ratios>` about a few keys.
#
# *Open.*
# For one item ({ref}`sec-freq-limit`) and for one yes or no ({ref}`sec-rr-best`), there are proofs that nothing is better; {cite:t}`gentle2025necessity` shows which clients for one item attain the limit.
# For key–value pairs we know of no such proof.
# Also open: questions about three or more of many keys, and what years of reports give away.
#
# (ye2018-5-1-graphs)=
# ### Graphs: sensitivity
#
# {badge}`Reproduced <ye2018.graph-sensitivity>`
#
# In the central model noise is scaled to the sensitivity of a query, which is high for graphs.
# Local privacy, the survey says, does not have the problem of too large a sensitivity.
# But the collector has the hard task of building a useful graph from links that were perturbed independently.
# Each link is reported by one of its two people.
# It is flipped with the same probability, whatever is asked later, and ε is exact for graphs of every size.
# The collector's difficulty can be computed for triangles in a graph of $n$ people.
# One link is in up to $n-2$ triangles, so the central model adds Laplace noise of standard deviation $\sqrt2\,(n-2)/\varepsilon$.
# From flipped links, each link has an unbiased score of variance $v = e^\varepsilon/(e^\varepsilon-1)^2$, and the products of three scores are uncorrelated if the graph has no link:
#
# $$\operatorname{sd}(\text{triangles}) = \sqrt{\tbinom n3}\;v^{3/2},
# \qquad \frac{\text{local}}{\text{central}} \approx \frac{\varepsilon\,v^{3/2}}{\sqrt{12}}\,\sqrt n .$$
#
# At ε = 1 the local noise is larger from $n = 15$ on; for 1,000 people, by a factor of 8.
#
# *Since then.*
# {cite:t}`imola2021graph` count triangles locally, more precisely with a second round; {cite:t}`he2025triangle` reduce the error further.
# {cite:t}`mundra2025graph` bound the error by the degeneracy of the graph.
#
# (ye2018-5-1-sparse)=
# ### Graphs: sparse ones
#
# {badge}`Reproduced <ye2018.graph-sparse>`
#
# Many graphs are sparse, the survey says, which makes relations even harder to restore.
# With randomized response at ε = 1, a share $1/(e+1)$ of the links that do not exist is reported, which is more than a quarter.
# In a graph of 10,000 people with ten links each, fewer than 3 in 1,000 reported links exist.
#
# *Since then.*
# {cite:t}`qin2017graphs` synthesise social graphs from private reports in several rounds.
# No lesson of this book treats graphs.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §5.1: 3 reproduced"}
RECORDS = [{}, {0: 1.0}, {0: -1.0, 1: 0.5}, {1: -1.0}, {0: 0.25, 1: 1.0}]  # of two keys


def sign(v, rng):
    return 1 if toss((1 + v) / 2, rng) else -1


def value_alone(record, rng):
    """Keys as they are, and the sign of each value by randomized response."""
    keep = exp(1) / (exp(1) + 1)
    return tuple((key, sign(v, rng) * (1 if toss(keep, rng) else -1)) for key, v in sorted(record.items()))


def bound(record, rng, keys=(0, 1)):
    """The state of one key, drawn among `keys`, by k-RR over three states."""
    key = pick(keys, rng)
    own = 1 + sign(record[key], rng) if key in record else 1
    told = own if toss(exp(1) / (exp(1) + 2), rng) else pick([y for y in range(3) if y != own], rng)
    return key, told


def protects(client):
    return isclose(epsilon(laws(client, RECORDS)), 1)


settle(
    "ye2018.key-sensitive",
    {"values-alone": epsilon(laws(value_alone, RECORDS)) == inf, "together": protects(bound)},
    control=(
        "a key drawn among those that the person has",
        not protects(lambda record, rng: bound(record, rng, sorted(record) or (0, 1))),
    ),
)
PAIRS = {n: list(combinations(range(n), 2)) for n in (3, 4, 5)}


def graph(n, eps=1.0):
    """The client of all links together; in an estimate each link is one person's."""
    return lambda links, rng: tuple(flip(link, eps, rng) for link in links)


def one_link_apart(n, eps=1.0):
    """ε of two graphs that differ in a link: the empty one and one with a single link, either way."""
    empty = (0,) * len(PAIRS[n])
    return epsilon(laws(graph(n, eps), [empty, (1, *empty[1:])]))


def triangles(n, eps=1.0):
    """An unbiased count of triangles from flipped links."""
    keep = exp(eps) / (exp(eps) + 1)

    def score(report):
        link = {pair: (bit - 1 + keep) / (2 * keep - 1) for pair, bit in zip(PAIRS[n], report, strict=True)}
        return sum(link[a, b] * link[a, c] * link[b, c] for a, b, c in combinations(range(n), 3))

    return score


def local(n, eps=1.0):
    return sqrt(comb(n, 3)) * (exp(eps) / (exp(eps) - 1) ** 2) ** 1.5


def central(n, eps=1.0):
    return sqrt(2) * (n - 2) / eps


for n in (3, 4):  # the formula is that of the client's own law
    mean, variance = moments(graph(n), [(0,) * len(PAIRS[n])], score=triangles(n))
    assert abs(mean[0]) < 1e-9 and isclose(variance[0], local(n) ** 2, rel_tol=1e-9)
crossing = next(n for n in range(3, 100) if local(n) > central(n))
settle(
    "ye2018.graph-sensitivity",
    {
        "client": all(isclose(one_link_apart(n), 1) for n in PAIRS),
        "noise": all(local(n) > central(n) for n in range(15, 2001)),
    },
    control=(
        "half of ε for each link; graphs of ten people",
        not isclose(one_link_apart(4, 0.5), 1) and not local(10) > central(10),
    ),
)


def false_share(people, links, eps):
    """Share of the reported links that do not exist."""
    keep = exp(eps) / (exp(eps) + 1)
    wrong = (people - 1 - links) * (1 - keep)
    return wrong / (wrong + links * keep)


settle(
    "ye2018.graph-sparse",
    {"false": false_share(10_000, 10, 1.0) > 0.997, "dense": false_share(10_000, 5_000, 1.0) < 0.27},
    control=("ε = 12 instead of 1", not false_share(10_000, 10, 12.0) > 0.997),
)
print(
    f"triangles at ε = 1: local noise is larger from n = {crossing} on, {local(1000) / central(1000):.1f} times at 1,000"
)
close("ye2018", "§5.1", "3 reproduced")

# %% [markdown]
# (ye2018-5-2)=
# (open-problems-queries)=
# ## §5.2 Other queries and analyses
#
# The survey names methods for counts and means, mostly with a perturbation of their own, and only {cite:t}`nguyen2016collecting` for linear and logistic regression and support vector machines.
# It asks three things: (1) other queries; (2) a perturbation that is not tied to one query, so that the same reports serve several; (3) better results of analyses such as clustering or frequent patterns.
# It adds that a {holds}`single perturbed record is far from the true one <ye2018.mean-individual>`.
#
# *(1) Since then.*
# Lesson {ref}`ch-ranges` estimates ranges and quantiles of a number.
# {cite:t}`wang2024pripl` answer ranges without taking numbers as uniform within blocks.
# The shape of a distribution can be had from optimal windows {cite:p}`zheng2025piecewise` or wavelets {cite:p}`zhao2025wavelet`, and frequent items of several parties from prefixes {cite:p}`zhang2024federated`.
# {cite:t}`zhang2018gfim` find frequent items in sets, in two phases that {holds}`divide people instead of ε <zhang2018.small-epsilon>`.
# {cite:t}`wang2018itemset` mine patterns of several items, which this book does not treat.
#
# *(2) Since then.*
# One report about a whole record answers {holds}`all conditional shares and means <sun2021.ratios>` of key–value data, or the joint table of {ref}`any few attributes <ch-joint>`, or gives a {ref}`synthetic table <ch-publish>`.
# {ref}`A chart <sec-charts-later>` can be asked for after the reports are in.
# But {ref}`noise grows with what the report is about <sec-corr-design>`.
#
# *(3) Since then.*
# {cite:t}`ren2019bayesnet` train support vector machines on synthetic rows, with an {partly}`accuracy close to the original <ren2019.fig10>` up to a moderate flipping probability, at which a record of 16 attributes has ε = 35.
# At a small ε per record, another client and another model give more accurate tables ({ref}`ren2019-beyond`).
# Training with local privacy itself {cite:p}`nguyen2016collecting` and clustering are not treated here.
#
# (ye2018-5-3)=
# (open-problems-dimensions)=
# ## §5.3 Many dimensions
#
# (ye2018-5-3-bits)=
# ### Communication grows with the number of attributes
#
# {badge}`Reproduced <ye2018.dimension-bits>`
#
# Communication grows linearly or exponentially, the survey says, depending on the mechanism.
# With $d$ binary attributes, one string of bits per attribute takes $2d$ bits in all, and one string for the whole record takes $2^d$.
#
# (ye2018-5-3-pairs)=
# ### Relations of all pairs · A budget divided by their number
#
# {badge}`Corrected · certain <ye2018.lopub-pairs>` · Lesson: {ref}`ch-publish`
#
# With many dimensions, the survey adds, data grow and the ratio of signal to noise falls.
# Since any two of $d$ attributes may be related, it says, the budget has to be divided $\binom d2$ times.
# This adds much noise, so that dimensions must be reduced by other means.
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | ε has to be divided into $\binom d2$ parts. | $\boxed{\text{A report with all of ε}}$ about a few attributes, drawn at random, serves all pairs. |
# :::
#
# One report about all attributes serves all pairs, too, but it is noisier still at a small ε per record, because each attribute gets only $\varepsilon/d$.
# A random block of attributes with all of ε is the method of {cite:t}`cormode2018marginal` and {cite:t}`zhang2018calm`.
# The table shows $n$ times the variance of a pair's parity for 16 attributes.

# %% tags=["hide-input"]
D = 16
WAYS = {
    "every pair, ε divided": lambda eps: tanh(eps / comb(D, 2) / 2) ** -2 - 1,
    "all attributes, one bit each": lambda eps: tanh(eps / D / 2) ** -4 - 1,
    "all attributes, two bits each": lambda eps: two_bits(eps / D),
    "a random block": lambda eps: pair_variance((2,) * D, best_block_size((2,) * D, eps), eps) - 1,
}


def two_bits(eps):
    """The paper's client: both bits of an attribute are kept with probability 1 − f/2, ε = 2 ln((1 − f/2)/(f/2))."""
    f = 2 / (exp(eps / 2) + 1)
    return ((1 - f + f * f / 2) / (1 - f) ** 2) ** 2 - 1


TRIED = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
table(
    pd.DataFrame(
        [
            {"way to learn all pairs": way, **{f"ε = {eps:g}": f"{at(eps):,.3g}" for eps in TRIED}}
            for way, at in WAYS.items()
        ]
    )
)

# %% [markdown]
# (ye2018-5-3-sampling)=
# ### Sampling attributes lowers utility
#
# {badge}`Reproduced under conditions <ye2018.lopub-sampling>` · Lesson: {ref}`ch-publish`
#
# The survey adds that LoPub [47, 48] leaves the cost of communication as it is, and that sampling [20, 21], which lowers this cost, inevitably lowers utility.
# Sampling does lower utility at the same ε per attribute, from about 0.1 on: clients that report everything then have $d\varepsilon$ in all.
# At the same ε per record, sampling raises utility, as the survey itself says of LDPMiner in §4.1.2.
# So the same ε may protect {ref}`a record or an attribute <sec-publish-notions>`.
#
# The survey closes with three questions: how to measure relations within a budget, how to build a model close to the joint distribution, and how to bound communication.
#
# *Since then.*
# {cite:t}`ren2019bayesnet` build a Bayes network from private tables; {ref}`what a network loses <sec-bayesnet-setting>` is a theorem, and {holds}`its search can be made cheap <ren2019.algorithm-4>`.
# {ref}`Maximum entropy from pairs <sec-publish-model>` does better {ref}`in our comparison at equal ε <ren2019-beyond>`.
# For one attribute of $k$ values, communication is bounded: {cite:t}`pan2026strict` attains the least error with fewer than $2\log_2 k$ bits.
#
# *Open.*
# Relations among three and more attributes at a small ε, and how to choose a model from private data alone; {ref}`a network that knows its noise <sec-bayesnet-penalty>` is a first step.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §5.3: 1 reproduced, 1 reproduced under conditions, 1 corrected"}
def told(client, d):
    """Length of the report about d binary attributes."""
    return np.size(client.perturb([[0] * len(client.sizes)], rng=np.random.default_rng(d))[0])


lengths = {d: (told(BitFlip(sizes=(2,) * d, f=0.5), d), told(BitFlip(sizes=(2**d,), f=0.5), d)) for d in range(2, 9)}
settle(
    "ye2018.dimension-bits",
    {"linear-exponential": all(found == (2 * d, 2**d) for d, found in lengths.items())},
    control=("three values for each attribute", told(BitFlip(sizes=(3, 3), f=0.5), 2) != 4),
)


def parity_variance(client, score, records):
    """Variance of a score of the parity of two binary attributes, averaged over the records of both."""
    mean, variance = moments(client, records, score=score)
    right = np.allclose(mean, [1 - 2 * (a ^ b) for a, b in records])
    return float(np.mean(variance)) if right else inf


BOTH = list(product((0, 1), repeat=2))


def coins(x, rng, eps):
    return tuple(flip(bit, eps, rng) for bit in x)


def parity(x, rng, eps):
    return flip(x[0] ^ x[1], eps, rng)


for eps in (0.5, 2.0):  # the first two formulas, from clients of two attributes
    kept = tanh(eps / 2)
    found = parity_variance(partial(coins, eps=eps), lambda y, k=kept: (1 - 2 * (y[0] ^ y[1])) / k**2, BOTH)
    assert isclose(found, kept**-4 - 1)
    found = parity_variance(partial(parity, eps=eps), lambda y, k=kept: (1 - 2 * y) / k, BOTH)
    assert isclose(found, kept**-2 - 1)
divided, block = WAYS["every pair, ε divided"], WAYS["a random block"]
one, two = WAYS["all attributes, one bit each"], WAYS["all attributes, two bits each"]
settle(
    "ye2018.lopub-pairs",
    {"divide": all(min(one(e), two(e), block(e)) > divided(e) for e in (1.0, 2.0))},
    instead={
        "one-report": all(min(one(e), two(e)) > divided(e) for e in (1.0, 2.0)),
        "block": all(40 * block(e) < divided(e) for e in (1.0, 2.0)),
    },
    control=("ε of an attribute taken for that of a record", not min(one(D), two(D)) > divided(1.0)),
)
settle(
    "ye2018.lopub-sampling",
    {
        "attribute": all(block(e) > one(D * e) for e in TRIED),
        "record": any(block(e) > one(e) for e in TRIED),
    },
    control=("ε of a record in both", not any(block(e) > one(e) for e in TRIED)),
)
turns = brentq(lambda e: block(e) - one(D * e), 0.02, 0.5)
print(f"at the same ε per attribute, sampling lowers utility from ε = {turns:.2f} on")
close("ye2018", "§5.3", "1 reproduced, 1 reproduced under conditions, 1 corrected")

# %% [markdown]
# (ye2018-6)=
# ## §6 Conclusion
#
# The section says nothing that §0 to §5 do not say.
#
# (ye2018-references)=
# ## The references
#
# All 73, by what they are cited for:
#
# | cited for | the survey's numbers | used in this book |
# |---|---|---|
# | the two models | 1–3, 7, 8 | {cite:t}`kasiviswanathan2011learn` [7], {cite:t}`duchi2013local` [8] |
# | older notions of anonymity | 4–6 | |
# | crowdsourcing, images | 10–18 | |
# | randomized response and its relatives | 19, 22, 23, 44, 45 | {cite:t}`warner1965randomized` [19], {cite:t}`kairouz2014extremal` [22], {cite:t}`kairouz2016discrete` [23], {cite:t}`wang2016mutual` [44], {cite:t}`ye2018optimal` [45] |
# | frequencies of one value | 9, 21, 38, 59 | {cite:t}`erlingsson2014rappor` [9], {cite:t}`bassily2015histograms` [21], {cite:t}`chen2016psda` [38] |
# | frequencies of several values | 20, 26, 46–48 | {cite:t}`qin2016heavy` [20], {cite:t}`nguyen2016collecting` [26], {cite:t}`fanti2016unknown` [46], {cite:t}`ren2018lopub` [47] |
# | means | 24, 25 | {cite:t}`duchi2018minimax`, by the authors of [24] |
# | compression, distortion | 42, 43 | {cite:t}`xiong2016requantization` [42], {cite:t}`sarwate2014distortion` [43] |
# | composition, noise of the central model | 27–29 | {cite:t}`mcsherry2009pinq` [27], {cite:t}`dwork2006calibrating` [28] |
# | the central model: data, learning, graphs | 30–37, 39–41, 49–55, 61, 65–71 | {cite:t}`zhang2014privbayes` [49] |
# | tools: filters, Lasso, random projection, EM, optimisation, the law of large numbers | 56–58, 60, 62, 63 | {cite:t}`tibshirani1996lasso` [57], {cite:t}`dempster1977em` [60] |
# | big data, and the curse of dimension | 64, 72, 73 | |
