# %% [markdown]
# (ch-speed)=
# # What it costs
#
# :::{admonition} In one minute
# A client draws random numbers and writes a report.
# How long numpy takes to draw the same numbers, and to copy the same report, are two yardsticks that can be timed in the same run on the same machine.
# Tables have all mechanisms of this book in nanoseconds and in multiples of the first, with memory, with the price of random numbers that protect real people, and beside three other libraries.
#
# Half of the clients take no more than a few times as long as their random numbers, and plain unary encodings hardly longer than these.
# What separates the mechanisms most is how many numbers they draw; so long reports are slow, and one that needs fewer random bits is faster.
# :::
#
# :::{zh}
# 本章测量全书各机制的时间与内存开销，不涉及五篇论文的论断。
# 用户端要生成随机数并写出报告；在同一次运行中，测得 numpy 生成同样的随机数、复制同样的报告所需的时间，作为两把尺子。
# 各表列出各机制的耗时及其与第一把尺子之比、所占的内存、改用操作系统随机数的代价，以及与另外三个库的比较。
# 各机制的差别主要取决于所需随机数的多少：报告越长越慢，所需随机比特越少则越快。
# 绝对数值只对产生记录的那台机器成立，比值更有参考意义。
# :::
#
# You will meet the two yardsticks and how they are taken, one table for all mechanisms, what grows with the number of items, the other libraries, the goals that this package set itself with those it missed, and the ways in which a stopwatch lies.
# You need no other chapter; one table leads to those where a mechanism is explained.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from math import log2
from time import process_time_ns

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from ldpnb import GRR, OLH, OUE, HadamardBit, HadamardResponse, SubsetSelection
from ldpnb.book import check, dots, recorded, style, table

style()
SEED = 1965  # the year of randomized response, and of a law about transistors
record = recorded("bench.mechanisms")
times = record.set_index(["mechanism", "size", "library", "what"])["value"]
about = record.attrs


def cost(name, size, what, library="ldpnb"):
    """A number of the record, NaN where there is none."""
    return times.get((name, size, library, what), np.nan)


def say(x, unit=""):
    """Three digits, or a dash."""
    return "—" if np.isnan(x) else (f"{x:,.0f}" if x >= 100 else f"{x:.3g}") + unit


# %% [markdown]
# (sec-speed-what)=
# ## What is measured
#
# | symbol | meaning | in the record |
# |---|---|---|
# | $n$ | number of people whose reports are drawn together | `n` |
# | $k$ | what grows: items, keys, attributes, bits of a filter, letters of a string | `size` |
# | ε | privacy of a report | `epsilon` |
#
# *Client*: from values to reports, `perturb`, for a crowd.
# *Server*: from reports to an estimate, `tally` and `estimate` together.
# *Simulation*: from the number of people with each value to the counts of a survey, without any report; only where the law of the counts is known.
# *Memory*: the most that is in use at a time, inputs left out.
# Checks of all arguments are included, everywhere.
# Hashes are computed once for each different string of a crowd; a telephone hashes its own.
# The strings of this record are mostly different: names drawn from a hundred thousand, or random letters.
#
# Not measured is what happens between a telephone and a server: packing, encryption, transport, storage.
# Often that costs more than all that is measured here.
# Nor are several cores, or another ε, which moves the lengths of some reports (hashes, sets) and the number of some draws.
# The numbers of items are powers of two, which is the best case for the mechanisms that use Hadamard's matrix.
#
# `make bench` measures all of it in one run and writes one record, which this chapter reads.
# The numbers are true of the machine that made the record, and of no other.
# Ratios travel better.

# %% tags=["hide-input"]
crowd = record.query("what == 'client' and library == 'ldpnb'")["n"].max()
theirs = record.query("what == 'client' and library not in ('ldpnb', 'numpy')")["n"].max()
print(f"{about['processor']}, one core; {about['date']}")
print(f"Python {about['python']}, numpy {about['numpy']}, numba {about['numba']}")
print(", ".join(f"{library} {version}" for library, version in about["peers"].items()))
print(f"{about['clock']}")
apart = about["rounds differ by"]["95 %"]
print(f"rounds differ by: median {about['rounds differ by']['median']:.3f}×, one time in twenty more than {apart:.2f}×")
for simulates in ("SUE", "OUE"):  # one function by two names
    one, other = cost(simulates, 256, "simulate"), cost(simulates, 256, "simulate_marginals")
    print(f"the same work timed twice, in turns ({simulates} simulated): {max(one, other) / min(one, other):.3f}×")
print("start of Python and import, ms: " + ", ".join(f"{x} {t}" for x, t in about["starting, ms"].items()))
print("cores used, at least: " + ", ".join(f"{who} {x}" for who, x in about["cores used"].items()))
print(f"memory that is freed: {about['freed memory']}")
print(f"n = {crowd:,}, other libraries {theirs:,}; ε = {record['epsilon'].max():g}; left out: {len(about['left out'])}")

# %% [markdown]
# (sec-speed-floor)=
# ## Two yardsticks
#
# How fast could a client be?
# It draws random numbers, and whatever else it does comes on top.
# So we listen to what it asks of its generator, and have numpy draw the very same numbers, of the same kinds and in the same portions, and nothing else.
# The time for that is the first yardstick.
# It is a floor under this client, and not under its mechanism: another client of the same law may need fewer numbers, and then has a lower one.


# %%
class Listener(np.random.Generator):
    """A generator that notes what it is asked for."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.calls = []

    def random(self, shape):
        self.calls.append(("random", (shape,), {}))
        return super().random(shape)

    def integers(self, *bounds, **options):
        self.calls.append(("integers", bounds, options))
        return super().integers(*bounds, **options)


def replay(calls, rng):
    """Draw again what was drawn; how many numbers that were."""
    return sum(np.size(getattr(rng, name)(*args, **options)) for name, args, options in calls)


# %% [markdown]
# Does the replay draw what the client draws, no more, no less, and in the same way?
# Let a second listener listen to it: both must have heard the same, call by call, with all shapes, bounds and options, and the complete state of a generator must be that in which the client leaves its own.

# %% tags=["hide-input"]
PEOPLE = 1000
values = np.random.default_rng(SEED).integers(0, 256, PEOPLE)
CLIENTS = {
    "k-RR": GRR(k=256, epsilon=1.0),
    "one-bit Hadamard": HadamardBit(k=256, epsilon=1.0),
    "OLH": OLH(k=256, epsilon=1.0),
    "k-Subset": SubsetSelection(k=256, epsilon=1.0),
    "OUE": OUE(k=256, epsilon=1.0),
}


def same(mechanism, change=list):
    """Whether client and replay, its calls changed, ask for the same and leave the generator in the same state."""
    listener, plain, again = Listener(SEED), np.random.default_rng(SEED), Listener(SEED)
    mechanism.perturb(values, rng=listener)
    mechanism.perturb(values, rng=plain)
    replay(change(listener.calls), again)
    return str(again.calls) == str(listener.calls) and again.bit_generator.state == plain.bit_generator.state


def drawn(mechanism):
    """How many numbers a client draws for a person."""
    mechanism.perturb(values, rng=(listener := Listener(SEED)))
    return replay(listener.calls, np.random.default_rng(SEED)) / PEOPLE


BROKEN = (
    lambda calls: [("random", ((1,),), {}), *calls],  # a number more
    lambda calls: calls[1:],  # a portion less
    lambda calls: [("standard_exponential", (PEOPLE,), {}) if i == 0 else call for i, call in enumerate(calls)],
)
portion = [("random", ((PEOPLE // 2,),), {})] * 2  # what k-RR draws first, split; its state is the same
check(
    "Floor",
    f"{len(CLIENTS)} clients: the replay asks for what the client asks, and leaves the same state",
    all(same(mechanism) for mechanism in CLIENTS.values()),
    control="a number more, a portion less, another kind, a portion split, the order reversed",
    caught=not any(same(mechanism, change) for mechanism in CLIENTS.values() for change in BROKEN)
    and not same(CLIENTS["k-RR"], lambda calls: portion + calls[1:])
    and not same(CLIENTS["k-RR"], lambda calls: calls[::-1]),
)
table(
    pd.DataFrame(
        [{"client, k = 256": name, "numbers a person": say(drawn(mechanism))} for name, mechanism in CLIENTS.items()]
    )
)

# %% [markdown]
# The second yardstick is memory: reports have to be written, and the time to copy them says how much of a client's work that is.
# For short reports it is little, since the copy stays in the cache.
# How much it is at most is printed below the large table.
#
# (sec-speed-yours)=
# ### On your own machine
#
# Here is all it takes to measure a ratio yourself.
# The function is called below, so you know that it runs, but its answer is not shown, because yours is another; ask for `here` in a cell of your own.


# %%
ENOUGH = 20_000_000  # nanoseconds, more than a tick of any clock: of shorter work, so many calls are one run


def run(work, calls):
    """Nanoseconds of processor time that so many calls take."""
    began = process_time_ns()
    for _ in range(calls):
        work()
    return process_time_ns() - began


def over_floor(mechanism, values, turns=4):
    """How many times as long as its random numbers a client takes; both take turns, and the least counts."""
    listener, rng = Listener(SEED), np.random.default_rng(SEED)
    mechanism.perturb(values, rng=listener)
    works, calls = ((lambda: mechanism.perturb(values, rng=rng)), (lambda: replay(listener.calls, rng))), [1, 1]
    for i, work in enumerate(works):
        work()  # the first time does not count
        while run(work, calls[i]) < ENOUGH:
            calls[i] *= 2
    taken = [[run(work, many) / many for work, many in zip(works, calls, strict=True)] for _ in range(turns)]
    client, floor = np.min(taken, axis=0)
    return client / floor


here = {name: over_floor(mechanism, np.tile(values, 10)) for name, mechanism in CLIENTS.items()}

# %% [markdown]
# (sec-speed-all)=
# ## All mechanisms
#
# Whose names are these, and where are they explained?
#
# | of a person | in the tables below | explained in |
# |---|---|---|
# | one item | GRR: k-RR; SUE, OUE: symmetric and optimised unary encoding; OLH: optimised local hashing; SubsetSelection: k-Subset | {ref}`ch-frequency` |
# | one item, one bit or number | HadamardBit: one-bit Hadamard; HadamardResponse: Hadamard response; SHist: succinct histogram; PCE: personalised count estimation, everyone with an ε of their own | {ref}`ch-onebit` |
# | one item, any matrix | MatrixMechanism: a table of probabilities | {ref}`ch-distortion` |
# | a string | RAPPOR: Bloom filters; ORR: O-RR, k-RR on a hash; Unknown: RAPPOR-Unknown, fragments too | {ref}`ch-rappor` |
# | numbers | TwoPoint, Piecewise, Hybrid, Laplace: one number; HarmonyMean, SampledHybrid: one or several of d; MeanEst: all d at once | {ref}`ch-means` |
# | keys and values | StateEncoding; StateEncodingSplit: the same for all keys; PrivKV | {ref}`ch-keyvalue` |
# | keys and values, joint | IOH: indexing one-hot; PairSampling: two keys a person | {ref}`ch-correlation` |
# | keys and values, or sets | PCKVGRR, PCKVUE: PCKV with k-RR or unary encoding; WheelKV, Wheel: the wheel mechanisms | {ref}`ch-wheel` |
# | a set | SampledHadamardBit, SampledSUE, SampledGRR: one item of the set through S-Hist, RAPPOR, k-RR; PrivSet: a set in exchange for a set | {ref}`ch-items` |
# | several attributes | HarmonyFrequency: Harmony, one attribute ({ref}`sec-onebit-harmony`); BitFlip, BloomFlip: all, one-hot or in Bloom filters | {ref}`ch-joint` |
# | several attributes, jointly | Blocks: k-RR on a block of attributes | {ref}`ch-publish` |
#
# "Packed" reports have eight items to a byte, and their coins share random digits.
# What $k$ counts: items and keys; for Harmony, the numbers and the many attributes, their number; for RAPPOR bits and for O-RR cells; for `Unknown` letters.
# The wheels do not know any keys, and their servers are given a list of that many.
#
# Client times are a person's share of the crowd's, also as multiples of the random numbers, and "secure" says how many times as long the same client takes with random words from the operating system, `chance.SystemRandom`: whoever protects real people pays for those, since a generator whose state can be guessed protects nobody.
# "an item" is the server's time divided by the number of items (or keys, or numbers) that it estimates, where it does something for each report and each of them; elsewhere it counts a report once, or adds the bits of a filter or fragment, however many candidates there are.
# A simulation is for a survey of a billion people, ten surveys at a time, per survey; in brackets those that are exact for each item alone, where the joint law is not known or not simulated.

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
LISTED = {
    family: [name for plain in names.split() for name in (plain, f"{plain}, packed") if name in size]
    for family, names in FAMILIES.items()
}
assert sorted(size.index) == sorted(sum(LISTED.values(), [])), "a mechanism of the record has no family"


def simulated(name, k):
    """Milliseconds of a simulated survey; in brackets if it is exact for each item alone only."""
    joint, alone = (cost(name, k, what) / 1e6 for what in ("simulate", "simulate_marginals"))
    return say(joint) if not np.isnan(joint) else f"({say(alone)})" if not np.isnan(alone) else "—"


def rows(columns):
    """One row a mechanism, under the name of its family."""
    return table(
        pd.DataFrame(
            [
                {"of a person": family if i == 0 else "", "mechanism": name, "k": size[name]}
                | columns(name, size[name])
                for family, names in LISTED.items()
                for i, name in enumerate(names)
            ]
        )
    )


rows(
    lambda name, k: {
        "client, ns": say(cost(name, k, "client")),
        "÷ random": say(cost(name, k, "client") / cost(name, k, "random numbers", "numpy")),
        "secure": say(cost(name, k, "client, secure") / cost(name, k, "client"), "×"),
        "server, ns": say(cost(name, k, "server")),
        "an item": say(cost(name, k, "server, an item")),
        "simulation, ms": simulated(name, k),
    }
)

# %% tags=["hide-input"]
plain, floor, secure = (
    np.array([cost(name, k, what, library) for name, k in size.items()])
    for what, library in (("client", "ldpnb"), ("random numbers", "numpy"), ("client, secure", "ldpnb"))
)
drawing, safe = dict(zip(size.index, plain / floor, strict=True)), dict(zip(size.index, secure / plain, strict=True))
for what, ratio in (("client ÷ random numbers", drawing), ("secure ÷ client", safe)):
    low, high = min(ratio, key=ratio.get), max(ratio, key=ratio.get)
    middle = np.median(list(ratio.values()))
    print(f"{what}: median {say(middle)}, from {say(ratio[low])} ({low}) to {say(ratio[high])} ({high})")
print(f"plain unary encodings ÷ random numbers: SUE {say(drawing['SUE'])}, OUE {say(drawing['OUE'])}")
print(
    f"rank correlation of client ÷ random numbers and secure ÷ client: {spearmanr(plain / floor, secure / plain)[0]:.2f}"
)
spread = np.log(floor).var(), np.log(plain / floor).var()
print("variance of the logarithm: random numbers {:.1f}, client ÷ random numbers {:.1f}".format(*spread))
prices = [cost(name, k, "client, alone, secure") / cost(name, k, "client, alone") for name, k in size.items()]
print(f"one person at a time, secure ÷ client: median {np.median(prices):.2f}")
writing = {name: cost(name, k, "copy", "numpy") / cost(name, k, "client") for name, k in size.items()}
most = max(writing, key=writing.get)
print(f"copy ÷ client: at most 1/{1 / writing[most]:.0f} ({most})")
each = {name: cost(name, k, "server, an item") for name, k in size.items() if cost(name, k, "server, an item") > 0}
worst = max(each, key=each.get)
print(f"server, an item: from {say(min(each.values()))} to {say(each[worst])} ns ({worst})")

# %% [markdown]
# Some clients draw more than they use, so that the kind and number of their draws tell no more than the report does ({ref}`sec-deploy-around`).
# A sign for every key or pair, held or not, is what IOH, PairSampling and the two state encodings pay; m places and m dummies for every person, Wheel and Wheel-KV; the whole chain of coins, and every place of a set, PrivSet; one item too many, packed k-Subset.
#
# Whoever does little else than draw pays most for secure words.
# A telephone draws for one person, and there their price is small.
# Writing the report, the second yardstick, is never more than a small part of a client.
# Servers that do something for each report and each item differ widely too; the slowest is named above.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-speed-floor", "caption": "A person's share of the client's time (circles), joined to the time of its random numbers alone (ticks), for every mechanism; diamonds, the same client with random words from the operating system. Squares and triangles are other libraries, which handle one person at a time. Plain unary encodings are slow and near their ticks; most other clients are some way to the right of theirs."}, "image": {"alt": "Dot plot, one row a mechanism, in nanoseconds on a logarithmic axis. Most circles of short reports lie left of those of long vectors; most ticks lie to the left of their circles, diamonds to their right. Other libraries lie to the right of our circles, OpenDP farthest."}}
names = sum(LISTED.values(), [])
rank = {name: i for i, name in enumerate(names)}
place = {name: -rank[name] - gap for gap, family in enumerate(LISTED.values()) for name in family}
fig, ax = plt.subplots(figsize=(6.4, 10.4))
for name in names:
    reach = cost(name, size[name], "random numbers", "numpy"), cost(name, size[name], "client")
    ax.plot(reach, [place[name]] * 2, color="#777777", linestyle="-", marker="|", markevery=[0], linewidth=1.4)
for i, (what, library, label) in enumerate(
    (
        ("client", "ldpnb", "ldpnb"),
        ("client", "pure-ldp", "pure-ldp"),
        ("client", "multi-freq-ldpy", "multi-freq-ldpy"),
        ("client, secure", "ldpnb", "ldpnb, secure"),
        ("client", "opendp", "OpenDP, secure"),
    )
):
    x = [cost(name, size[name], what, library) for name in names]
    ax.plot(x, list(place.values()), **dots(i), label=label)
ax.set(xscale="log", xlabel="client, nanoseconds a person", ylim=(min(place.values()) - 1, 1))
ax.set_yticks(list(place.values()), names, fontsize=8.5)
ax.grid(axis="y", visible=False)
fig.legend(loc="outside upper center", ncols=3, fontsize=9)
plt.show()

# %% [markdown]
# ### Memory
#
# A report in memory is a row of a numpy array, wider than what a telephone has to send: the private bits, with the public numbers beside them (a seed, a row, a cohort), which are not counted since client and server can draw them from something they share.
# "client" and "server" are the most bytes in use at a time, results included, divided by the number of people.
# What a compiled loop allocates for itself is not seen; ours work in blocks that do not grow with the crowd.

# %% tags=["hide-input"]
rows(
    lambda name, k: {
        "to send, bits": say(cost(name, k, "private bits")),
        "report, bytes": say(cost(name, k, "report")),
        "client, bytes a person": say(cost(name, k, "client, peak")),
        "server, bytes a person": say(cost(name, k, "server, peak")),
    }
)

# %% [markdown]
# (sec-speed-grows)=
# ## What grows with the number of items
#
# Four times as many items: what does it do to a survey?

# %% tags=["hide-input"]
FEW, MANY = 256, 1024


def grows(name, what):
    """From few items to many."""
    return f"{say(cost(name, FEW, what))} → {say(cost(name, MANY, what))}"


large = list(dict.fromkeys(ours[ours["size"] == MANY]["mechanism"]))
table(
    pd.DataFrame(
        [
            {
                f"{FEW} → {MANY:,} items": name,
                "client, ns": grows(name, "client"),
                "server, ns": grows(name, "server"),
                "an item": grows(name, "server, an item") if cost(name, MANY, "server, an item") > 0 else "—",
                "report, bytes": grows(name, "report"),
                "simulation, ms": f"{simulated(name, FEW)} → {simulated(name, MANY)}",
            }
            for name in large
        ]
    )
)

# %% [markdown]
# A report that names an item, a slot or a sign costs the client hardly more, however many items there are; a vector grows with them.
# For the server it depends.
# k-RR and the two Hadamards count reports, and what grows is one row of counts, with the Hadamards one transform, for all of them together.
# OLH and S-Hist compare each report with each item: the report is short, and the work is the collector's.
#
# (sec-speed-peers)=
# ## Beside other libraries
#
# pure-ldp {cite:p}`cormode2021frequency` and multi-freq-ldpy have most of these oracles; OpenDP, which is about central privacy above all, has randomized response, for yes and no, for one of a list, and for a vector of bits.
# All three handle one person at a time: clients of pure-ldp are Python, most of multi-freq-ldpy's are compiled by numba, and OpenDP's are Rust behind a call from Python.
# The servers of the first two are loops in Python over reports, those of multi-freq-ldpy clip and normalise as well, and OpenDP has a server for vectors of bits alone.
# Ours takes a crowd as an array.
# The table is about crowds, and says how many times as long the others take.
# Some of it is that difference, and some is the algorithm: in pure-ldp and multi-freq-ldpy local hashing hashes a text for every report and item, a unary report of 256 items is 2,048 bytes, eight for each bit, and k-RR of multi-freq-ldpy writes an array of all $k$ items for each person.
# S-Hist is compared with their binary local hashing, which also sends one bit, SUE with OpenDP's randomized response on a vector of bits, and the one-bit Hadamard with the Hadamard mechanism of pure-ldp at t = 1.
# pure-ldp also has a faster local hashing, whose hash functions come from a pool made beforehand (`FastLHServer`); it is another mechanism, and is not measured.
# OpenDP tosses exact coins with random words fit for cryptography, so it is compared with "secure", our client on the operating system's words, and the others with our client on numpy's.
# The others have two runs in each of the two rounds where ours have four or more, and a smaller crowd, so their least is found less surely.

# %% tags=["hide-input"]
NAMED = {"pure-ldp": "pure-ldp", "multi-freq-ldpy": "multi-freq-ldpy", "opendp": "OpenDP"}
theirs = record[record["library"].isin(NAMED)]
compared = sorted(
    set(zip(theirs["mechanism"], theirs["size"], strict=True)), key=lambda pair: (names.index(pair[0]), pair[1])
)


def times_ours(name, k, what, library, ours=None):
    """How many times as long as ours another library takes, or how many times faster it is."""
    ratio = cost(name, k, what, library) / cost(name, k, ours or what)
    return f"{say(1 / ratio, '×')} faster" if ratio < 1 else say(ratio, "×")


def ours_for(library, what="client"):
    """With which of our clients a library is compared."""
    return f"{what}, secure" if library == "opendp" else what


table(
    pd.DataFrame(
        [
            {"mechanism": name, "k": k}
            | {"client, ns": say(cost(name, k, "client")), "secure, ns": say(cost(name, k, "client, secure"))}
            | {
                f"client, {named}": times_ours(name, k, "client", library, ours_for(library))
                for library, named in NAMED.items()
            }
            | {"server, ns": say(cost(name, k, "server"))}
            | {f"server, {named}": times_ours(name, k, "server", library) for library, named in NAMED.items()}
            for name, k in compared
        ]
    )
)

# %% tags=["hide-input"]
coin, coins = cost("GRR", 2, "client", "opendp") / 1e3, cost("SUE", FEW, "client", "opendp") / 1e3
print(f"k-Subset, one person: {say(cost('SubsetSelection', FEW, 'client, alone') / 1e6)} ms")
print(f"OpenDP: one coin a call takes {say(coin)} µs, {FEW} coins a call {say(coins)} µs, {say(coins / FEW)} µs a coin")

# %% [markdown]
# So most of the time for a single coin of OpenDP is the call from Python, and not the coin.
#
# A telephone has one person, and there most of the table turns.
# Called for one person, nearly all of our client's time goes into the checks of its arguments and into the calls of numpy, which cost the same for one number as for a thousand.
# Nobody notices such a time once a day, on a telephone; but ours is not the code for a small device, and a simulation that loops over people one by one is the wrong way to use it.
# k-Subset takes long, since it draws its set item by item, with calls of numpy for each.

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {"mechanism": name, "k": k}
            | {"one person, µs": say(cost(name, k, "client, alone") / 1e3)}
            | {"secure, µs": say(cost(name, k, "client, alone, secure") / 1e3)}
            | {
                named: times_ours(name, k, "client", library, ours_for(library, "client, alone"))
                for library, named in NAMED.items()
            }
            for name, k in compared
        ]
    )
)

# %% [markdown]
# (sec-speed-goals)=
# ## Goals, met and missed
#
# Before its code was written, the package had the goals of the next table.
# All of it is computed from the record, and what is missed says by how much, and why as far as we know.
# (*Certified EM* iterates to a proved bound on what the likelihood still lacks, {ref}`sec-joint-convergence`.)

# %% tags=["hide-input"]
triples = record.query("what == 'triples'").iloc[0]


class Counter(Listener):
    """Counts the binomial counts that are drawn and not settled beforehand."""

    drawn = 0

    def binomial(self, n, p, size):
        self.drawn += np.broadcast_to((n > 0) & (p > 0) & (p < 1), size).sum()
        return super().binomial(n, p, size)

    def multinomial(self, n, shares):  # numpy draws all cells but the last as binomial counts
        self.drawn += np.size(n) * (len(shares) - 1)
        return super().multinomial(n, shares)


def counted(kind):
    """How many binomial counts a simulated survey of a billion people draws."""
    kind(k=MANY, epsilon=1.0).simulate(np.full(MANY, 10**9 // MANY), trials=1, rng=(rng := Counter(SEED)))
    return rng.drawn


words = cost("SubsetSelection, packed", MANY, "random numbers", "numpy")
bit = cost("OUE, packed", MANY, "random numbers", "numpy") / MANY
WHY = {
    f"k-Subset, packed, k = {MANY:,}: client": f"random numbers {words:.0f} ns; then sets are put to size, item by item"
}
if bit > 0.6:
    WHY[f"OUE, packed, k = {MANY:,}: client"] = f"random numbers alone {bit:.2f} ns a bit"
WHY |= {
    f"{name}, k = {MANY:,}: simulation of 10⁹ people": f"{counted(kind):,} binomial counts, k-RR has {counted(GRR):,}"
    for name, kind in (("one-bit Hadamard", HadamardBit), ("Hadamard response", HadamardResponse))
}
GOALS = [
    ("k-RR: client", "× its random numbers", 3, drawing["GRR"]),
    (f"OUE, packed, k = {MANY:,}: client", "ns a bit", 0.6, cost("OUE, packed", MANY, "client") / MANY),
    (f"k-Subset, packed, k = {MANY:,}: client", "ns a person", 500, cost("SubsetSelection, packed", MANY, "client")),
    (f"OLH, k = {FEW}: server", "ns a person and item", 0.25, cost("OLH", FEW, "server, an item")),
    (f"OLH, {MANY:,} ids below 2⁶²: server", "ns a person and id", 0.9, cost("OLH", MANY, "server, an id")),
    (f"Wheel-KV, {FEW} keys: server", "ns a person and key", 0.25, cost("WheelKV", FEW, "server, an item")),
    (
        f"certified EM: {triples['note'].split(',')[0]} of three of {triples['size']} binary attributes, n = {triples['n']:,}",
        "ms",
        100,
        triples["value"] / 1e6,
    ),
    *(
        (f"{name}, k = {MANY:,}: simulation of 10⁹ people", "ms", 1, cost(key, MANY, "simulate") / 1e6)
        for name, key in (
            ("k-RR", "GRR"),
            ("SUE", "SUE"),
            ("OUE", "OUE"),
            ("one-bit Hadamard", "HadamardBit"),
            ("Hadamard response", "HadamardResponse"),
        )
    ),
]


def verdict(found, most):
    """Met or missed, if by a larger factor than rounds differ."""
    if max(found / most, most / found) < apart:
        return "open: within what rounds differ"
    return "met" if found < most else f"missed, by {found / most - 1:.0%}"


table(
    pd.DataFrame(
        [
            {"goal": goal, "at most": f"{most:g} {unit}", "measured": say(found), "verdict": verdict(found, most)}
            | {"why": WHY.get(goal, "not known") if verdict(found, most).startswith("missed") else ""}
            for goal, unit, most, found in GOALS
        ]
    )
)

# %% tags=["hide-input"]
joint = {name: cost(name, k, "simulate") / 1e6 for name, k in size.items() if cost(name, k, "simulate") > 0}
slowest = sorted(joint, key=joint.get)[::-1][:3]
print("slowest simulations at the sizes of the large table, ms: " + ", ".join(f"{x} {say(joint[x])}" for x in slowest))

# %% [markdown]
# A verdict is open where the number is off the goal by a smaller factor than one round in twenty is off another; that factor is printed at the beginning.
# The goals for simulations are about frequency oracles with an exact joint law; of the other mechanisms some are slower, as just printed.
# A simulation of k-RR or of unary encoding is about two binomial counts for each item.
# That of the Hadamards is exact in the joint law of all rows, which takes a transform of binomial counts; for mean-square errors, `simulate_marginals` of the one-bit Hadamard draws two for each item as well.
#
# (sec-speed-wrong)=
# ## What can go wrong
#
# - *Time on the wall.* Other programs stretch it, and threads shorten it without doing less work.
#   The record has processor time, one thread for every library, and "cores used": far below one, something else was running, and no record is written.
# - *Neighbours.* Two programs on one machine share caches, and on many processors two share a core, so that even processor time is longer in company.
#   On a rented machine the company is not even seen.
#   It can only add time, so the record has the least of several runs, in rounds that are minutes apart, and yardsticks are taken in turns with what they measure, equally often.
# - *The first call.* It compiles loops, fills caches and asks the system for memory.
#   It does not count here; for a program that is started for one report, it is nearly all that counts, and the imports before it, printed at the beginning.
# - *A clock that is too coarse.* Work of less than a millisecond is repeated until it lasts that long.
# - *Memory that is given back.* The first touch of a fresh page is work of the system, and for a short piece of work it can be most of the time.
#   Here freed memory stays with the process, as in a server that has run for a while.
# - *One number for all.* The least of a few runs on one machine has no error bar that means anything for yours.
#   A difference that is smaller than between rounds of one record is no evidence; how far rounds differ is printed at the beginning, with the quotient of two times for the same work.
# - *Memory that is not seen.* What compiled code takes for itself is not in the tables, and neither are programs and libraries, which take more than any mechanism.
# - *Different things by the same name.* An estimate that is clipped is another estimate, a report of text another report, and random numbers that can be predicted no protection at all.
#   Compare secure with secure.
# - *The stopwatch of an attacker.* If drawing a report takes longer for one value than for another, the time tells something about the value, and no ε here counts it.
#   Nothing here promises constant time: the laws in this book are laws of reports, and some of reports and draws ({ref}`sec-deploy-around`).
#
# (sec-speed-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: random bits that are thrown away
# A report of OUE has one fair coin and $k-1$ coins of probability $q = 1/(e^\varepsilon+1)$.
# How many random bits does it need at least, and how many does the client draw, plain and packed, for $k = 1024$ at $\varepsilon = 1$?
# :::
#
# :::{dropdown} Solution
# No procedure draws a report from fewer fair bits on average than its entropy, $1 + (k-1)\,h(q)$ with $h(q) = -q\log_2 q - (1-q)\log_2(1-q)$; Knuth and Yao need at most two more.
# The plain client compares a number of 64 bits with a threshold for each coin.
# The packed one compares digit by digit and stops for a coin as soon as digits differ, after two on average; it draws a word of digits for 64 coins at once, and goes on until all of them are decided.
# :::

# %% tags=["hide-input"]
k = 1024
q = 1 / (np.e + 1)
entropy = 1 - (k - 1) * (q * log2(q) + (1 - q) * log2(1 - q))
print(f"entropy of a report {entropy:,.0f} bits")
for name, mechanism in (("plain", OUE(k=k, epsilon=1.0)), ("packed", OUE(k=k, epsilon=1.0, packed=True))):
    bits = 64 * drawn(mechanism)
    print(f"{name:<8} {bits:>8,.0f} bits drawn, {bits / entropy:.1f} times the entropy")

# %% [markdown]
# :::{admonition} Exercise 2: where is the rest?
# Which clients take longest, measured by their random numbers, and what do they do?
# :::
#
# :::{dropdown} Solution
# The cell lists the five that take longest, with what a profile of each shows.
# :::

# %% tags=["hide-input"]
SLOW = dict.fromkeys(("ORR", "RAPPOR", "Unknown"), "hash each string, one by one")
SLOW |= dict.fromkeys(
    ("Piecewise", "Hybrid", "Laplace", "SampledHybrid"), "search a table of odds, and round the value"
)
SLOW |= dict.fromkeys(("Wheel", "WheelKV"), "hash each key, and add up the gaps between arcs")
SLOW["MatrixMechanism"] = "find who has each row of the matrix, and search its odds"
SLOW["PrivSet"] = "draw a set item by item, each checked against those before it"
SLOW["PairSampling"] = "look up two keys in records of different lengths"
SLOW["Blocks"] = "check and gather the codes of a set of attributes"
for name in sorted(drawing, key=drawing.get)[::-1][:5]:
    assert name in SLOW, f"why does {name} take so long?"
    print(f"{name:<18} {drawing[name]:>4.0f}×  {SLOW[name]}")

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | the first yardstick is what the client draws, no more and no less | calls of a second listener, and complete states of the generators |
# | times, memory and ratios of all mechanisms | one run of `make bench`, read from its record |
# | goals met and missed | computed from the same record |
