# %% [markdown]
# (paper-ren2019)=
# # Bayes networks: Ren, Xu, Yang and Yang, 2019
#
# {cite:t}`ren2019bayesnet` want to publish a table of many columns without ever having seen a true row.
# People write each attribute as a one-hot string and flip its bits; the server estimates small joint tables from these bits by expectation maximisation, learns from them which attributes depend on which, and draws synthetic people from the network that results.
# With that the paper joins two lines of work that had been apart, local privacy and Bayes networks for private data, and it adds two improvements of the network search: a start at the attribute of largest entropy, and fewer evaluations.
# It is the only one of the five that goes all the way from a person's answer to a table that anybody may query, and it states the ε of whole records honestly, by a theorem that is right.
#
# :::{verdicts} ren2019
# :::
#
# ## What holds
#
# The theorem on privacy.
# : {holds}`The client's ε <ren2019.epsilon>` is exactly as stated, for records, with {holds}`Bloom filters <ren2019.bloom>` in place of one-hot strings by the same proof, and {holds}`nothing more is spent <ren2019.post-processing>` by the server.
#
# The way through small tables.
# : {holds}`One attribute at a time loses the associations, all at once estimates hardly anything <ren2019.two-ways>`; {holds}`mutual information <ren2019.information>` comes from the joint tables alone; a network is {holds}`a product of small tables <ren2019.factorisation>`; and {holds}`people drawn from it <ren2019.synthesis>` have its law, in any order that respects the arrows.
#
# The search.
# : {holds}`Algorithm 3 <ren2019.algorithm-3>` does what it says and {holds}`computes the same again and again <ren2019.recomputation>`, {holds}`Algorithm 4 <ren2019.algorithm-4>` does not; {holds}`a random start <ren2019.random-start-uncertain>` makes the result uncertain.
#
# Most of the figures.
# : {holds}`Figure 7 <ren2019.fig7>` and Figure 9 ({holds}`AVD <ren2019.fig9-avd>`, {holds}`KL <ren2019.fig9-kl>`, {holds}`growth with the number of attributes <ren2019.fig9-a>`), by the paper's stopping rule.
#
# ## What holds under conditions
#
# Expectation maximisation.
# : {partly}`It converges from a suitable start <ren2019.em-converges>`, which is every start without empty cells; at f = 0.9 its tables of three, of people that we made up, are no nearer to the truth than products of single shares.
#   {partly}`The stopping rule <ren2019.stopping>` ends it too early at large f, at a δ that is enough at small f.
#
# The proof of the theorem.
# : {partly}`Its last step <ren2019.ratio-max>` can be read in two ways, of which one is right.
#
# The network.
# : {partly}`More parents <ren2019.fig5-k>` help, each by less; {partly}`not at large f <ren2019.fig5-large-f>`, with the paper's rule.
#   {partly}`The largest entropy <ren2019.entropy-start>` is a better start than chance on NLTCS and not on our versions of the other two tables; with noise it is {partly}`not below a random start <ren2019.fig6>` on NLTCS up to f = 0.5, and it is at f = 0.8.
#   It makes networks {partly}`more stable <ren2019.stability>` at small f, and no longer at f = 0.7.
#
# Use.
# : {partly}`Classification <ren2019.fig10>` and {partly}`the conclusion <ren2019.conclusion>` hold up to f = 0.5 by the paper's rule, and there the ε of a record with 16 attributes is 35; at f = 0.9, where it is 6.4, queries are hardly better than on independent columns from the same reports.
#
# Related work.
# : {partly}`RAPPOR's length <ren2019.rappor-length>` grows exponentially for whole records, and not in the form that the paper itself uses.
#
# ## What is corrected
#
# The likelihood in Algorithm 2.
# : As printed, twice, {corrected}`it never leaves its starting point <ren2019.em-likelihood>`; with the differing bits in the exponent, which is what whoever drew the figures must have had, it works.
#
# It is {ref}`listed <errata-ren2019>` with the slips, most of which are letters and line numbers.
#
# ## What could not be decided, and what would decide it
#
# - {undecided}`Whether the sum of informations rises or falls with f <ren2019.fig5-trend>`: the accuracy δ at which EM stops, on which the direction depends.
# - {undecided}`The start by entropy on Adult and TPC-E <ren2019.fig6-merged>`: how the values of the two tables were merged.
# - {undecided}`Figure 8 <ren2019.fig8>`: which tables are drawn.
#
# A line each would settle all three.
#
# ## If you build on it
#
# - Say whose ε it is; of a record and of one attribute they differ by the number of attributes ({ref}`sec-publish-notions`).
# - At an ε that protects a record, ask each person about a few attributes with all of ε, and fit maximum entropy to pairs: about a tenth of the error at ε = 2 ({ref}`sec-publish-equal`).
# - One bit for a binary attribute is better than two, at no cost ({ref}`sec-joint-better`).
# - Iterate to a bound on the error and not to a step that is small ({ref}`sec-joint-convergence`).
# - Test classifiers on people who were held out ({ref}`sec-bayesnet-fig10`).

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from math import exp, isclose, log

from ldpnb import GRR, epsilon, laws, moments, pick, same_law, toss
from ldpnb.book import close, settle

# %% [markdown]
# (ren2019-4-1)=
# ## §4.1 Local differential privacy
#
# (ren2019-def-1)=
# ### Definition 1, (2) · ε-LDP
#
# {badge}`Definition` · Lesson: {ref}`ch-rr`
#
# A mechanism $M$ is ε-LDP if, for any two records $X$ and $\hat X$ of its domain and every output $y$ of its range,
#
# $$ \Pr[M(X) = y] \le e^\varepsilon \Pr[M(\hat X) = y]. $$
#
# The paper compares single outputs.
# With finitely many outputs, as in the paper, the same then holds for every set of them, by adding up.
#
# (ren2019-4-1-a)=
# ### §4.1 (a) · Randomized response
#
# {badge}`Reproduced <ren2019.randomized-response>` · Lesson: {ref}`ch-rr`
#
# With probability $p$ a person tells the truth, and otherwise she answers yes or no at random.
# Read as a fair coin, this is Warner's randomized response, which tells the truth with probability $p + (1-p)/2$:
#
# $$ e^\varepsilon = \frac{p + (1-p)/2}{(1-p)/2} = \frac{1+p}{1-p}, \qquad p = \frac{e^\varepsilon-1}{e^\varepsilon+1}. $$
#
# So one answer hides the truth up to ε.
# The mean answer is $\frac12 + p\,(x - \frac12)$, so many answers show the share of yes without bias.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §4.1: 1 reproduced"}
CHANCES = 0.1, 0.5, 0.9


def answer(x, p, rng):
    """The truth with probability p, otherwise yes or no at random."""
    return x if toss(p, rng) else pick((0, 1), rng)


def always_yes(x, p, rng):
    """A mistake: the truth with probability p, otherwise yes."""
    return x if toss(p, rng) else 1


def is_warner(client, eps=1.0):
    """Whether a client has the law of W-RR at ε, with the p above."""
    p = (exp(eps) - 1) / (exp(eps) + 1)
    return same_law(lambda x, rng: client(x, p, rng), GRR(k=2, epsilon=eps), [0, 1])


def hides(client):
    spent = [epsilon(laws(lambda x, rng, p=p: client(x, p, rng), [0, 1])) for p in CHANCES]
    return all(isclose(eps, log((1 + p) / (1 - p)), abs_tol=1e-9) for eps, p in zip(spent, CHANCES, strict=True))


def unbiased(client):
    """Whether the score (y − 1/2)/p + 1/2 has the truth as its mean."""
    means = [
        moments(lambda x, rng, p=p: client(x, p, rng), [0, 1], score=lambda y, p=p: (y - 0.5) / p + 0.5)[0]
        for p in CHANCES
    ]
    return all(isclose(mean[x], x, abs_tol=1e-9) for mean in means for x in (0, 1))


settle(
    "ren2019.randomized-response",
    {"law": is_warner(answer), "hides": hides(answer), "shares": unbiased(answer)},
    control=(
        "yes in place of a random answer",
        not (is_warner(always_yes) or hides(always_yes) or unbiased(always_yes)),
    ),
)
close("ren2019", "§4.1", "1 reproduced")
