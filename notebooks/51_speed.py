# %% [markdown]
# (ch-speed)=
# # What it costs
#
# :::{admonition} In one minute
# A client has to draw random numbers and to write a report; a server has to read it.
# No code can do with less, so these two, timed in the same run, are the floor under every time in this chapter.
# The table has all mechanisms of this book in nanoseconds and in multiples of the floor, with memory, with the price of random numbers that protect real people, and beside three other libraries.
#
# Most clients take a few times as long as their random numbers, and unary encodings hardly longer.
# What separates the mechanisms most is how many numbers they draw; so long reports are slow, and one that needs fewer random bits is faster.
# :::
#
# You will meet the floor and how it is found, one table for all mechanisms, what grows with the number of items, the other libraries, the goals that this package set itself with those it missed, and the ways in which a stopwatch lies.
# You need no other chapter; names lead to those where a mechanism is explained.

# %% tags=["remove-cell"]
# For a notebook that was downloaded by itself: where the book's package is missing, this cell installs it.
from importlib.util import find_spec

if find_spec("ldpnb") is None:
    import importlib
    import subprocess
    import sys
    from pathlib import Path

    BOOK = ""  # filled in where the notebook was published
    wheels = [path.resolve().as_uri() for path in sorted(Path().glob("ldpnb-*.whl"))]
    if not wheels and not BOOK:
        raise ModuleNotFoundError(
            "no package ldpnb here: put its file ldpnb-….whl, from the archive of all chapters, beside this notebook"
        )
    print("Installing what this chapter needs; it takes a minute or two.")
    pins = ["-c", "constraints.txt"] if wheels and Path("constraints.txt").is_file() else []
    install = [sys.executable, "-m", "pip", "install", "--quiet", f"ldpnb[chapters] @ {(wheels or [BOOK])[-1]}", *pins]
    subprocess.run(install, check=True)
    importlib.invalidate_caches()

# %% tags=["hide-input"]
from math import log2
from time import process_time_ns

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldpnb.book import check, dots, style, table
from ldpnb.experiment import recorded
from ldpnb.frequency import GRR, OLH, OUE, SubsetSelection
from ldpnb.onebit import HadamardBit, HadamardResponse

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
#
# Not measured is what happens between a telephone and a server: packing, encryption, transport, storage.
# Often that costs more than all that is measured here.
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
print(f"{about['clock']}; cores used: " + ", ".join(f"{who} {x}" for who, x in about["cores used"].items()))
print(f"n = {crowd:,}, other libraries {theirs:,}; ε = {record['epsilon'].max():g}; left out: {len(about['left out'])}")

# %% [markdown]
# (sec-speed-floor)=
# ## The floor
#
# How fast could a client be?
# It draws random numbers, and whatever else it does comes on top.
# So we listen to what it asks of its generator, and have numpy draw the very same numbers, of the same kinds and in the same portions, and nothing else.
# The time for that is the first floor.
# It belongs to the code: a client that needs fewer numbers has a lower one.


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
# Does the replay draw neither more nor less than the client?
# If so it leaves the generator where the client left it, and the next number is the same.

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


def left(mechanism, forgotten=0):
    """Whether client and replay, some of its calls forgotten, leave the generator alike; numbers drawn a person."""
    listener, after, again = Listener(SEED), np.random.default_rng(SEED), np.random.default_rng(SEED)
    heard, sent = mechanism.perturb(values, rng=listener), mechanism.perturb(values, rng=after)
    drawn = replay(listener.calls[forgotten:], again)
    return bool(np.all(heard == sent)) and after.random() == again.random(), drawn / PEOPLE


check(
    "Floor",
    f"{len(CLIENTS)} clients: the replay draws what the client draws, to the last number",
    all(left(mechanism)[0] for mechanism in CLIENTS.values()),
    control="the first call forgotten",
    caught=not any(left(mechanism, forgotten=1)[0] for mechanism in CLIENTS.values()),
)
table(
    pd.DataFrame(
        [
            {"client, k = 256": name, "numbers drawn a person": say(left(mechanism)[1])}
            for name, mechanism in CLIENTS.items()
        ]
    )
)

# %% [markdown]
# The second floor is memory: reports have to be written, and copying them is the least that writing can cost.
# For short reports it is far below the first, since the copy stays in the cache; no client comes near it.
#
# (sec-speed-yours)=
# ### On your own machine
#
# Here is all it takes to measure a ratio yourself.
# The function is called below, so you know that it runs, but its answer is not shown, because yours is another; ask for `here` in a cell of your own.


# %%
def stopwatch(work, repetitions=5):
    """Median nanoseconds of processor time, after one run that does not count."""
    work()
    taken = []
    for _ in range(repetitions):
        began = process_time_ns()
        work()
        taken.append(process_time_ns() - began)
    return np.median(taken)


def over_floor(mechanism, values):
    """How many times as long as its random numbers a client takes."""
    listener, rng = Listener(SEED), np.random.default_rng(SEED)
    mechanism.perturb(values, rng=listener)
    return stopwatch(lambda: mechanism.perturb(values, rng=rng)) / stopwatch(lambda: replay(listener.calls, rng))


here = {name: over_floor(mechanism, np.tile(values, 20)) for name, mechanism in CLIENTS.items()}

# %% [markdown]
# (sec-speed-all)=
# ## All mechanisms
#
# Client times are a person's share of the crowd's, as multiples of both floors, and "secure" says how many times as long the same client takes with random words from the operating system, `chance.SystemRandom`: whoever protects real people pays for those, since a generator whose state can be guessed protects nobody.
# "an item" is the server's time divided by the number of items (or keys, or numbers) that it estimates, where it does something for each report and each of them; elsewhere it counts a report once, whatever their number.
# A simulation is for a survey of a billion people; in brackets those that are exact for each item alone, where the joint law is not known or not simulated.

# %% tags=["hide-input"]
FAMILIES = {
    "one item": "GRR SUE OUE OLH SubsetSelection HadamardBit HadamardResponse SHist PCE MatrixMechanism",
    "a string": "RAPPOR ORR Unknown",
    "numbers": "TwoPoint Piecewise Hybrid Laplace MeanEst HarmonyMean SampledHybrid",
    "keys and values": "SE SESplit PrivKV PCKVGRR PCKVUE WheelKV IOH PairSampling",
    "a set": "Wheel SampledSHist SampledSUE SampledGRR PrivSet",
    "several attributes": "HarmonyFrequency BitFlip BloomFlip Blocks",
}
ours = record.query("library == 'ldpnb' and what == 'client'")
size = ours.drop_duplicates("mechanism").set_index("mechanism")["size"]  # that of the catalogue comes first
packed = [name for name in size.index if name.endswith(", packed")]
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
        "÷ copy": say(cost(name, k, "client") / cost(name, k, "copy", "numpy")),
        "secure": say(cost(name, k, "client, secure") / cost(name, k, "client"), "×"),
        "server, ns": say(cost(name, k, "server")),
        "an item": say(cost(name, k, "server, an item")),
        "simulation, ms": simulated(name, k),
    }
)

# %% tags=["hide-input"]
drawing = {name: cost(name, k, "client") / cost(name, k, "random numbers", "numpy") for name, k in size.items()}
safe = {name: cost(name, k, "client, secure") / cost(name, k, "client") for name, k in size.items()}
for what, ratio in (("client ÷ random numbers", drawing), ("secure ÷ client", safe)):
    low, high = min(ratio, key=ratio.get), max(ratio, key=ratio.get)
    middle = np.median(list(ratio.values()))
    print(f"{what}: median {say(middle)}, from {say(ratio[low])} ({low}) to {say(ratio[high])} ({high})")
floors = pd.Series({name: cost(name, k, "random numbers", "numpy") for name, k in size.items()})
taken = pd.Series({name: cost(name, k, "client") for name, k in size.items()})
print(f"rank correlation of floors and clients: {floors.corr(taken, method='spearman'):.2f}")

# %% [markdown]
# Whoever draws much pays most for secure words.
# GRR is k-RR and SubsetSelection k-Subset; "packed" reports have eight items to a byte, and their coins share random digits.
#
# What $k$ counts: items and keys; for Harmony, the numbers and the many attributes, their number; for RAPPOR bits and for O-RR cells; for `Unknown` letters.
# The wheels do not know any keys, and their servers are given a list of that many.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-speed-floor", "caption": "A person's share of the client's time (circles), joined to the time of its random numbers alone (ticks), for every mechanism; diamonds, the same client with random words from the operating system. Squares and triangles are other libraries, which handle one person at a time. Unary encodings are slow and at their floor; most short reports are fast and some way above theirs."}, "image": {"alt": "Dot plot, one row a mechanism, logarithmic axis from three nanoseconds to two hundred thousand. Circles of short reports lie between five and four hundred, of vectors between a hundred and four thousand; ticks lie to their left, diamonds to their right. Other libraries lie between three hundred and about twelve thousand, OpenDP above fifty thousand."}}
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
# A report in memory is a row of a numpy array, which is wider than what a telephone has to send, the private bits and the public number beside them.
# "client" and "server" are the most bytes in use at a time, results included, divided by the number of people.
# What a compiled loop allocates for itself is not seen; ours work in blocks that do not grow with the crowd.

# %% tags=["hide-input"]
rows(
    lambda name, k: {
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
                "report, bytes": grows(name, "report"),
                "simulation, ms": f"{simulated(name, FEW)} → {simulated(name, MANY)}",
            }
            for name in large
        ]
    )
)

# %% [markdown]
# A report that names an item, a slot or a sign costs the client the same, however many items there are; a vector grows with them.
# For the server it depends.
# k-RR and the two Hadamards count reports, and what grows is one transform for all of them together.
# OLH and S-Hist compare each report with each item: the report is short, and the work is the collector's.
#
# (sec-speed-peers)=
# ## Beside other libraries
#
# pure-ldp {cite:p}`cormode2021frequency` and multi-freq-ldpy have most of these oracles; OpenDP, which is about central privacy above all, has randomized response, for yes and no, for one of a list, and for a vector of bits.
# All three handle one person at a time: in Python, in functions compiled by numba, in Rust behind a call from Python.
# Ours takes a crowd as an array.
# The table is about crowds, and says how many times as long the others take.
# Some of it is that difference, and some is the algorithm: in pure-ldp and multi-freq-ldpy local hashing hashes a text for every report and item.
# The servers of multi-freq-ldpy clip and normalise as well, and OpenDP has a server for vectors of bits alone.

# %% tags=["hide-input"]
NAMED = {"pure-ldp": "pure-ldp", "multi-freq-ldpy": "multi-freq-ldpy", "opendp": "OpenDP"}
theirs = record[record["library"].isin(NAMED)]
compared = sorted(
    set(zip(theirs["mechanism"], theirs["size"], strict=True)), key=lambda pair: (names.index(pair[0]), pair[1])
)


def times_ours(name, k, what, library, ours=None):
    """How many times as long as ours another library takes."""
    return say(cost(name, k, what, library) / cost(name, k, ours or what), "×")


table(
    pd.DataFrame(
        [
            {"mechanism": name, "k": k}
            | {"client, ns": say(cost(name, k, "client"))}
            | {f"client, {named}": times_ours(name, k, "client", library) for library, named in NAMED.items()}
            | {"server, ns": say(cost(name, k, "server"))}
            | {f"server, {named}": times_ours(name, k, "server", library) for library, named in NAMED.items()}
            for name, k in compared
        ]
    )
)

# %% tags=["hide-input"]
for note, found in theirs[theirs["note"] != ""].groupby("note", sort=False):
    who = dict.fromkeys(f"{NAMED[x]} {name}" for x, name in zip(found["library"], found["mechanism"], strict=True))
    print(f"{', '.join(who)}: {note}")

# %% [markdown]
# A telephone has one person, and there the table turns.
# Called for one person, nearly all of our client's time goes into the checks of its arguments and into the calls of numpy, which cost the same for one number as for a thousand.
# Nobody notices such a time once a day, on a telephone; but ours is not the code for a small device, and a simulation that loops over people one by one is the wrong way to use it.
# Numbers below one say that another library is faster.
# OpenDP is compared with our client on the operating system's random words, since its own are fit for cryptography too, and the others with our client on numpy's.

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {"mechanism": name, "k": k}
            | {"one person, µs": say(cost(name, k, "client, alone") / 1e3)}
            | {"secure, µs": say(cost(name, k, "client, alone, secure") / 1e3)}
            | {
                named: times_ours(
                    name, k, "client", library, "client, alone, secure" if library == "opendp" else "client, alone"
                )
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

# %% tags=["hide-input"]
triples = record.query("what == 'triples'").iloc[0]
words = cost("SubsetSelection, packed", MANY, "random numbers", "numpy")
one, other = HadamardBit(k=MANY, epsilon=1.0), HadamardResponse(k=MANY, epsilon=1.0)
BINOMIALS = {  # two for each row (or column) and bit of its number, one for each sign; and those before
    "one-bit Hadamard": 2 * one.m * (one.m.bit_length() - 1) + MANY,
    "Hadamard response": 2 * other.size * (other.b.bit_length() - 1) + MANY + other.size,
}
WHY = {
    f"k-Subset, packed, k = {MANY:,}: client": f"random numbers {words:.0f} ns; the rest puts sets to their size, item by item"
}
WHY |= {
    f"{name}, k = {MANY:,}: simulation of 10⁹ people": f"{drawn:,} binomial counts, where k-RR has {2 * MANY:,}"
    for name, drawn in BINOMIALS.items()
}
GOALS = [
    ("k-RR: client", "× its random numbers", 3, drawing["GRR"]),
    (f"OUE, packed, k = {MANY:,}: client", "ns a bit", 0.6, cost("OUE, packed", MANY, "client") / MANY),
    (f"k-Subset, packed, k = {MANY:,}: client", "ns a person", 500, cost("SubsetSelection, packed", MANY, "client")),
    (f"OLH, k = {FEW}: server", "ns a person and item", 0.25, cost("OLH", FEW, "server, an item")),
    (f"Wheel-KV, {FEW} keys: server", "ns a person and key", 0.25, cost("WheelKV", FEW, "server, an item")),
    (
        f"certified EM: {triples['note'].split(',')[0]} of three of {triples['size']} binary attributes",
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
table(
    pd.DataFrame(
        [
            {
                "goal": goal,
                "at most": f"{most:g} {unit}",
                "measured": say(found),
                "verdict": "met" if found <= most else f"missed, by {found / most - 1:.0%}",
                "why": "" if found <= most else WHY.get(goal, "not known"),
            }
            for goal, unit, most, found in GOALS
        ]
    )
)

# %% [markdown]
# A simulation of k-RR or of unary encoding is two binomial counts for each item.
# That of the Hadamards is exact in the joint law of all rows, which takes a transform of binomial counts, and numpy's generator of these is what takes the time; for mean-square errors, `simulate_marginals` of the one-bit Hadamard draws two for each item as well.
#
# (sec-speed-wrong)=
# ## What can go wrong
#
# - *Time on the wall.* Other programs stretch it, and threads shorten it without doing less work.
#   The record has processor time, one thread for every library, and "cores used": far below one, something else was running, and even processor time was longer for it, because caches are shared.
# - *The first call.* It compiles loops, fills caches and asks the system for memory.
#   It does not count here; for a program that is started for one report, it is all that counts.
# - *A clock that is too coarse.* Work of less than a millisecond is repeated until it lasts that long.
# - *A cache that is too warm.* Reports of a few bytes fit into the cache even for a large crowd, and copying them over and over never touches memory.
#   A floor that is measured so is too low for reports that come from a disk.
# - *One number for all.* A median of a few runs on one machine has no error bar that means anything for yours.
#   A factor of two in these tables is a fact, ten per cent is not.
# - *Memory that is not seen.* What compiled code takes for itself is not in the tables, and neither are programs and libraries, which take more than any mechanism.
# - *Different things by the same name.* An estimate that is clipped is another estimate, a report of text another report, and random numbers that can be predicted no protection at all.
#   Compare secure with secure.
# - *The stopwatch of an attacker.* If drawing a report takes longer for one value than for another, whoever sees the time learns the value, and no ε speaks of it.
#   Nothing here promises constant time: the laws in this book are laws of reports.
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
    drawn = 64 * left(mechanism)[1]
    print(f"{name:<8} {drawn:>8,.0f} bits drawn, {drawn / entropy:.1f} times the entropy")

# %% [markdown]
# :::{admonition} Exercise 2: a billion reports
# A billion people report by OLH about a thousand items.
# How long does one core take to decode them, and how long to simulate the survey instead?
# What would k-RR cost the server?
# :::
#
# :::{dropdown} Solution
# The record has nanoseconds a person; a billion times as many are as many seconds.
# Decoding is a sum over people, so that it can be shared among any number of cores.
# The simulation needs no reports at all, but for local hashing it is exact for each item alone.
# :::

# %% tags=["hide-input"]
for name in ("OLH", "GRR"):
    print(f"{name}: {cost(name, MANY, 'server'):.0f} s for the server, simulated in {simulated(name, MANY)} ms")

# %% [markdown]
# :::{admonition} Exercise 3: where is the rest?
# Which clients take longest, measured by their random numbers, and what do they do?
# :::
#
# :::{dropdown} Solution
# The cell lists those above ten.
# They hash (O-RR strings, the wheels keys), sort (the wheels), search a table of odds for a random number (matrices, and the means that send one of several values), or gather what a random index points at (pairs of keys).
# None of it depends on how random numbers are made.
# :::

# %% tags=["hide-input"]
for name, ratio in sorted(drawing.items(), key=lambda pair: -pair[1]):
    if ratio > 10:
        print(f"{name:<18} {ratio:.0f}×")

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | the floor is what the client draws, no more and no less | calls replayed, generators in the same state |
# | times, memory and ratios of all mechanisms | one run of `make bench`, read from its record |
# | goals met and missed | computed from the same record |
