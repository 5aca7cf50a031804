# %% [markdown]
# (paper-zhang2018)=
# # The thesis: Zhang, 2018
#
# {cite:t}`zhang2018gfim` is a bachelor thesis, and an ambitious one: it takes the best method of the day for frequent items of sets, LDPMiner {cite:p}`qin2016heavy`, finds its weak spot, and mends it.
# LDPMiner asks everybody twice and gives each question half of the budget.
# The thesis divides the *people* instead: one half names candidates, the other half is asked about these alone, each with all of ε.
# The algorithm, GFIM, is proved private, run on synthetic people and on a census, and compared with what it improves.
# Dividing people rather than ε is a usual way of designing such protocols today; {cite:t}`wang2018itemset`, of the same year, do so too.
#
# :::{verdicts} zhang2018
# :::
#
# ## What holds
#
# The idea.
# : Dividing people {holds}`is more accurate at small ε <zhang2018.small-epsilon>`, in each phase, for any number of people, up to a stated ε of about 3.
#   {holds}`GFIM is ε-private <zhang2018.gfim-private>` as a whole, {holds}`the division has to be random <zhang2018.random-split>`, and {holds}`trimming <zhang2018.trimming>` does what the thesis says.
#
# Sampling S-Hist.
# : It is {holds}`ε-private for sets <zhang2018.sampled-private>` of any size, with {holds}`probabilities within the stated bounds <zhang2018.bounds>`; {holds}`padding <zhang2018.padding>` is needed, {holds}`dummies cancel <zhang2018.dummies>` on average, {holds}`a moderate ℓ <zhang2018.ell-moderate>` is best, and {holds}`an orthogonal table <zhang2018.orthogonal>` is better than a random one for many people.
#   {holds}`S-Hist <zhang2018.shist-private>` and {holds}`RAPPOR's p <zhang2018.rappor-p>` are right, and so is the comparison of {holds}`what they send <zhang2018.communication>`.
#
# The experiments, in their directions.
# : {holds}`More people <zhang2018.more-people>` and {holds}`steeper laws <zhang2018.steeper>` help; on synthetic people GFIM and LDPMiner {holds}`differ little <zhang2018.similar>`; on stand-ins for the census GFIM is {holds}`better at ε = 1 <zhang2018.census-better>`, and {holds}`below ε = 1.5 <zhang2018.fig511>` as the thesis has it.
#
# ## What holds under conditions
#
# Unbiased.
# : {partly}`With the factor ℓ <zhang2018.times-ell>` for sets of up to ℓ items; up to a tenth are longer, by the choice of ℓ.
#   {partly}`S-Hist's estimate <zhang2018.shist-estimate>` is so over random tables, and for a given one nearly.
#
# Against what, and at which ε.
# : {partly}`Sampling one item <zhang2018.sampling-better>` beats asking about all where ε is not large, {partly}`S-Hist's extra error <zhang2018.error-ratio>` over RAPPOR vanishes for small ε, {partly}`less computation <zhang2018.computation>` is true against RAPPOR with Bloom filters or with the orthogonal table.
#
# The list of candidates.
# : {partly}`Its length <zhang2018.list-size>` matters through padding and not through the table, and so does {partly}`a smaller domain <zhang2018.smaller-domain>`; {partly}`not padding <zhang2018.padding-exposes>` shows more, though no more than ε; {partly}`the best length <zhang2018.list-choice>` matters much on some data; {partly}`items off the list <zhang2018.off-the-list>` are better with their first estimate than with none, and can push out better ones.
#
# How good GFIM is.
# : {partly}`It finds most items <zhang2018.most-found>` of the steep law with 500,000 people, {partly}`better than LDPMiner overall <zhang2018.better>` up to ε = 1.5, and {partly}`the error's minimum near k = 3 <zhang2018.fig59>` depends on the shares.
#
# Eight precisions.
# : {partly}`The printed values <zhang2018.precisions>`, {partly}`29 of 30 <zhang2018.one-missing>` among them, do not fit the algorithm as it is written, and fit several readings of it that differ in one step.
#   Eight single runs cannot tell these apart, and how GFIM compares with LDPMiner does not depend on them.
#
# Words.
# : {partly}`Neighbours <zhang2018.neighbours>` differ by one record and not merely in size, as its example shows; {partly}`personal ε <zhang2018.personal>` is possible centrally as well; {partly}`little data <zhang2018.volume>` is hard for both models.
#
# ## What is corrected
#
# In the algorithms.
# : {corrected}`The table <zhang2018.table-entries>` of Algorithm 2 lacks a factor without which dummies are recognised, and its {corrected}`constant c <zhang2018.c-epsilon>` lacks exponentials, which may be our text's fault.
#
# In the proofs.
# : {corrected}`Equation (3-4) <zhang2018.sampled-proof>` leaves out a sum; the result stands.
#   {corrected}`The δ of the lemma <zhang2018.jl-delta>` is mixed up with a probability.
#
# In the chapter on foundations.
# : {corrected}`The estimate <zhang2018.mle>`, {corrected}`its expectation <zhang2018.expectation>` and {corrected}`p <zhang2018.p>` have a misprint each, {corrected}`the inequality <zhang2018.strict>` is strict, {corrected}`larger ε <zhang2018.larger-epsilon>` is called stronger where the first chapter has it right, {corrected}`noise for one person <zhang2018.no-sensitivity>` is possible, and {corrected}`a relative error <zhang2018.error-range>` has no upper bound.
#
# They are {ref}`listed <errata-zhang2018>` with the slips.
#
# ## What could not be decided, and what would decide it
#
# - {undecided}`The factor of the second phase <zhang2018.phase2-scale>`: one formula, or the program.
# - {undecided}`The census file <zhang2018.census-facts>`: a copy of it.
#   Its figures were tried on stand-ins, and these verdicts say so.
#
# ## If you build on it
#
# - Keep the idea, change the answer: with one drawn item a report should go through k-RR with the amplified budget, or speak of the whole set (PrivSet, the wheel), which at small ε is far ahead ({ref}`sec-items-compare`, {ref}`sec-gfim-all`).
# - Ask whether two phases pay: as published, only if there are fewer candidates than items in a set ({ref}`sec-gfim-pays`).
# - Publish estimates from the second phase alone ({ref}`sec-gfim-curse`).
