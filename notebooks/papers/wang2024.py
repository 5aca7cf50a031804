# %% [markdown]
# (paper-wang2024)=
# # A changing domain: Wang, 2024
#
# {cite:t}`wang2024dynamic` starts from something that every service knows and that mechanisms had ignored: keys come and go.
# Songs are released and expire, products appear, queries become hot; and a client that works with a list of keys has to be told.
# The paper calls for a client that does not depend on the keys at all, goes through what happens to three known mechanisms when keys are added or removed, proposes Wheel-KV, which carries the wheel of {cite:t}`wang2020wheel` from sets to key–value data, and shows what a server can do with it: charts, lists of frequent keys, data in batches.
# The idea is a good one, and its analysis of what goes wrong with the others is right on the point that matters most, privacy.
#
# :::{admonition} What stands in for the paper here
# :class: note
# The text that we could read is that of a web page, from which **all formulas and all figures are missing**.
# Wheel-KV in this book is **our reconstruction** ({ref}`sec-wheelkv`): it fits most of what is left of the two algorithms, is ε-LDP for whole records under every hash, and unbiased under an ideal one.
# Nothing says that it is what the author ran.
# Wherever the verdicts below speak of Wheel-KV they speak of the reconstruction, and a difference from the paper may be a difference between the two.
# :::
#
# :::{verdicts} wang2024
# :::
#
# ## What holds
#
# A client that was not told.
# : If keys are added, PCKV-GRR with its old probabilities {holds}`is no longer ε-LDP <wang2024.table1-grr>`, and if its random keys come from the old list it has no finite ε at all.
#   We know of no earlier paper that says so.
#
# What else is lost.
# : {holds}`Added keys <wang2024.table1>` cannot be sampled by PrivKVM nor transmitted by PCKV-UE; with {holds}`removed keys <wang2024.table2>` accuracy and bandwidth are wasted.
#   {holds}`Which clients depend on the keys <wang2024.dependence>`, and {holds}`that Wheel-KV's does not <wang2024.independence>`, is as the paper says, and so is {holds}`who has to be told <wang2024.table4>`.
#
# The comparison.
# : All errors {holds}`fall with the budget <wang2024.fig3-falls>`, and {holds}`Wheel-KV does well in both respects <wang2024.fig3-wheel>`, for people with several pairs out of many keys.
#
# Batches and lists.
# : With {holds}`removed keys <wang2024.fig5>` batches have smaller errors, scanning a list of favourites {holds}`takes less time <wang2024.fig6b>`, and both charts work, the one of {holds}`new songs <wang2024.scene-songs>` and the one of searches with {holds}`sudden words added by hand <wang2024.scene-bursts>`; each person who reports once {holds}`spends exactly ε <wang2024.scene-privacy>`.
#
# Bandwidth, as orders.
# : {holds}`Table 5 <wang2024.table5>` is right in the order notation that it uses, {holds}`Wheel-KV's row <wang2024.table5-wheel>` as well.
#
# Known mechanisms.
# : {holds}`PrivKV <wang2024.privkv>`, {holds}`what PrivKVM asks of its users <wang2024.privkvm-online>`, {holds}`PCKV <wang2024.pckv>`, {holds}`its bandwidth <wang2024.ue-bandwidth>` and {holds}`its accuracy <wang2024.grr-accuracy>` are described as they are.
#
# ## What holds under conditions
#
# Whose share is meant.
# : That {partly}`batches <wang2024.batches>` and in particular {partly}`new keys <wang2024.fig4>` gain is true for the share of everyone; for the share of now it depends on ε, and the text does not say which is meant.
#   That errors fall as the domain {partly}`grows <wang2024.fig4-falls>` or {partly}`shrinks <wang2024.fig5-falls>` is true of frequencies, and not of all means.
#
# Privacy.
# : {partly}`The same protection as the others <wang2024.protection>` in that none spends more than it states; they do not all spend the same.
#   With {partly}`removed keys <wang2024.table2-grr>` PCKV-GRR loses accuracy, as Table 2 says; where few keys are left and sets are padded little, its ε goes as well, which Table 2 does not say.
#
# Bandwidth.
# : {partly}`Unchanged <wang2024.table12-bandwidth>` for clients that keep their list, changed by a bit for those that are told; {partly}`shortest of all <wang2024.table5-compare>` if the seed need not be sent.
#
# Rounds.
# : PrivKVM is {partly}`unbiased <wang2024.privkvm-bias>` in the limit of many rounds.
#
# Lists of favourites.
# : {partly}`Scanning a list <wang2024.fig6a>` changes nothing for its keys, but a noisy scan picks a noisy list, whose own estimates are too high; {partly}`the top hundredth <wang2024.scene-searches>` is on it if keys are far enough apart; what is {partly}`saved <wang2024.scene-cost>` with Wheel-KV is the server's work.
#   That {partly}`rare keys <wang2024.top-n>` have poor means holds where keys differ in frequency.
#
# ## What is corrected
#
# No statement of mathematics, as no formula is left to judge.
# Six slips of the pen are {ref}`listed <errata-wang2024>`.
#
# ## What could not be decided, and what would decide it
#
# - {undecided}`Wheel-KV itself <wang2024.wheelkv>`: the formulas of Algorithms 1 and 2.
#   One page of the printed paper would do.
# - {undecided}`The notion of independence <wang2024.notion>` that the introduction announces: its definition.
# - {undecided}`Interactive privacy <wang2024.interactive>` and {undecided}`the error measures <wang2024.mse>`: two formulas each; their words allow hardly more than one reading, which we take.
# - {undecided}`The data sets <wang2024.table3>`: how keys and values are drawn, and which budgets were used.
# - {undecided}`PrivKVM's one communication <wang2024.table4-privkvm>`: whether a round or a whole collection counts as one.
# - {undecided}`How PrivKVM+ chooses its rounds <wang2024.privkvm-plus>`: a rule; the source leaves it open, too.
# - {undecided}`That all earlier work has a fixed domain <wang2024.related>`: which works are meant.
#
# ## If you build on it
#
# - Take the reconstruction with its proofs ({ref}`sec-wheelkv`), or the printed algorithms if you have them; in that case run the client through {ref}`laws <ch-verify>` before anything else, as one reading of what is left has no finite ε.
# - Say of whom a share is: of everybody who ever reported, or of those who report now ({ref}`sec-changing-batches`).
# - What chose a key must not also measure it ({ref}`sec-charts-curse`), and whoever reports daily spends daily ({ref}`sec-charts-repeat`).
