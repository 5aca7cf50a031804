# %% [markdown]
# (paper-ye2018)=
# # The survey: Ye and others, 2018
#
# {cite:t}`ye2018survey` ordered a young field.
# Local differential privacy was a few years old and scattered over conferences; the survey gave it a definition, two families of mechanisms, tables that put sixteen methods side by side, and a list of what was still to be done.
# It was written for readers who knew the central model, and it explains the new one by comparison.
# Its own contributions are the order itself, the tables (Tables 4 to 7), experiments at full size that show what the budget and the number of people do, and the open problems of its §5, of which {ref}`open-problems` tells what became.
# The first two parts of this book follow its order.
#
# :::{verdicts} ye2018
# :::
#
# ## What holds
#
# The laws of the mechanisms, as printed.
# : Nearly every formula that says what a client sends is right, and passes an exact check: {holds}`randomized response <ye2018.wrr-law>` with its {holds}`unbiased estimate <ye2018.wrr-unbiased>`, {holds}`k-RR <ye2018.krr-law>`, {holds}`k-Subset <ye2018.ksubset-law>` with its normalisation, the {holds}`permanent <ye2018.rappor-permanent>` and the {holds}`instantaneous <ye2018.rappor-instantaneous>` response of RAPPOR, {holds}`O-RR <ye2018.orr-law>`, {holds}`Harmony-Mean <ye2018.harmony-mean-law>`, {holds}`LoPub's client <ye2018.lopub-client>`.
#   The one exception is MeanEst for even dimensions, below.
#
# The foundations.
# : {holds}`Sequential <ye2018.sequential>` and {holds}`parallel <ye2018.parallel>` composition, {holds}`both frameworks <ye2018.frameworks>`, {holds}`who has to be trusted <ye2018.trust>`, and that {holds}`background knowledge <ye2018.background>` does not matter to ε.
#
# All five experiments.
# : Figures {holds}`5 <ye2018.fig5>`, {holds}`6 <ye2018.fig6>`, {holds}`7 <ye2018.fig7>`, {holds}`8 <ye2018.fig8>` and {holds}`9 <ye2018.fig9>`, at their own sizes, some of whose settings are ours.
#
# Most of the tables' words.
# : What RAPPOR {holds}`costs to send <ye2018.rappor-bits>` and {holds}`to decode <ye2018.rappor-regression>`, that {holds}`cohorts <ye2018.cohorts>` help, that {holds}`one bit is enough <ye2018.shist-bit>` for S-Hist, that {holds}`personal budgets <ye2018.pce>` work, that {holds}`fragments <ye2018.unknown-dictionary>` give a dictionary, and {holds}`how the error of LoPub grows <ye2018.lopub-bound>`.
#
# ## What holds under conditions
#
# Words that say "hardly" or "much".
# : {partly}`How hard an input is to guess <ye2018.inference>`, {partly}`what a thief on the line learns <ye2018.transit>` and {partly}`how little one record changes <ye2018.no-influence>` is what ε says; at a large ε it is a good deal.
#   More people buy {partly}`precision, and not unbiasedness <ye2018.volume>`, and {partly}`what relatives share <ye2018.correlated-records>` is bounded by the sum of their ε in either model.
#
# One yes or no.
# : The {partly}`stated ε <ye2018.wrr-epsilon>` asks for a coin that favours the truth, the {partly}`maximum of the likelihood <ye2018.wrr-mle>` for counts in its range, and a {partly}`personal ε <ye2018.personal>` for a choice that does not follow the answer.
#
# Error bounds.
# : Each bound is of the right order for one kind of error, and the column of Table 4 does not say which: {partly}`√(log k) <ye2018.shist-bound>` for the largest error, {partly}`k <ye2018.rappor-bound>` and {partly}`√k³ <ye2018.krr-bound>` for the sum, {partly}`k-Subset <ye2018.ksubset-bound>` included.
#   So {partly}`the order of the methods <ye2018.table4-order>` cannot be read off that column; in {partly}`the words below it <ye2018.table4-words>` it is right at ε = 1.
#   The bounds for {partly}`LDPMiner <ye2018.ldpminer-bound>`, {partly}`RAPPOR-unknown <ye2018.unknown-bound>` and {partly}`means <ye2018.mean-bound>` want the same care, and a small ε.
#
# Small budgets and large ones.
# : That sampling beats splitting is a statement about small ε, for {partly}`Harmony <ye2018.harmony-better>` as for {partly}`LDPMiner <ye2018.ldpminer-sampling>`; what sampling {partly}`costs <ye2018.harmony-sampling>` depends on what it is compared with.
#   {partly}`k-RR at low budgets <ye2018.krr-low-budget>` is poor for many items, and better than RAPPOR for a few.
#
# Tables of signs.
# : {partly}`Random columns <ye2018.shist-orthogonal>` are orthogonal on average only; what makes an estimate {partly}`unstable <ye2018.shist-unstable>` is too few rows; {partly}`a square orthogonal table <ye2018.harmony-orthogonal>` by doubling exists for powers of two.
#
# Who needs a list.
# : {partly}`RAPPOR, O-RAPPOR and O-RR <ye2018.no-list>` do not differ in this, and {partly}`S-Hist's client <ye2018.known-list>` needs none either; to name shares, every collector does.
#
# Several values a person.
# : Associations are lost where {partly}`one variable is sampled <ye2018.correlation-lost>`, not where all are reported.
#   A {partly}`second phase <ye2018.ldpminer-two-steps>` pays if its list is short, and {partly}`LDPMiner's error <ye2018.ldpminer-table5>` is small at large ε.
#   {partly}`Dividing ε among all pairs <ye2018.lopub-pairs>` is noisy but not necessary, and {partly}`sampling <ye2018.lopub-sampling>` lowers utility at the same ε of an attribute and raises it at the same ε of a record.
#   That {partly}`only k-Subset returns a set <ye2018.one-to-many>`, and that {partly}`Harmony-Mean sends a d-th <ye2018.harmony-mean-bits>`, depends on what is counted.
#
# Compression and Distortion.
# : The search is {partly}`quasi-convex <ye2018.compression-convex>` where the points are given.
#   {partly}`Distortion's ε <ye2018.distortion-epsilon>` is that of one letter, and its channel {partly}`is k-RR <ye2018.beside-rr>` for the loss that it implies.
#   {partly}`A compressed report <ye2018.compression-transmission>` is shorter if it has few enough points, its program {partly}`grows with the product <ye2018.compression-dimension>` unless symmetry helps, and {partly}`the cost of Distortion <ye2018.table7-distortion-cost>` is that of a program only for losses without a formula.
#   {partly}`A small error for each person <ye2018.distortion-utility>` does not mean that shares can be estimated.
#
# ## What is corrected, and one claim that we could not reproduce
#
# Which method for which budget.
# : With ε = ln k as the boundary the survey gives RAPPOR the higher budgets and k-RR the lower ones; {corrected}`it is the other way round <ye2018.regime>`, with a boundary near (2/3) ln k.
#   The source speaks of privacy where the survey has budget, so one word was turned round; the survey's own Table 4, which calls k-RR {partly}`poor at low budgets <ye2018.krr-low-budget>`, has it right.
#
# Noise for one person.
# : {corrected}`There is a sensitivity locally <ye2018.no-sensitivity>`, the diameter of the domain, and the Laplace and the exponential mechanism both apply.
#
# MeanEst.
# : It is better than its reputation here: {corrected}`B grows like √d <ye2018.meanest-exponential>` and not exponentially, a report takes {corrected}`about 2d draws <ye2018.meanest-cost>`, and {corrected}`all of ε <ye2018.meanest-split>` is spent on the vector.
#   For even d {corrected}`the printed coin <ye2018.meanest-coin>` and the printed B belong to two versions of the method, and a client built from both is not private, or not unbiased.
#
# Splitting.
# : The {corrected}`variance grows d² times <ye2018.split-variance>`, not d times, at small ε.
#
# Cells of the tables.
# : {corrected}`k-Subset's extra error <ye2018.ksubset-extra-error>` (at its best size it has the least of all), {corrected}`its communication <ye2018.ksubset-bits>`, the communication of {corrected}`Harmony-Frequency <ye2018.harmony-bits>` and of {corrected}`LDPMiner <ye2018.ldpminer-bits>`; and {corrected}`codes of ⌈log k⌉ bits <ye2018.log-coding>`, which neither RAPPOR nor S-Hist uses.
#   Some of these may be damage of our text.
#
# Relatives.
# : That {corrected}`related people call for interaction <ye2018.correlation>` we could not reproduce: reports that depend on their owner's answer only keep their ε, and the estimate its mean, whoever is related to whom.
#   If the survey means a report that is itself about relatives, it is right by definition.
#
# Errata and slips are {ref}`listed <errata-ye2018>` with their grades.
#
# ## What could not be decided
#
# Nothing in principle: wherever the survey leaves a setting open, the ledger says which one we took.
# What we could not do is to compare numbers, because our text has no figures, and the survey prints no numbers of its own experiments.
#
# (ye2018-5-1)=
# ## §5.1 Key–value data
#
# The survey names key–value data as an open challenge: {holds}`the keys are sensitive as well as the values <ye2018.key-sensitive>`, so both must be perturbed and still belong together.
# A client that perturbs values alone has no finite ε, because it shows which keys a person has.
# The state of one public key, which binds key and value, is exactly ε-LDP ({ref}`sec-kv-se`).

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §5.1: 1 reproduced"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from math import exp, inf

from ldpnb import epsilon, laws, pick, toss
from ldpnb.book import settle

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
    return abs(epsilon(laws(client, RECORDS)) - 1) < 1e-12


settle(
    "ye2018.key-sensitive",
    {"values-alone": epsilon(laws(value_alone, RECORDS)) == inf, "together": protects(bound)},
    control=(
        "a key drawn among those that the person has",
        not protects(lambda record, rng: bound(record, rng, sorted(record) or (0, 1))),
    ),
)

# %% [markdown]
# ## If you build on it
#
# - Take the laws from here and the constants from the source of each method; where the survey combines two sources, check the ε of what comes out.
# - Before you use an error bound, ask whether it bounds the largest error or their sum, and at which ε.
# - Choose by the variance of your own case, which can be computed exactly for every method of its Tables 4 and 6 ({ref}`sec-freq-cross`, {ref}`sec-onebit-all`, {ref}`sec-rappor-cost`, {ref}`sec-means-compare`).
