# %% [markdown]
# (ch-speed)=
# # What it costs
#
# :::{admonition} In one minute
# You can time a client and a server on your machine with a short program.
# One table lists the times of all mechanisms, from one recorded run on one machine.
# Clients with long reports are slow, because they draw more random numbers.
# A server's time depends on whether it looks up one cell per report or tries every item.
# At a million items and a billion people, this makes the difference between seconds and days.
# :::
#
# :::{zh}
# 本页是手册，说明各机制的时间与内存开销，不涉及五篇论文的论断。
# 读者可用十行代码在自己的机器上测量用户端与服务器的耗时。
# 各表的数值来自一台机器上的一次运行，只对那台机器成立，其中的比值更有参考意义。
# 用户端的耗时主要取决于所需随机数的多少；服务器的耗时取决于每份报告只查一个单元，还是逐一尝试各项。
# 候选项达百万、用户达十亿时，前者不到一分钟，后者需要数日。
# :::

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports and the record"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldpnb_book import dots, recorded, style, table
from ldpnb_book.studies import manual as study

style()
record = recorded("bench.mechanisms")
times = record.set_index(["mechanism", "size", "library", "what"])["value"]
about = record.attrs
apart = about["rounds differ by"]["95 %"]


def cost(name, size, what, library="ldpnb"):
    """A number of the record, NaN where there is none."""
    return times.get((name, size, library, what), np.nan)


def say(x, unit=""):
    """Three digits, or a dash."""
    return "—" if np.isnan(x) else (f"{x:,.0f}" if x >= 100 else f"{x:.3g}") + unit


# %% [markdown]
# (sec-speed-yours)=
# ## How long does it take on my machine?
#
# Put in your own mechanism and your own number of people.
# The cell shows no result, because yours will differ; print `client` and `server` to see it.

# %%
from time import process_time

from ldpnb import HadamardBit

people = np.random.default_rng(1).integers(0, 1024, 100_000)
mechanism = HadamardBit(k=1024, epsilon=1.0)
rng = np.random.default_rng(2)


def nanoseconds(work, runs=5):
    """Processor time per person; the least of several runs, after one that does not count."""
    work()
    taken = []
    for _ in range(runs):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return 1e9 * min(taken) / len(people)


reports = mechanism.perturb(people, rng=rng)
client = nanoseconds(lambda: mechanism.perturb(people, rng=rng))
server = nanoseconds(lambda: mechanism.estimate(mechanism.tally(reports)))

# %% [markdown]
# Three things change such a number:
#
# - *The first call* compiles loops and fills caches, so the cell leaves it out.
# - *Other programs* on the machine make a run longer, never shorter, so the shortest run counts.
# - *One person at a time* is slow: the checks of arguments cost the same for one value as for a hundred thousand.
#   Pass a whole array.
#
# (sec-speed-all)=
# ## How long does each mechanism take?
#
# `make bench` measures all mechanisms and writes one record.
# The tables of this page come from such a record:

# %% tags=["hide-input"]
crowd = record.query("what == 'client' and library == 'ldpnb'")["n"].max()
print(f"{about['processor']}, one core; {about['date']}; Python {about['python']}, numpy {about['numpy']}")
print(f"{crowd:,} people, ε = {record['epsilon'].max():g}; {about['clock']}")
print(f"two rounds of the same run differ by more than {apart:.2f}× in one case of twenty")

# %% [markdown]
# The numbers hold for that machine only.
# Ratios carry over better to other machines, but a ratio below the factor in the last line means nothing.
#
# - *client*: `perturb`, in nanoseconds per person.
# - *÷ random*: the client's time divided by the time that numpy takes to draw the same random numbers.
# - *secure*: how many times as long the client takes with `chance.SystemRandom`, the system's random numbers.
#   Use these for real people; a generator whose state can be guessed protects nobody.
# - *server*: `tally` and `estimate` together, per person.
# - *per item*: the server's time per person and item, where it works on each item for each report.
# - *simulation*: one survey of a billion people, without reports; in parentheses if it is right only for each item by itself.
#
# | what a person has | names in the table | explained in |
# |---|---|---|
# | one item | GRR (k-RR), SUE, OUE, OLH, SubsetSelection (k-Subset) | {ref}`ch-frequency` |
# | one item, a short report | HadamardBit, HadamardResponse, SHist, PCE | {ref}`ch-onebit` |
# | one item, any channel | MatrixMechanism | {ref}`ch-distortion` |
# | a string | RAPPOR, ORR (O-RR), Unknown (RAPPOR-Unknown) | {ref}`ch-rappor`, {ref}`ch-unknown` |
# | numbers | TwoPoint (two points), Piecewise, Hybrid, Laplace | {ref}`ch-means` |
# | several numbers | MeanEst, HarmonyMean (Harmony), SampledHybrid | {ref}`ch-many` |
# | keys and values | StateEncoding to PairSampling | {ref}`ch-keyvalue`, {ref}`ch-correlation`, {ref}`ch-wheel` |
# | a set | Wheel to PrivSet | {ref}`ch-wheel`, {ref}`ch-items` |
# | several attributes | HarmonyFrequency, BitFlip, BloomFlip, Blocks | {ref}`ch-onebit`, {ref}`ch-joint`, {ref}`ch-publish` |
#
# *Packed* reports have eight items per byte.
# `k` counts items, keys, attributes, bits of a Bloom filter, or letters of an unknown string.

# %% tags=["hide-input"]
FAMILIES = {
    "one item": "GRR SUE OUE OLH SubsetSelection HadamardBit HadamardResponse SHist PCE MatrixMechanism",
    "a string": "RAPPOR ORR Unknown",
    "numbers": "TwoPoint Piecewise Hybrid Laplace MeanEst HarmonyMean SampledHybrid",
    "keys and values": "StateEncoding StateEncodingSplit PrivKV PCKVGRR PCKVUE WheelKV IOH PairSampling",
    "a set": "Wheel SampledHadamardBit SampledSUE SampledGRR PrivSet",
    "several attributes": "HarmonyFrequency BitFlip BloomFlip Blocks",
}
ours = record.query("library == 'ldpnb' and what == 'client'")
size = ours.drop_duplicates("mechanism").set_index("mechanism")["size"]  # that of the catalogue comes first
LISTED = [name for plain in " ".join(FAMILIES.values()).split() for name in (plain, f"{plain}, packed") if name in size]
assert sorted(size.index) == sorted(LISTED), "a mechanism of the record has no family"


def simulated(name, k):
    """Milliseconds of a simulated survey; in parentheses if it is exact for each item alone only."""
    joint, alone = (cost(name, k, what) / 1e6 for what in ("simulate", "simulate_marginals"))
    return say(joint) if not np.isnan(joint) else "—" if np.isnan(alone) else f"({say(alone)})"


def rows(columns):
    """One row per mechanism, under the name of its family."""
    first = {names.split()[0]: family for family, names in FAMILIES.items()}
    return table(
        pd.DataFrame(
            [
                {"has": first.get(name, ""), "mechanism": name, "k": size[name]} | columns(name, size[name])
                for name in LISTED
            ]
        )
    )


rows(
    lambda name, k: {
        "client, ns": say(cost(name, k, "client")),
        "÷ random": say(cost(name, k, "client") / cost(name, k, "random numbers", "numpy")),
        "secure": say(cost(name, k, "client, secure") / cost(name, k, "client"), "×"),
        "server, ns": say(cost(name, k, "server")),
        "per item": say(cost(name, k, "server, an item")),
        "simulation, ms": simulated(name, k),
    }
)

# %% tags=["hide-input"]
for what, over, under in (
    ("client ÷ random numbers", ("client", "ldpnb"), ("random numbers", "numpy")),
    ("secure ÷ client", ("client, secure", "ldpnb"), ("client", "ldpnb")),
    ("secure ÷ client, one person at a time", ("client, alone, secure", "ldpnb"), ("client, alone", "ldpnb")),
):
    ratio = {name: cost(name, k, *over) / cost(name, k, *under) for name, k in size.items()}
    low, high = min(ratio, key=ratio.get), max(ratio, key=ratio.get)
    print(f"{what}: median {np.median([*ratio.values()]):.2f}, ", end="")
    print(f"from {ratio[low]:.2f} ({low}) to {ratio[high]:.2f} ({high})")

# %% [markdown]
# A phone draws for one person, and there the system's random numbers add little.
#
# (sec-speed-memory)=
# ## How much memory does it take?
#
# The table shows the most bytes in use at any time, per person, with the results included.
# A report in memory is a row of an array, and wider than what a phone sends: compare the first two columns.
# Public parts of a report, such as a seed, are not in *to send*.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Memory of all mechanisms"}
rows(
    lambda name, k: {
        "to send, bits": say(cost(name, k, "private bits")),
        "report, bytes": say(cost(name, k, "report")),
        "client, bytes per person": say(cost(name, k, "client, peak")),
        "server, bytes per person": say(cost(name, k, "server, peak")),
    }
)

# %% [markdown]
# (sec-speed-grows)=
# ## What if I have four times as many items?
#
# The same mechanisms at 256 and at 1,024 items:

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-speed-grows", "caption": "Time per person of client and server with 256 items (filled) and 1,024 items (open), from the record. Where both marks coincide, more items cost no more."}, "image": {"alt": "Dot plot in two panels, client and server, one row per mechanism, nanoseconds on a logarithmic axis. Clients of unary encodings and k-Subset move to the right with more items, the other clients stay. Servers of unary encodings, k-Subset, OLH and S-Hist move, the others stay."}}
FEW, MANY = 256, 1024
grown = [name for name in LISTED if not np.isnan(cost(name, MANY, "client"))][::-1]
fig, axes = plt.subplots(1, 2, figsize=(6.4, 4.4), sharey=True)
for ax, what in zip(axes, ("client", "server"), strict=True):
    ax.hlines(range(len(grown)), *([cost(name, k, what) for name in grown] for k in (FEW, MANY)), color="#777777")
    for k, look in ((FEW, {}), (MANY, {"markerfacecolor": "white"})):
        ax.plot([cost(name, k, what) for name in grown], range(len(grown)), **dots(0) | look, label=f"{k:,} items")
    ax.set(xscale="log", xlabel="nanoseconds per person", title=what)
axes[0].set_yticks(range(len(grown)), grown)
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
plt.show()

# %% [markdown]
# A report that names an item, a row or a sign costs the client hardly more when there are more items.
# A vector of bits grows with their number.
# The servers of k-RR and of both Hadamard mechanisms look up one cell per report.
# OLH and S-Hist compare each report with each item; PrivSet counts the items that a report names, which are more in a longer list.
#
# (sec-collect-paper)=
# ## Which mechanism at a million items?
#
# `Item` gives the errors: here, half the width of a 95 % interval, in points, for a rare item and a billion people.

# %%
from ldpnb.choose import Item

choices = Item(n=10**9, epsilon=1.0, k=10**6).rank()
print("mechanism            ±      bits  server's work grows with")
for choice in choices[:8]:
    bits = choice.private_bits + choice.public_bits
    print(f"{choice.name:18} {196 * choice.error:.4f}", end=" ")
    print(f"{bits:9,}  {choice.server}")

# %% [markdown]
# All but k-RR are within 13 % of one another, so at this size the server and the network decide.
# For k-Subset, `rank` gives no error at more than 100,000 items.
# For some of them, we measured how long reading and counting a report takes with $2^{10}$ and $2^{20}$ items.
# The figure shows a billion times as much.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-collect-cost", "caption": "Time of one core to read and count a billion reports, ε = 1. Filled: 2¹⁰ items. Open: 2²⁰ items, or a million strings (from a measurement with 10⁵)."}, "image": {"alt": "Dot plot on a logarithmic axis of time, one row for each of six mechanisms. k-RR, Hadamard bit and Hadamard response take less than a minute at a thousand and at a million items. OUE and OLH take minutes at a thousand items and days at a million. The wheel takes days for a million strings."}}
measured = recorded("scale.counting", study.counting, parameters=study.COUNTING)
took = {(row["mechanism"], row["k"]): row["read ns"] + row["count ns"] for row in measured["rows"]}
wheel = next(row for row in measured["rows"] if row["k"] == 10**5)  # its count grows with the strings
took["Wheel, m = 1", 2**20] = wheel["read ns"] + wheel["count ns"] * 10
UNITS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}


def core_time(seconds):
    """Write the time of one core."""
    unit = next((unit for unit, length in UNITS.items() if seconds >= length), "seconds")
    return f"{seconds / UNITS[unit]:,.1f} {unit}"


lines = [*study.LISTED, "Wheel, m = 1"][::-1]
fig, ax = plt.subplots(figsize=(6.4, 3.2))
for k, look in ((2**10, {}), (2**20, {"markerfacecolor": "white"})):
    ax.plot([took.get((name, k), np.nan) for name in lines], range(len(lines)), **dots(0) | look)
ax.set(xscale="log", xlabel="time of one core", xlim=(0.7, 14 * 86400), ylim=(-0.6, 5.6))
ax.set_yticks(range(len(lines)), lines)
marks = {"1 s": 1, "1 minute": 60, "1 hour": 3600, "1 day": 86400, "1 week": 7 * 86400}
ax.set_xticks(list(marks.values()), list(marks))
ax.minorticks_off()
plt.show()

# %% tags=["hide-input"]
for name in lines[::-1]:
    many = "10⁶ strings" if name.startswith("Wheel") else "2²⁰ items"
    print(f"{name:18} {many:12} {core_time(took[name, 2**20])}")
print(f"Hadamard bit   2²⁴ columns  {core_time(took['Hadamard bit', 2**24])}")

# %% [markdown]
# - *Take a Hadamard mechanism* if clients have the list of items.
#   `HadamardBit` sends one private bit and a public row; `HadamardResponse` has no public part.
#   `BlockDesign` has a smaller error and the same kind of server, which is not in the record.
# - *Strings that only the server lists:* the wheel tries each string for each report.
#   To avoid this work, hash all strings by one public hash into $2^{24}$ columns of `HadamardBit` {cite:p}`cormode2021frequency`.
#   Strings in the same column are then counted together.
# - *OUE and OLH* keep one core busy for more than a day.
#
# (sec-speed-peers)=
# ## How do other libraries compare?
#
# The table says how many times as long as ours they take in the same run; 1/64 means a 64th of our time.
# pure-ldp {cite:p}`cormode2021frequency`, multi-freq-ldpy and OpenDP handle one person at a time, ours a crowd as an array.
# OpenDP draws secure random numbers, so its clients stand beside our *secure* ones.
# Some algorithms also differ: the other local hashing hashes a text, and S-Hist stands beside binary local hashing.
# The last column is for one person per call.
# {ref}`ch-libraries` compares what these libraries and ours can do.

# %% tags=["hide-input"]
NAMED = {"pure-ldp": "pure-ldp", "multi-freq-ldpy": "multi-freq-ldpy", "opendp": "OpenDP"}


def beside(name, k, what, ours, library):
    """How many times as long as ours another library takes."""
    secure = ", secure" if library == "opendp" and what == "client" else ""
    ratio = cost(name, k, what, library) / cost(name, k, ours + secure)
    return f"1/{1 / ratio:.3g}" if ratio < 1 else say(ratio)


theirs = record[record["library"].isin(NAMED)]
compared = theirs[["mechanism", "size", "library"]].drop_duplicates()
order = sorted(compared.itertuples(index=False), key=lambda row: (LISTED.index(row[0]), row[1]))
table(
    pd.DataFrame(
        [
            {"mechanism": name, "k": k, "beside": f"{NAMED[library]} {about['peers'][library]}"}
            | {what: beside(name, k, what, what, library) for what in ("client", "server")}
            | {"client, one person": beside(name, k, "client", "client, alone", library)}
            for name, k, library in order
        ]
    )
)

# %% [markdown]
# (sec-speed-goals)=
# ## Which goals did we meet?
#
# These goals were set before the code was written.
# *Open* means that goal and number differ by less than two rounds of one run may.

# %% tags=["hide-input"]
em = record.query("what == 'triples'").iloc[0]
GOALS = [
    ("k-RR: client, × its random numbers", 3, cost("GRR", FEW, "client") / cost("GRR", FEW, "random numbers", "numpy")),
    ("OUE, packed, k = 1,024: client, ns per bit", 0.6, cost("OUE, packed", MANY, "client") / MANY),
    ("k-Subset, packed, k = 1,024: client, ns", 500, cost("SubsetSelection, packed", MANY, "client")),
    ("OLH, k = 256: server, ns per item", 0.25, cost("OLH", FEW, "server, an item")),
    ("OLH, 1,024 ids below 2⁶²: server, ns per id", 0.9, cost("OLH", MANY, "server, an id")),
    ("Wheel-KV, 256 keys: server, ns per key", 0.25, cost("WheelKV", FEW, "server, an item")),
    (f"EM with a bound on its error, {em['note'].split(',')[0]} of 3 of {em['size']} bits, ms", 100, em["value"] / 1e6),
]
GOALS += [
    (f"{name}, k = 1,024: simulation of 10⁹ people, ms", 1, cost(name, MANY, "simulate") / 1e6)
    for name in ("GRR", "SUE", "OUE", "HadamardBit", "HadamardResponse")
]


def verdict(most, found):
    """Met or missed, if by a larger factor than rounds differ."""
    if max(found / most, most / found) < apart:
        return "open"
    return "met" if found < most else f"missed, by {100 * (found / most - 1):.0f} %"


table(
    pd.DataFrame(
        [
            {"goal": goal, "at most": f"{most:g}", "measured": say(found), "": verdict(most, found)}
            for goal, most, found in GOALS
        ]
    )
)

# %% [markdown]
# The simulations that missed their goals draw from the exact joint law of all rows, for which they transform binomial counts.
#
# ## What is not measured?
#
# - Packing, encryption, transport and storage on the way from a phone to the server.
# - Another ε, which changes the lengths of some reports, and several cores.
# - Constant time: drawing a report may take longer for one value than for another, and no ε covers what that reveals ({ref}`sec-deploy-around`).
