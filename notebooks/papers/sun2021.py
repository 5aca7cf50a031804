# %% [markdown]
# (paper-sun2021)=
# # Correlations: Sun, Ping and Ye, 2021
#
# {cite:t}`sun2021keyvalue` ask a question that earlier mechanisms for private key–value data had left out: not how frequent a symptom is, but how frequent and how severe it is *among those who have another one*.
# The paper defines this as frequency and mean correlation, and gives one construction that answers all such questions at once.
# Two ideas carry it.
# A key and its value are bound into one of three states, so that nothing about their dependence is lost; and the states of all keys are read as one number, which any frequency oracle can count.
# The first idea alone also gives a mechanism for single keys that is simpler than its predecessors and, as published, more precise.
# Both are clean, and both are built as described in {ref}`ch-keyvalue` and {ref}`ch-correlation`.
#
# :::{verdicts} sun2021
# :::
#
# ## What holds
#
# The construction.
# : {holds}`States <sun2021.state>`, {holds}`the index <sun2021.index>`, {holds}`conditions in any order <sun2021.condition>`, {holds}`the privacy of whole records <sun2021.ioh-epsilon>`, {holds}`unbiased counts <sun2021.ioh-unbiased>`, and {holds}`the expansion <sun2021.expansion>` by which every question becomes a sum: all of it is right, the worked example {holds}`I(101) <sun2021.index-set>` included.
#   {holds}`Correlations are ratios <sun2021.ratios>` of such sums, and {holds}`reports on single keys <sun2021.single-key>` cannot give them.
#
# State encoding.
# : Its {holds}`law <sun2021.se-law>` is right and exactly private, and its errors of {holds}`frequency <sun2021.fig5a>` and {holds}`mean <sun2021.fig5b>` are below those of PrivKV and PrivKVM, as the paper reports, on a stand-in and on recorded ratings.
#
# The experiments.
# : Errors {holds}`fall with ε <sun2021.fig5-falls>` and {holds}`with the number of people <sun2021.fig6-people>`, and {holds}`means are harder <sun2021.fig6-means>` than frequencies.
#
# What it says of itself.
# : {holds}`The space of the code <sun2021.space>` grows like $3^d$, and sampling helps.
#
# ## What holds under conditions
#
# - {partly}`OUE has the least variance <sun2021.oue-optimal>` for rare items, for which its authors say it; an item that everybody holds is better served by SUE.
# - {partly}`OUE beats SUE for correlations <sun2021.fig6-oue>` of eight keys at ε from 4 to 10, and not of two keys at ε = 10; in general it depends on the weights, by a theorem of {ref}`sec-corr-errors`.
# - {partly}`The lowest bandwidth <sun2021.table2>` is a matter of formats: PrivKV sends one of as many different reports, and could be coded as short.
#
# ## What is corrected
#
# The estimates of state encoding.
# : In §4.2 they are printed for {corrected}`counts that are not corrected <sun2021.se-estimate>` for the perturbation.
#   The paper corrects the counts of its other method, so it is an omission in print; but a program written from the formula would be wrong.
#
# Three formulas that may be damage or slips.
# : {corrected}`The error measure <sun2021.mae>` is called an absolute error and has a square, {corrected}`an expansion <sun2021.f-example>` contains itself, and {corrected}`S⁺ <sun2021.s-plus>` counts people without the key, who cancel in the difference that is used.
#
# They are {ref}`listed <errata-sun2021>` with the slips.
#
# ## What could not be decided
#
# Every claim could be tried.
# Two settings are missing, the way in which the Gaussian keys of Fig. 6 go together and the questions that are averaged; ours are said in {ref}`sec-corr-figure`.
# The figures themselves are missing from our text, so curves are compared with the paper's words.
#
# ## If you build on it
#
# - For questions about two of many keys, ask each person about one pair of keys: it divides the people and, at moderate ε, gains far more by the smaller table ({ref}`sec-corr-figure`).
# - Give every ratio an interval; a small count below makes it wild, and {ref}`sec-corr-errors` has the formula.
# - The advantage over PrivKV is in part a budget that PrivKV does not spend ({ref}`sec-kv-privkv`); compare at equal exact ε.
