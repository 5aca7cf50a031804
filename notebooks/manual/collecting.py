# %% [markdown]
# (ch-collect)=
# # Collecting at scale
#
# :::{admonition} In one minute
# What a server needs of a billion reports is a table of counts, and counts add.
# So reports can lie in many files, each file can be counted by any machine, and sums of sums are the same integers as one count of everything, to the last one.
# A hundred million reports, drawn by the code of the client for a hundred million made-up people, were written and counted on one small machine, in hardly more memory than a tenth of them takes.
#
# What differs between mechanisms is the work for one report: some tens of nanoseconds, reading included, if the server looks up a cell, and time in proportion to the number of *candidates*, the items that it asks about, if it has to try each of them.
# For a billion people and a million candidates that is the difference between less than a minute and days of a core.
# And at that size the error of the mechanism is so small that what was lost, or counted twice, matters more.
# :::
#
# :::{zh}
# 本章讨论大规模收集：服务器从众多报告中所需的只是整数计数，而计数可以相加。
# 报告因此可以分存于许多文件，由任何机器分别计数，无论如何划分、以何种次序求和，得到的都是同一组整数。
# 本章在一台小型机器上写入并统计了一亿份由真实用户端生成的报告，所占内存不随报告数增长；损坏的文件与属于其他机制的文件不会被计入，而会被指出。
# 各机制的差别在于每份报告的工作量：只查一个单元的服务器，用时与报告数成正比；须逐一尝试候选值的服务器，用时还与候选值的个数成正比。
# 用户达十亿时，机制本身的误差已经很小，报告的丢失与重复计数反而更为重要：丢失比例为 $\lambda$ 的报告，可使频率偏移至多 $\lambda$，而误差条并不反映这一偏移。
# 本章不涉及五篇论文的论断。
# :::
#
# You will write reports to files and count them on one process, on two, and by the address of a *scheduler*, the process that hands out the work of a cluster; damage a file and see it noticed; and compute what each server of this book would cost for a billion people.
# You need {ref}`one-bit reports <ch-onebit>` for the example, and {ref}`frequency oracles <ch-frequency>` for the others.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
import heapq
import io
import json
import os
import platform
import shutil
import tempfile
import time
from contextlib import redirect_stderr
from dataclasses import replace
from functools import partial
from math import sqrt
from pathlib import Path
from unittest.mock import patch

import joblib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from distributed import Client, LocalCluster
from scipy.stats import chi2, norm

from ldpnb import GRR, OLH, OUE, HadamardBit, HadamardResponse, Records, Tally, Wheel, law, save
from ldpnb.book import check, dots, line, recorded, style, sweep, table
from ldpnb.book.diagram import PLAIN, SAND, SKY, arrow, board, border, box, frame
from ldpnb.chance import freeze
from ldpnb.hashing import digest
from ldpnb.serve import PartitionError, collect, load_tally, read, save_tally
from ldpnb.serve.collecting import FAN_IN, GROUP, HEAD

style()
SEED = 52
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-collect-add)=
# ## Counts add
#
# | symbol | meaning |
# |---|---|
# | $n$, $k$ | reports; items, or candidates that are counted |
# | $T(R)$ | tally of a batch $R$ of reports: integers |
# | $f_v$, $\hat f_v$ | share of item $v$ and its estimate |
#
# Every mechanism of this book that asks once has the same server: a tally of integers, with $T(R) + T(R') = T(R \uplus R')$ for any two batches, and an estimate that is computed once, from the tally of all.
# ($\uplus$ is the union that keeps equal reports apart: what is in both counts twice.)
#
# :::{prf:theorem} Where reports are counted makes no difference
# :label: thm-collect-tree
# Cut the reports into partitions in any way, let anybody count each of them once, and add the tallies in any order and in any tree.
# The result is $T$ of all reports, the same integers, and so the same estimate.
# :::
#
# :::{prf:proof}
# Every node of the tree holds $T$ of the reports below it, by induction from the leaves: addition of integers is exact, associative and commutative.
# The estimate is one and the same function of these integers.
# :::
#
# Sums of *floats* do not have this property: a server that adds up scores (an estimate is their mean) rather than counts may get another result from another tree.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-collect-tree", "caption": "A map and a tree of sums. Reports lie in partitions, files on storage that all workers see. A worker turns a partition into a tally (map), reading a small part of it at a time. Tallies are added a few at a time where they are (sum), and one table of counts and the partitions' names are all that travels to the analyst. Left of the tallies everything grows with the number of people, right of them only that list of names."}, "image": {"alt": "Diagram from left to right: six files called reports 1 to reports 6; an arrow from each to a box tally; groups of tallies joined in boxes plus; these joined in one box plus; an arrow to a box estimate. A dashed line separates the workers from the analyst, who has the estimate."}}
fig, ax = plt.subplots(figsize=(6.4, 3.5))
board(ax)
heights = 0.86 - 0.145 * np.arange(6)
for i, y in enumerate(heights):
    frame(ax, 0.02, y - 0.045, 0.13, 0.09, SKY)
    ax.text(0.085, y, f"reports {i + 1}", ha="center", va="center", fontsize=9)
    arrow(ax, (0.156, y), (0.242, y))
    box(ax, 0.285, y, "tally", SAND, 10)
    middle = heights[3 * (i // 3) + 1]
    arrow(ax, (0.328, y), (0.442, middle + 0.03 * (1 - i % 3)))
for middle in (heights[1], heights[4]):
    box(ax, 0.47, middle, "+", PLAIN, 10)
    arrow(ax, (0.498, middle), (0.612, heights[[1, 4]].mean() + 0.03 * np.sign(middle - heights[[1, 4]].mean())))
box(ax, 0.64, heights[[1, 4]].mean(), "+", PLAIN, 10)
arrow(ax, (0.668, heights[[1, 4]].mean()), (0.812, heights[[1, 4]].mean()))
box(ax, 0.885, heights[[1, 4]].mean(), "estimate", SKY, 10)
border(ax, 0.74, 0.06, 0.9, "workers", "analyst")
for x, text in ((0.085, "storage"), (0.285, "map"), (0.555, "sum")):
    ax.text(x, 0.99, text, ha="center", va="top", fontsize=11)
plt.show()

# %% [markdown]
# Here is a small collection to try things on: three million people with one of 1,024 items, shares as in Zipf's law, each with a one-bit report ({ref}`ch-onebit`).
# The reports lie in twelve partitions, each written in five blocks.


# %%
def zipf(k):
    """Shares of k items after Zipf's law."""
    return 1 / np.arange(1, k + 1) / np.sum(1 / np.arange(1, k + 1))


K, PEOPLE, PARTS = 1024, 3_000_000, 12
ZIPF = zipf(K)
CLIENT = HadamardBit(k=K, epsilon=1.0)
LABEL = "song of the day"

kept = tempfile.TemporaryDirectory()  # removed in the last cell
PLACE = Path(kept.name).resolve()
FOLDER = PLACE / "partitions"
FOLDER.mkdir()
people = rng.choice(K, PEOPLE, p=ZIPF)
sent = {}  # what the writers say that they wrote
for i, part in enumerate(np.split(people, PARTS)):
    path = FOLDER / f"part-{i:02}.parquet"
    save((CLIENT.perturb(block, rng=rng) for block in np.split(part, 5)), path, CLIENT, label=LABEL)
    sent[path.name] = len(part)
truth = np.bincount(people, minlength=K) / PEOPLE

alone = collect(CLIENT, FOLDER, label=LABEL)
largest = CLIENT.estimate(alone.tally).argmax()
print(f"{alone.reports:,} reports in {len(alone.partitions)} partitions, {alone.bytes / 1e6:.1f} MB")
print(f"most frequent: item {largest}, {CLIENT.estimate(alone.tally)[largest]:.2%} (truth {truth[largest]:.2%})")

# %% tags=["hide-input"]
tallies = [collect(CLIENT, [path], label=LABEL).tally for path in alone.partitions.values()]
everything = [block for path in alone.partitions.values() for block in read(path, CLIENT, label=LABEL)]
in_one = CLIENT.tally(np.concatenate(everything))
scores = [tally.n * CLIENT.estimate(tally) for tally in tallies]


def sums(parts):
    """Sums of these parts over fifty random trees."""
    found = []
    for _ in range(50):
        level = [parts[i] for i in rng.permutation(len(parts))]
        while len(level) > 1:
            i = int(rng.integers(len(level) - 1))
            level[i : i + 2] = [level[i] + level[i + 1]]
        found.append(level[0])
    return found


check(
    "Any tree",
    f"{PARTS} tallies in {len(everything)} row groups, 50 random trees: the integers of all reports in one array",
    all(np.array_equal(tally.counts, in_one.counts) and tally.n == in_one.n for tally in [alone.tally, *sums(tallies)]),
    control="sums of scores in floats",
    caught=len({total.tobytes() for total in sums(scores)}) > 1,
)

# %% [markdown]
# (sec-collect-file)=
# ## A partition on disk
#
# A partition is a Parquet file, a format that all tools for large data read.
# The reports are in it as they were sent, public parts included, because what was not kept cannot be counted later ({ref}`sec-charts-later`).
# What they are reports *of* stands in the file itself: the mechanism, and a label for what no mechanism tells, such as the question.

# %%
some = next(iter(alone.partitions.values()))
said = json.loads(pq.read_metadata(some).metadata[HEAD])
for what, text in (said | {"partition": "…"}).items():
    print(f"{what:10} {text}")

# %% [markdown]
# The mechanism is named by its class and by those fields that make a difference.
# By that name and the label `collect` refuses files that hold something else.
# (`partition` is a random number of the file's own, by which a copy is recognised.)
#
# How large is a report on disk?
# Reports in the order in which they came have no pattern to compress: each takes nearly its bits, public part included.


# %% tags=["hide-input"]
def public_bits(mechanism):
    """Bits of the public part of a report: a seed of three numbers below 2³¹, or of three words, or a row."""
    if isinstance(mechanism, HadamardBit):
        return (mechanism.m - 1).bit_length()
    return {OLH: 93, Wheel: 96}.get(type(mechanism), 0)


def on_disk(reports, mechanism):
    """Bytes of a report."""
    with tempfile.TemporaryDirectory() as folder:
        save(reports, Path(folder) / "some", mechanism)
        return (Path(folder) / "some").stat().st_size / len(reports)


rows = []
few = rng.choice(K, 200_000, p=ZIPF)
for name, mechanism in {
    "k-RR": GRR(k=K, epsilon=1.0),
    "one-bit Hadamard": CLIENT,
    "Hadamard response": HadamardResponse(k=K, epsilon=1.0),
    "OLH": OLH(k=K, epsilon=1.0),
    "OUE": OUE(k=K, epsilon=1.0, packed=True),
    "Wheel, m = 1": Wheel(epsilon=1.0, m=1),
}.items():
    if isinstance(mechanism, Wheel):
        values = Records.from_arrays(np.arange(len(few)), few)
    else:
        values = few[: 20_000 if name == "OUE" else None]
    reports = mechanism.perturb(values, rng=rng)
    stored = on_disk(reports, mechanism)
    private, public = mechanism.report_bits, public_bits(mechanism)
    rows.append(
        {
            f"k = {K:,}, ε = 1": name,
            "private bits": f"{private:,}",
            "public bits": f"{public}",
            "bytes of these": f"{(private + public) / 8:.1f}",
            "bytes on disk": f"{stored:.1f}",
            "bytes in memory": f"{reports.nbytes / len(values):,.0f}",
        }
    )
table(pd.DataFrame(rows))

# %% [markdown]
# Where the seed is public randomness of a person's own, it is most of the file.
# It could be computed from a public number of the person's instead; but then that number takes its place, and names the person.
# A file with seeds can be counted by whoever finds it, without knowing how they were made.
# (OUE takes less than its bits, since ones are rarer than zeros.)
#
# The order itself is free, since no count depends on it.
# What has to be stored is a multiset, whose entropy is smaller: sorted reports differ by little from one to the next.

# %% tags=["hide-input"]
for name, mechanism in (
    ("k-RR", GRR(k=K, epsilon=1.0)),
    ("one-bit Hadamard", CLIENT),
    ("OLH", OLH(k=K, epsilon=1.0)),
):
    reports = mechanism.perturb(few, rng=rng)
    sizes = [on_disk(block, mechanism) for block in (reports, np.sort(reports))]
    print(f"{name}, {len(few):,} reports: {sizes[0]:.2f} bytes each as they came, {sizes[1]:.2f} sorted")

# %% [markdown]
# The gain is large where there are more reports than possible reports, and small for OLH, whose seeds hardly ever repeat.
# Sorting each block before `save` also removes the order of arrival within a block, which might tell who sent what.
# Privacy does not rest on that: ε holds for a server that knows exactly whose report is whose.
#
# ### What is wrong is named
#
# In a large collection something is always broken: a machine stopped while it was writing, a disk returns other bytes than it was given, a folder holds last year's files.
# A partition appears under its name only when all of it is on the disk.
# The values of a column lie in it in runs, called pages; each page carries a checksum, and so do each column and what the file says of itself.
# A file that says that it holds reports of another mechanism, of the same with another ε, or with another label, is not counted.
# And a folder that holds anything but `*.parquet` files is refused: what somebody is still writing is a part of a partition.
# (What a killed writer leaves behind is not locked any more, and is ignored.)
# A name that is no ordinary file, a pipe or a device say, is refused before it is opened.
# So a folder is refused, too, while somebody writes into it: let each day or each hour have its own, and count it when it is closed.

# %%
faulty = PLACE / "faulty"
faulty.mkdir()
whole = Path(some).read_bytes()
(faulty / "truncated").write_bytes(whole[: len(whole) // 2])
(faulty / "one bit flipped").write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
other = HadamardBit(k=K, epsilon=2.0)
save(other.perturb(people[:1000], rng=rng), faulty / "other epsilon", other, label=LABEL)
save(CLIENT.perturb(people[:1000], rng=rng), faulty / "other label", CLIENT, label="song of the year")
shutil.copy(some, faulty / "copy")

for name in ("truncated", "one bit flipped", "other epsilon", "other label", "missing", "copy"):
    try:
        collect(CLIENT, [some, faulty / name], label=LABEL)
    except ValueError as error:
        text = str(error).split("got " if isinstance(error, PartitionError) else "but ")[1]
        print(text.replace(str(faulty) + os.sep, "").replace(str(FOLDER) + os.sep, ""))

left = FOLDER / "part-12.parquet.copying"
left.write_bytes(whole[:1000])
try:
    collect(CLIENT, FOLDER, label=LABEL)
except ValueError as error:
    print(str(error).replace(str(FOLDER) + os.sep, ""))
left.unlink()

# %% [markdown]
# The first fault stops the run; nobody has to find out later that a tenth was missing.
# Whoever wants the rest nevertheless has to say so, and gets the faults beside the tally.
# (A copy stops the run in any case, once both have been counted: the fault is not in a file but in the list of files.)
# Nor is a file skipped because its reader lacks memory or rights, or because the disk fails: the run stops, since files that are whole would be dropped.
# A file that never came is missed only by a list of the files that are expected, with their numbers of reports.

# %%
asked = [some, *(faulty / name for name in ("truncated", "other epsilon", "missing"))]
partly = collect(CLIENT, asked, label=LABEL, skip=True)
print(f"{partly.reports:,} reports from {len(partly.partitions)} partition; {len(partly.skipped)} skipped:")
print(*(Path(path).name for path in partly.skipped), sep=", ")
came = {Path(path).name for path in partly.partitions.values()}
print(f"sent but not counted: {len(sent.keys() - came)} partitions, {sum(sent.values()) - partly.reports:,} reports")

# %% [markdown]
# How much can happen to a file without being noticed?
# For a small partition we can try: cut it at every place, and flip one bit of every byte.


# %% tags=["hide-input"]
def outcome(content):
    """What is counted from these bytes: the counts, or None if they are refused."""
    (faulty / "tried").write_bytes(content)
    try:
        return collect(CLIENT, [faulty / "tried"]).tally.counts
    except PartitionError:
        return None


def flips(name):
    """Bytes of a small partition, and what is counted of them, whole and with a bit of each byte changed in turn."""
    save(CLIENT.perturb(people[:50], rng=rng), faulty / name, CLIENT)
    small = (faulty / name).read_bytes()
    changed = (small[:at] + bytes([small[at] ^ 1 << at % 8]) + small[at + 1 :] for at in range(len(small)))
    return small, outcome(small), [outcome(content) for content in changed]


def harmless(intact, found):
    """Whether all outcomes are refusals or the right counts."""
    return intact is not None and all(counts is None or np.array_equal(counts, intact) for counts in found)


small, intact, found = flips("small")
cuts = [outcome(small[:size]) for size in range(len(small))]
opened = pq.ParquetFile
with patch("zlib.crc32", lambda *_: 0), patch.object(pq, "ParquetFile", lambda path, **_: opened(path)):
    _, *unseen = flips("no checksums")
check(
    "Damage",
    f"{len(small):,} bytes, cut at every place, one bit of each changed: refused, or the right counts",
    all(counts is None for counts in cuts) and harmless(intact, found),
    control="the same files without checksums",
    caught=unseen[0] is not None and not harmless(*unseen),
)
print(
    f"{np.mean([counts is None for counts in found]):.0%} of the changes are refused; the others are in fields that do not matter to this reader"
)

# %% [markdown]
# Checksums find accidents.
# They do not find forgery: whoever can write files can write reports, with checksums that fit.
#
# (sec-collect-places)=
# ## One process, two, and an address
#
# `collect` without further ado counts in this process, a part of a file at a time.
# For more there is dask, a Python library that runs functions on many machines.
# Its *workers* are processes, on any of them, that do one task after the other; its *scheduler* is a process that knows all tasks and hands them out.
# Given such a cluster, `collect` has each partition's *name* sent to a worker, which reads and counts it; tallies are added on the workers, up to eight at a time.
# All that one has to know of a cluster is the address of its scheduler, `tcp://host:port`.
# Here it is one that we start ourselves, with two worker processes on this machine.

# %%
cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
with Client(cluster) as client:
    two = collect(CLIENT, FOLDER, label=LABEL, scheduler=client)
by_address = collect(CLIENT, FOLDER, label=LABEL, scheduler=cluster.scheduler_address)
print(
    f"{two.reports:,} reports by two workers, {by_address.reports:,} by address {cluster.scheduler_address.split(':')[0]}://…"
)


# %% tags=["hide-input"]
def executed(dask_worker):
    """Tasks that a worker has done so far."""
    return dask_worker.state.executed_count


def by_workers(places, scheduler):
    """Whether the first tally comes out, from the same partitions, and the workers did a task for each of them."""
    with Client(cluster) as client:
        before = sum(client.run(executed).values())
        found = collect(CLIENT, places, label=LABEL, scheduler=client if scheduler == "client" else scheduler)
        tasks = sum(client.run(executed).values()) - before
    same = np.array_equal(found.tally.counts, alone.tally.counts) and found.partitions == alone.partitions
    return same and tasks >= PARTS


check(
    "Same integers",
    "one process, two workers, an address: one tally, and the workers counted",
    by_workers(FOLDER, "client") and by_workers(FOLDER, cluster.scheduler_address),
    control="without the first partition; scheduler ignored",
    caught=not by_workers(list(alone.partitions.values())[1:], "client") and not by_workers(FOLDER, None),
)

# %% [markdown]
# Nothing else changes: no random number is drawn on a server, and {prf:ref}`thm-collect-tree` does the rest.
#
# ### Yesterday and today
#
# What was counted need not be counted again.
# Whoever keeps yesterday's tally, and with it the random numbers of its partitions, adds today's folder to it, and sees whether a partition is in both, whatever its name.
# A kept tally is a file that names its mechanism and its label and carries a checksum, as a partition does.


# %%
def add_folder(before, partitions, folder):
    """Add the tally of a folder to one that was kept with the numbers of its partitions."""
    new = collect(CLIENT, folder, label=LABEL)
    for number in new.partitions.keys() & partitions:
        raise ValueError(f"{Path(new.partitions[number]).name} was counted before")
    return before + new.tally, partitions | new.partitions.keys()


today = PLACE / "today"
today.mkdir()
save(CLIENT.perturb(people[:100_000], rng=rng), today / "part-00.parquet", CLIENT, label=LABEL)
save_tally(alone.tally, PLACE / "yesterday.tally", label=LABEL)
(PLACE / "yesterday.json").write_text(json.dumps(list(alone.partitions)))

yesterday = (
    load_tally(PLACE / "yesterday.tally", CLIENT, label=LABEL),
    set(json.loads((PLACE / "yesterday.json").read_text())),
)
so_far, numbers = add_folder(*yesterday, today)
print(f"{so_far.n:,} reports in {len(numbers)} partitions")

# %% tags=["hide-input"]
of_both = collect(CLIENT, [*alone.partitions.values(), today / "part-00.parquet"], label=LABEL)
shutil.copy(some, today / "part-01.parquet")
try:
    add_folder(*yesterday, today)
except ValueError as error:
    answer = str(error)
check(
    "Another day",
    "a tally that was kept and one more folder: the integers of one count of both",
    np.array_equal(so_far.counts, of_both.tally.counts) and numbers == of_both.partitions.keys(),
    control="one of yesterday's files under another name",
    caught=answer == "part-01.parquet was counted before",
)

# %% [markdown]
# (sec-collect-real)=
# ## A hundred million reports
#
# At full size the same lines ran once on the machine named below, and their result is stored with the book.
# A hundred million reports were made by the real clients, a million people at a time, and written to four partitions; then they were counted by two worker processes and by one.
# All three mechanisms have $k = 1024$ items and $\varepsilon = 1$.
# To see whether memory is bounded, everything was also done with a tenth of the people, in four partitions of a tenth of the size; new processes did each step, and their largest memory is what the system says.


# %% tags=["hide-input"]
SERVERS = {"k-RR": GRR, "one-bit Hadamard": HadamardBit, "OLH": OLH}


def memory():
    """Largest memory that this process has had so far, MB (of Linux)."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def make(mechanism, size, path, seed):
    """Draw and write a partition: how many people hold each item, and processor seconds of the client and of writing."""
    stream, held = np.random.default_rng(seed), np.zeros(mechanism.k, np.int64)
    spent = {"people": 0.0, "client": 0.0}

    def blocks():
        for start in range(0, size, 10**6):
            times = [time.process_time()]
            values = stream.choice(mechanism.k, min(10**6, size - start), p=zipf(mechanism.k))
            held[:] += np.bincount(values, minlength=mechanism.k)
            times.append(time.process_time())
            reports = mechanism.perturb(values, rng=stream)
            times.append(time.process_time())
            for what, seconds in zip(spent, np.diff(times), strict=True):
                spent[what] += seconds
            yield reports

    began = time.process_time()
    save(blocks(), path, mechanism)
    return held, spent["client"], time.process_time() - began - sum(spent.values())


def count_here(mechanism, paths):
    """Count in the process that is called: the tally, wall and processor seconds, and largest memory."""
    began = time.perf_counter(), time.process_time()
    found = collect(mechanism, paths)
    return found.tally, time.perf_counter() - began[0], time.process_time() - began[1], memory()


def count_at_once(mechanism, paths):
    """Largest memory of a process that has all reports in one array before it counts them."""
    mechanism.tally(np.concatenate([block for path in paths for block in read(path, mechanism)]))
    return memory()


def processor():
    """Name of the processor."""
    about = Path("/proc/cpuinfo")
    lines = about.read_text().splitlines() if about.is_file() else []
    named = (text.split(":", 1)[1].strip() for text in lines if text.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def new_workers():
    """Two new processes, so that the memory of one step is not that of another."""
    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")


def at_scale(n, partitions, k, eps, seed):
    """Make and count n reports of each mechanism, and a tenth of them."""
    rows = []
    for size in (n // 10, n):
        for i, (name, kind) in enumerate(SERVERS.items()):
            mechanism, memories = kind(k=k, epsilon=eps), {}
            with tempfile.TemporaryDirectory() as folder:
                paths = [os.path.join(folder, f"{j}.parquet") for j in range(partitions)]
                make(mechanism, 1000, few := os.path.join(folder, "few"), seed)
                with new_workers() as workers, Client(workers) as client:
                    seeds = [[seed, i, size, j] for j in range(partitions)]
                    made = client.gather(client.map(partial(make, mechanism, size // partitions), paths, seeds))
                    held, drawing, writing = (sum(part) for part in zip(*made, strict=True))
                    memories["making"] = max(client.run(memory).values())
                with new_workers() as workers, Client(workers) as client:
                    client.run(count_here, mechanism, [few])  # imports and compiled code, before the clock runs
                    before = sum(client.run(time.process_time).values())
                    began = time.perf_counter()
                    with redirect_stderr(io.StringIO()) as shown:
                        two = collect(mechanism, paths, scheduler=client, progress=True)
                    wall = time.perf_counter() - began
                    busy = sum(client.run(time.process_time).values()) - before
                    memories["counting on two"] = max(client.run(memory).values())
                with new_workers() as workers, Client(workers) as client:
                    client.run(count_here, mechanism, [few])
                    one, wall_of_one, counting, memories["counting on one"] = client.submit(
                        count_here, mechanism, paths
                    ).result()
                if size < n:
                    with new_workers() as workers, Client(workers) as client:
                        memories["all at once"] = client.submit(count_at_once, mechanism, paths).result()
            error = mechanism.estimate(two.tally) - held / size
            rows.append(
                {
                    "mechanism": name,
                    "n": two.reports,
                    "partitions": len(two.partitions),
                    "bytes": two.bytes / size,
                    "client ns": 1e9 * drawing / size,
                    "write ns": 1e9 * writing / size,
                    "count ns": 1e9 * counting / size,
                    "two a second": size / wall,
                    "one a second": size / wall_of_one,
                    "two: cores": busy / wall,
                    "one: cores": counting / wall_of_one,
                    "memory": memories,
                    "error": sqrt(np.mean(error**2)),
                    "same": np.array_equal(one.counts, two.tally.counts) and one.n == two.reports == held.sum(),
                    "bar": shown.getvalue().replace("\r", "\n").strip().splitlines()[-1],
                }
            )
    return {"rows": rows, "processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()}


real = recorded("scale.reports", at_scale, parameters={"n": 10**8, "partitions": 4, "k": K, "eps": 1.0, "seed": SEED})
runs = pd.DataFrame(real["rows"])
full = runs[runs["n"] == runs["n"].max()].set_index("mechanism")
print(
    f"{real['processor']}, {real['cores']} cores; {full['n'].iloc[0]:,} reports, {full['partitions'].iloc[0]} partitions"
)
per_core = {who: full[f"{who} a second"] / full[f"{who}: cores"] for who in ("one", "two")}
apart = (per_core["two"] / per_core["one"] - 1).abs().max()
print(f"per core that they got, two workers and one process differ by at most {apart:.0%}")
table(
    pd.DataFrame(
        [
            {
                "mechanism": name,
                "client, ns": f"{run['client ns']:.0f}",
                "writing, ns": f"{run['write ns']:.0f}",
                "reading and counting, ns": f"{run['count ns']:.0f}",
                "bytes on disk": f"{run['bytes']:.2f}",
                "one process (cores it got)": f"{run['one a second'] / 1e6:.1f} ({run['one: cores']:.2f})",
                "two workers (cores they got)": f"{run['two a second'] / 1e6:.1f} ({run['two: cores']:.2f})",
                "one process, per core": f"{per_core['one'][name] / 1e6:.1f}",
                "two workers, per core": f"{per_core['two'][name] / 1e6:.1f}",
            }
            for name, run in full.iterrows()
        ]
    )
)

# %% [markdown]
# Nanoseconds are those of a processor for one report.
# The last four columns are in million reports a second, with the files still in the system's cache: first by the clock on the wall, then divided by the cores that the counting got, of its one or two.
# What the clock says depends on what else the machine was doing.
# Per core that they got, two workers count about as fast as one process; more than two were not tried.
# While it counts, `progress=True` shows a line, the last of which was:

# %% tags=["hide-input"]
print(full.loc["OLH", "bar"])

# %% tags=["hide-input"]
STEPS = ("making", "counting on two", "counting on one")
tenth = runs[runs["n"] == runs["n"].min()].set_index("mechanism")


def bounded(fewer, more):
    """Whether no step takes 1.25 times the memory."""
    return all(large < 1.25 * small for small, large in zip(fewer, more, strict=True))


peaks = {name: [[run.loc[name, "memory"][step] for step in STEPS] for run in (tenth, full)] for name in SERVERS}
at_once = {name: tenth.loc[name, "memory"]["all at once"] for name in SERVERS}
print(f"largest memory of a process for 10⁸ reports: {max(max(large) for _, large in peaks.values()):.0f} MB")
print(f"stored with the run: one process and two had {'the same' if full['same'].all() else 'other'} integers")
check(
    "Full size",
    "10⁷ and 10⁸ reports of three mechanisms: ten times the reports took less than 1.25 times the memory",
    all(bounded(*pair) for pair in peaks.values()),
    control="the tenth in one array, rather than in parts",
    caught=not any(bounded(peaks[name][0][2:], [at_once[name]]) for name in SERVERS),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Largest memory of each step"}
table(
    pd.DataFrame(
        [
            {
                "largest memory of a process, MB": name,
                **{
                    f"{step}, {label}": f"{peaks[name][which][i]:.0f}"
                    for i, step in enumerate(STEPS)
                    for which, label in enumerate(("10⁷", "10⁸"))
                },
                "10⁷ in one array": f"{at_once[name]:.0f}",
            }
            for name in SERVERS
        ]
    )
)

# %% [markdown]
# (sec-collect-law)=
# ## A billion people by law
#
# More people need more of the same, and no new idea; but to *learn* something about a billion people one need not draw a billion reports.
# `simulate` draws the tally itself, from its exact law, with the same number of binomial draws whatever $n$: a billion people are no more work than a thousand.
# (OLH has only `simulate_marginals`, whose law is exact for each item alone.)
# That it is the same law can be proved by walking through all branches of both, as long as the population is small.


# %% tags=["hide-input"]
def law_of_tally(mechanism, draw):
    """Exact law of the counts of a population."""
    return law(lambda stream: freeze(draw(mechanism, stream).reshape(-1)))


def from_reports(mechanism, stream):
    """Counts of two people who hold items 0 and 1."""
    return mechanism.tally(mechanism.perturb(np.array([0, 1]), rng=stream)).counts


def simulated(counts):
    """Counts drawn from the law of a histogram."""
    return lambda mechanism, stream: mechanism.simulate(np.array(counts), trials=1, rng=stream).counts[0]


tiny = (GRR(k=3, epsilon=1.0), HadamardBit(k=3, epsilon=1.0))
check(
    "Law of a tally",
    "two people, k = 3, k-RR and one-bit Hadamard: simulate and the real client have one law, exactly",
    all(law_of_tally(m, from_reports) == law_of_tally(m, simulated([1, 1, 0])) for m in tiny),
    control="two people with the same item",
    caught=all(law_of_tally(m, from_reports) != law_of_tally(m, simulated([2, 0, 0])) for m in tiny),
)

# %% [markdown]
# At a million people and 1,024 items no one walks through all branches.
# There we compare estimates from reports of real clients with estimates from the law, both of one population: each of the 1,024 differences is divided by its standard error, and the largest is compared with a bound that a right law exceeds with a probability below $10^{-6}$.
# (Each item alone is all that the comparison uses, so that OLH can take part.)


# %% tags=["hide-input"]
def of_items(mechanism, counts):
    """Standard error of the estimate of each item, (k,), for a population with this histogram."""
    own, other = mechanism.variance(np.array([0]))[0, :2]
    n = counts.sum()
    return np.sqrt(own * counts + other * (n - counts)) / n


def law_tally(mechanism, counts, stream):
    """One tally drawn from its law."""
    draw = getattr(mechanism, "simulate", mechanism.simulate_marginals)
    return draw(counts, trials=1, rng=stream)


def by_client(mechanism, counts, stream):
    """Estimates from reports of the real client, (k,)."""
    values = np.repeat(np.arange(len(counts)), counts)
    return mechanism.estimate(mechanism.tally(mechanism.perturb(values, rng=stream)))


million = rng.multinomial(10**6, ZIPF)
mechanisms = {name: kind(k=K, epsilon=1.0) for name, kind in SERVERS.items()}
bound = norm.isf(1e-7 / (2 * len(mechanisms) * K))


def farthest(mechanism, drawn_from):
    """Largest difference between a tally from a law and the real client, in standard errors."""
    simulated = law_tally(drawn_from, million, rng)
    difference = mechanism.estimate(replace(simulated, mechanism=mechanism))[0] - by_client(mechanism, million, rng)
    return np.max(np.abs(difference) / of_items(mechanism, million)) / sqrt(2)


check(
    "Law and client",
    f"10⁶ people, k = {K:,}: all {len(mechanisms) * K:,} differences below {bound:.1f} standard errors",
    max(farthest(m, m) for m in mechanisms.values()) < bound,
    control="the law at ε = 2",
    caught=min(farthest(m, replace(m, epsilon=2.0)) for m in mechanisms.values()) > bound,
)

# %% tags=["hide-input"]
allowed = sqrt(chi2.isf(1e-7, K) / K)


def ratio(name, theory):
    """Root mean square error of the stored run with 10⁸ people, over what this mechanism should have."""
    return full.loc[name, "error"] / sqrt(np.mean(of_items(theory, 10**8 * ZIPF) ** 2))


exactly = [name for name in mechanisms if name != "OLH"]  # of OLH the sum of squared errors has no simple law
check(
    "Reports of clients",
    f"10⁸ people: error within {allowed - 1:.0%} of theory, k-RR and one-bit Hadamard",
    all(1 / allowed < ratio(name, mechanisms[name]) < allowed for name in exactly),
    control="the theory of ε = 1.5",
    caught=not any(1 / allowed < ratio(name, replace(mechanisms[name], epsilon=1.5)) < allowed for name in exactly),
)

# %% tags=["hide-input"]
world = rng.multinomial(10**9, ZIPF)


def ratio_of_law(mechanism, theory):
    """Root mean square error of one tally of a billion people, over what this mechanism should have."""
    error = mechanism.estimate(mechanism.simulate(world, trials=1, rng=rng))[0] - world / world.sum()
    return sqrt(np.mean(error**2) / np.mean(of_items(theory, world) ** 2))


drawn = {name: ratio_of_law(mechanisms[name], mechanisms[name]) for name in exactly}
wrong = [ratio_of_law(mechanisms[name], replace(mechanisms[name], epsilon=1.5)) for name in exactly]
check(
    "A billion",
    f"10⁹ people by law: error within {allowed - 1:.0%} of theory, k-RR and one-bit Hadamard",
    all(1 / allowed < found < allowed for found in drawn.values()),
    control="the theory of ε = 1.5",
    caught=not any(1 / allowed < found < allowed for found in wrong),
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-collect-error", "caption": "Root mean square error of a share, k = 1024 items after Zipf's law, ε = 1. Lines: theory. Filled markers: reports by the real client, up to 10⁶ live and 10⁷ and 10⁸ from the stored run. Open markers: tallies drawn from their law, up to 10⁹ people; for OLH it is exact for each item alone, not for all together. The dotted line is the share of the rarest item: it can be told from zero only where an error is well below it."}, "image": {"alt": "Log-log plot of root mean square error in points against the number of people from ten thousand to a billion. Three parallel lines fall with slope minus one half, k-RR far above one-bit Hadamard and OLH, which nearly coincide. Markers lie on the lines. A dotted horizontal line marks the rarest item's share."}}
fig, ax = plt.subplots(figsize=(6.4, 4.2))
grid = 10.0 ** np.arange(4, 10)
for i, (name, mechanism) in enumerate(mechanisms.items()):
    errors = {}
    for n in grid.astype(int):
        counts = rng.multinomial(n, ZIPF)
        errors["law", n] = mechanism.estimate(law_tally(mechanism, counts, rng))[0] - counts / n
        if n <= 10**6:
            errors["client", n] = by_client(mechanism, counts, rng) - counts / n
    found = {key: 100 * sqrt(np.mean(error**2)) for key, error in errors.items()}
    found |= {("client", run["n"]): 100 * run["error"] for _, run in runs[runs["mechanism"] == name].iterrows()}
    theory = [100 * sqrt(np.mean(of_items(mechanism, n * ZIPF) ** 2)) for n in grid]
    ax.plot(grid, theory, **line(i))
    for source, style_of in (("client", {}), ("law", {"markerfacecolor": "white", "markersize": 9, "zorder": 1.5})):
        at = sorted(n for kind, n in found if kind == source)
        ax.plot(at, [found[source, n] for n in at], **dots(i) | style_of, label=f"{name}, {source}")
ax.axhline(100 * ZIPF[-1], color="black", linestyle=":", linewidth=1, marker="")
ax.text(1e4, 100 * ZIPF[-1] * 1.15, "share of the rarest item", fontsize=11)
ax.set(xscale="log", yscale="log", xlabel="people", ylabel="root mean square error, points")
fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=10)
plt.show()

# %% [markdown]
# (sec-collect-paper)=
# ## What each server costs at internet scale, on paper
#
# A billion people report once, at $\varepsilon = 1$, about one of a thousand items, one of a million items, or one of a million strings that only the server lists.
# What does each server have to store and to do?
#
# Reading and counting a report were measured at these very sizes, on one core, for as many reports as `collect` has in memory at a time (OLH and the wheel count fewer).
# The sum is multiplied by a billion and by nothing else, except for the wheel, whose counting is measured for a report and a string.


# %% tags=["hide-input"]
LISTED = {
    "k-RR": GRR,
    "OUE": partial(OUE, packed=True),
    "OLH": OLH,
    "one-bit Hadamard": HadamardBit,
    "Hadamard response": HadamardResponse,
}


def counting(eps, seed, repetitions):
    """Nanoseconds of a processor to read a report from a partition and to count it, and of how many."""
    rows, stream = [], np.random.default_rng(seed)
    for name, kind in LISTED.items():
        for k in (2**10, 2**20, *((2**24,) if name == "one-bit Hadamard" else ())):  # the largest is for an exercise
            mechanism = kind(k=k, epsilon=eps)
            at_a_time = GROUP // mechanism.perturb(np.array([0]), rng=stream).nbytes
            n = min(at_a_time, 2**28 // k) if name == "OLH" else at_a_time  # OLH tries all k for each report
            reports = mechanism.perturb(stream.integers(0, k, at_a_time), rng=stream)
            rows.append({"mechanism": name, "k": k, "n": n, **clock(mechanism, reports, n, None, repetitions)})
    strings, n = [f"string {i}" for i in range(10**5)], 2**16
    wheel = Wheel(epsilon=eps, m=1)
    values = Records.from_arrays(np.arange(8 * n), digest(strings)[stream.integers(0, len(strings), 8 * n)])
    taken = clock(wheel, wheel.perturb(values, rng=stream), n, strings, repetitions)
    rows.append({"mechanism": "Wheel, m = 1", "k": len(strings), "n": n, **taken})
    return {"rows": rows, "processor": processor()}


def clock(mechanism, reports, n, items, repetitions):
    """Nanoseconds of a processor to read each report, and to count each of the first n; medians after a first time."""

    def median(work):
        taken = []
        for _ in range(repetitions + 1):
            began = time.process_time_ns()
            work()
            taken.append(time.process_time_ns() - began)
        return float(np.median(taken[1:]))

    with tempfile.TemporaryDirectory() as folder:
        save(reports, path := Path(folder) / "some", mechanism)
        reading = median(lambda: sum(len(block) for block in read(path, mechanism)))
    listed = () if items is None else (items,)
    whole, counted = mechanism.tally(reports[:0], *listed).counts.copy(), reports[:n]
    return {
        "read ns": reading / len(reports),
        "count ns": median(lambda: np.add(whole, mechanism.tally(counted, *listed).counts, out=whole)) / n,
    }


measured = recorded("scale.counting", counting, parameters={"eps": 1.0, "seed": SEED, "repetitions": 5})
nanoseconds = {(row["mechanism"], row["k"]): (row["read ns"], row["count ns"]) for row in measured["rows"]}
BILLION = 10**9


def of_wheel(strings):
    """Nanoseconds to read a report of the wheel and to count it for so many strings."""
    reading, counting = nanoseconds["Wheel, m = 1", 10**5]
    return reading + counting * strings / 10**5


def amount(number, unit, powers=("", "k", "M", "G", "T", "P")):
    """Write a number with two digits and a power of a thousand."""
    power = 0
    while number >= 999.5 and power < len(powers) - 1:
        number, power = number / 1000, power + 1
    return f"{number:.3g} {powers[power]}{unit}" if number < 99.5 else f"{number:.0f} {powers[power]}{unit}"


UNITS = {"years": 365.25 * 86400, "days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}


def core_time(ns):
    """Write the time of one core."""
    unit = next((unit for unit, length in UNITS.items() if ns / 1e9 >= length), "seconds")
    return f"{ns / 1e9 / UNITS[unit]:,.1f} {unit}"


def size_of_tally(mechanism, names):
    """Bytes of a tally."""
    empty = mechanism.perturb(Records.of({0}) if names else np.array([0]), rng=rng)[:0]
    return mechanism.tally(empty, *([[0]] if names else [])).counts.nbytes * max(names, 1)


def cost(mechanism, reading, counting, names=0):
    """What one row of the table has to say of a mechanism."""
    bits = mechanism.report_bits + public_bits(mechanism)
    if names:
        rare = mechanism.variance(Records.of(set()), [0])[0, 0]
    else:
        rare = mechanism.variance(np.array([0]))[0, 1:].mean()
    return {
        "a report": f"{mechanism.report_bits:,} + {public_bits(mechanism)} bits",
        "all reports": amount(BILLION * bits / 8, "B"),
        "a tally": amount(size_of_tally(mechanism, names), "B"),
        "to read a report": amount(reading, "s", ("n", "µ", "m", "")),
        "to count it": amount(counting, "s", ("n", "µ", "m", "")),
        "all, one core": core_time(BILLION * (reading + counting)),
        "± of a rare item (95 %), points": f"{100 * norm.isf(0.025) * sqrt(rare / BILLION):.4f}",
    }


SIZES = {2**10: "2¹⁰", 2**20: "2²⁰"}
costs = [
    (f"{written} items", name, kind(k=k, epsilon=1.0), *nanoseconds[name, k], 0)
    for k, written in SIZES.items()
    for name, kind in LISTED.items()
]
reading = nanoseconds["Wheel, m = 1", 10**5][0]
costs.append(("10⁶ strings", "Wheel, m = 1", Wheel(epsilon=1.0, m=1), reading, of_wheel(10**6) - reading, 10**6))
print(f"{measured['processor']}; {BILLION:,} people, ε = 1")

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-collect-cost", "caption": "Time of one core to read and count the reports of a billion people, ε = 1: filled markers for a thousand items, open ones for a million items or strings. Servers that look up a cell stay on the left; those that try every candidate, or read a bit for each, go to the right with the number of candidates."}, "image": {"alt": "Dot plot on a logarithmic axis of time, one line for each of six mechanisms. k-RR, one-bit Hadamard and Hadamard response take less than a minute at a thousand and at a million items. OUE and OLH take minutes at a thousand items and days at a million. The wheel takes days for a million strings."}}
fig, ax = plt.subplots(figsize=(6.4, 3.2))
lines = [*LISTED, "Wheel, m = 1"][::-1]
for size, name, _, reading, counting, _ in costs:
    few_items = size == "2¹⁰ items"
    ax.plot(reading + counting, lines.index(name), **dots(0) | ({} if few_items else {"markerfacecolor": "white"}))
ax.set(xscale="log", xlabel="time of one core", yticks=range(len(lines)), yticklabels=lines, ylim=(-0.6, 5.6))
marks = {"1 s": 1, "1 minute": 60, "1 hour": 3600, "1 day": 86400, "1 week": 7 * 86400}
ax.set_xlim(0.7, 14 * 86400)
ax.set_xticks(list(marks.values()), list(marks))
ax.minorticks_off()
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Sizes, times and errors"}
table(
    pd.DataFrame(
        [
            {"items": size, "mechanism": name, **cost(mechanism, reading, counting, names)}
            for size, name, mechanism, reading, counting, names in costs
        ]
    )
)

# %% tags=["hide-input"]
olh = {k: OLH(k=k, epsilon=1.0) for k in SIZES}
times_as_long = [f"{k / (oracle.report_bits + public_bits(oracle)):,.0f}" for k, oracle in olh.items()]
print("OUE's reports are", " and ".join(times_as_long), "times as long as OLH's,", end=" ")
print(f"{amount(BILLION * 2**20 / 8, 'B')} in all at 2²⁰ items")
longer = [full.loc[name, "count ns"] / sum(nanoseconds[name, K]) for name in SERVERS]
print(
    f"reading and counting, k = {K:,}: the run of 10⁸ reports took {min(longer):.2f} to {max(longer):.2f} times as long"
)

# %% [markdown]
# Processor time, too, is longer when neighbours use the same core and cache.
# These times and those of {ref}`sec-collect-real` were measured apart, and differ by what the last line says.
# On a shared machine the same code can take twice as long on another day, so that only factors of ten mean anything here.
#
# Three things are worth seeing.
#
# - *A server that tries every candidate is linear in $n\cdot k$.*
#   OLH's is, and the wheel's: with a thousand items that is minutes of a core, with a million days.
#   Another list of candidates costs the same again.
#   (OLH can do with less if its seeds come from a public pool: the server looks up a cell for each report, by seed and reply, and tries the candidates once for each seed of the pool; this is known as fast local hashing {cite:p}`cormode2021frequency`.
#   The price: people who share a seed err together, and this part of the error shrinks with the size of the pool, not with $n$.)
# - *A server that looks up a cell is linear in $n$.*
#   It adds one to a counter for each report, and turns counters into shares once, in $k \log k$.
#   With a thousand items reading takes longer than counting; with a million, whose counters leave the cache, counting catches up.
# - *Unary encoding pays with the network.*
#   Its error is OLH's, and most of its time goes into reading: at a million items all those bytes have to come from storage first, whatever the cores.
#
# The errors (in the folded table) are within a quarter of one another, but for k-RR, which at a million items drowns in its own replies.
# So at this size a mechanism is chosen by its server and its network.
# What the wheel buys for its work are sets of keys that no list has to contain ({ref}`ch-wheel`); the second exercise has a way in between.
#
# All of this is a map and a sum: its time divides by the cores, as long as storage feeds them and tasks last seconds.
# The factor between two mechanisms remains.
#
# (sec-collect-cluster)=
# ## On a real cluster
#
# With the reports on storage that all machines see, what changes in the code is the address.
# What changes around it:
#
# - *Paths.* Workers open files by the names that they are sent, so a folder must be mounted under the same name everywhere; an address such as `s3://…` is refused.
#   A worker that lacks the mount finds every file missing, and to `skip=True` a missing file is a fault like others: it would skip them all.
# - *Writing.* `save` gives a file its name by a hard link, which never overwrites.
#   Many mounts of object storage have no hard links: write to a local disk, and copy whole files there.
# - *Versions.* Scheduler, workers and the asking process need the same versions of Python, dask, numpy and this package; dask warns where they differ.
#   The file says which mechanism it is of, and a worker whose class means something else by that name would count something else.
# - *Lost workers.* Counting a partition is a pure function of a file, so that dask can do it again elsewhere when a worker dies; a tally is in a sum once, however often it was made.
#   A partition that kills one worker after the other stops the run, and the error has its path.
#   A run whose workers are all lost, with no others coming, stops within seconds with a `ClusterError`.
#   Each task carries the mechanism, so that any worker can repeat it.
#   The tests of this book kill one worker, or all, at the first moment and in the middle; where workers come back the integers are the same.
# - *Who is asked.* dask sends code, and runs what it is sent: whoever reaches the scheduler's port can run programs on every machine.
#   Turn on TLS, with a certificate of your own authority on scheduler, workers and client: `Security(tls_ca_file=…, tls_client_cert=…, tls_client_key=…, require_encryption=True)` for the client, `Client(address, security=…)`, which is then given to `collect` in place of the address, and the same files by `--tls-ca-file`, `--tls-cert` and `--tls-key` for `dask scheduler` and `dask worker`, whose addresses then begin with `tls://`.
#   Keep the ports, and the dashboard, which has no TLS, inside a network of your own.
# - *Memory.* A worker holds a part of one file, and tallies that wait until all eight of a sum are there.
#   A sum is done before another partition is opened, or else all tallies would wait for the end; the first exercise counts those that wait nevertheless.
# - *Small files.* Every task is some work for the scheduler, and every tally some memory, so a partition should keep a worker busy for seconds.
#   That is about a hundred million reports where the server looks up a cell, and ten million or two for OLH with a thousand items, as the next cell says.
#   (This chapter's own partitions are far smaller than its rule, so that it runs in seconds.)

# %% tags=["hide-input"]
for name, k in (("k-RR", 2**10), ("one-bit Hadamard", 2**10), ("OLH", 2**10)):
    print(f"{name}, k = {k:,}: {1e3 / sum(nanoseconds[name, k]):.0f} million reports in a second of a core")

# %% [markdown]
# Simulations go to the same cluster.
# `sweep` runs on joblib, and joblib can hand its tasks to dask; each task has a random stream of its own, so that the numbers do not depend on where it runs.


# %%
def one_run(epsilon, rng):
    """Root mean square error of one-bit Hadamard with 20,000 people, and the process that ran it."""
    client = HadamardBit(k=K, epsilon=epsilon)
    values = rng.choice(K, 20_000, p=ZIPF)
    error = client.estimate(client.tally(client.perturb(values, rng=rng))) - client.expected(values).mean(0)
    return {"error": np.sqrt(np.mean(error**2)), "process": os.getpid()}


POINTS = {"epsilon": [0.5, 1.0, 2.0], "trials": 4}
here = sweep(one_run, rng=np.random.default_rng(SEED), **POINTS)
with Client(cluster), joblib.parallel_config(backend="dask"):
    there = sweep(one_run, rng=np.random.default_rng(SEED), jobs=-1, **POINTS)
for epsilon, found in there.groupby("epsilon"):
    print(f"ε = {epsilon}: root mean square error {100 * found['error'].mean():.2f} points")

# %% tags=["hide-input"]
again = sweep(one_run, rng=np.random.default_rng(SEED + 1), **POINTS)
check(
    "Sweep",
    "twelve runs on two workers: the numbers of one process",
    there["error"].equals(here["error"]) and not set(there["process"]) & set(here["process"]),
    control="another seed",
    caught=not again["error"].equals(here["error"]),
)
cluster.close()

# %% [markdown]
# (sec-collect-wrong)=
# ## What can go wrong
#
# At a billion people the standard error of a share is less than a hundredth of a point, k-RR aside.
# Nothing else in the pipeline is that good by itself.

# %% tags=["hide-input"]
for name, mechanism in mechanisms.items():
    error = sqrt(np.mean(of_items(mechanism, BILLION * ZIPF) ** 2))
    print(f"{name}, k = {K:,}, {BILLION:,} people: standard error {100 * error:.4f} points")

# %% [markdown]
# :::{prf:theorem} What is lost
# :label: thm-collect-lost
# Let a share λ of the reports be lost.
# Which ones may depend on the values, but not on the clients' coins.
# The rest estimates the people of the rest, $f^{\text{kept}}$, without bias and with its usual error bar.
# Its distance from all people is
#
# $$ f^{\text{kept}}_v - f_v = \lambda\,(f^{\text{kept}}_v - f^{\text{lost}}_v), $$
#
# at most λ (for means of values in $[-1, 1]$, at most 2λ).
# It does not shrink with $n$, and the bar does not account for it.
# :::
#
# :::{prf:proof}
# Given the values and who is lost, the coins of the rest have the law that they always have, so that the estimate is unbiased for their shares, with its usual error.
# And $f_v = (1-\lambda) f^{\text{kept}}_v + \lambda f^{\text{lost}}_v$; subtract it from $f^{\text{kept}}_v$.
# :::
#
# A filter that looks at what reports say breaks the condition, since that depends on coins.
#
# Partitions are not lost at random.
# A file is one region's, or one hour's, or one version's of the app, and what breaks breaks for all of it.
# In the next cell eight regions file their reports, in the last of which the most frequent item has a larger share; its file is cut short.
# The control files the same people in random order, and its last file is cut short, too.

# %% tags=["hide-input"]
REGION, REGIONS = 500_000, 8
elsewhere = ZIPF * np.where(np.arange(K) == 0, 4, 1)
drawn_from = [ZIPF] * (REGIONS - 1) + [elsewhere / elsewhere.sum()]
by_region = np.stack([rng.choice(K, REGION, p=share) for share in drawn_from])


def cut_short(parts, folder):
    """Collect these people's reports, a partition each, with all files, and with the last one damaged."""
    folder.mkdir()
    paths = [folder / f"{i}.parquet" for i in range(1, len(parts) + 1)]
    for part, path in zip(parts, paths, strict=True):
        save(CLIENT.perturb(part, rng=rng), path, CLIENT)
    complete = collect(CLIENT, paths)
    paths[-1].write_bytes(paths[-1].read_bytes()[:-1000])
    return complete, collect(CLIENT, paths, skip=True)


def bar_of(found, parts):
    """Estimate and half a 95 % bar of the first item."""
    counts = np.bincount(parts.ravel(), minlength=K)
    return CLIENT.estimate(found.tally)[0], norm.isf(0.025) * of_items(CLIENT, counts)[0]


complete, found = cut_short(by_region, PLACE / "regions")
_, at_random = cut_short(rng.permuted(by_region.ravel()).reshape(by_region.shape), PLACE / "at random")
everybody, the_rest, lost = (np.mean(part == 0) for part in (by_region, by_region[:-1], by_region[-1]))
for label, what, parts, truth_of in (
    ("all eight", complete, by_region, everybody),
    (f"{len(found.skipped)} skipped", found, by_region[:-1], the_rest),
):
    estimate, half = bar_of(what, parts)
    print(f"{label}: {100 * estimate:.2f} ± {100 * half:.2f} points; ", end="")
    print(f"all people {100 * everybody:.2f}, these people {100 * truth_of:.2f}")
print(f"share in region 8: {100 * lost:.2f} points, {lost / the_rest:.2f} times the share in the others")

widest = norm.isf(1e-7) / norm.isf(0.025) * bar_of(found, by_region[:-1])[1]


def as_said(found):
    """Whether an estimate is as far from everybody as the theorem says, within its error bar."""
    return abs(CLIENT.estimate(found.tally)[0] - everybody - (the_rest - lost) / REGIONS) < widest


check(
    "What is lost",
    f"the estimate is {100 * (lost - the_rest) / REGIONS:.1f} points too low, λ times the difference, within {100 * widest:.1f}",
    as_said(found),
    control="the same people in random order",
    caught=not as_said(at_random),
)

# %% [markdown]
# - *Counting a partition twice.* A retry that writes a second file, a folder that holds a backup, a glob that finds both.
#   Files that are copies are recognised by their number; the same *reports* written twice are not, and two reports that look alike are no proof, since k-RR has only $k$ of them.
#   Each report must be written by exactly one writer.
#   A failed `save` may have left a complete file: retry with the same path, and `save` refuses where a file is there.
# - *Mixing questions.* Two questions with equally many answers have the same mechanism, and nothing in a report tells which was asked.
#   The label does, and `collect` compares it like the mechanism; a file without one is only taken for a file without one.
#   A mechanism that asks several times (PrivKVM) has another law in a later round, under the same name, so each round needs a label of its own.
# - *Mixing parameters.* Reports at $\varepsilon = 1$ and at $\varepsilon = 2$ may look the same and are worth different scores.
#   They are different mechanisms: two tallies, two estimates, joined with weights ({ref}`ch-changing`).
# - *Integers.* Counts are signed integers of 64 bits, and a tally refuses $2^{53}$ or more, beyond which a float no longer holds every integer.
#   Thirty-two bits would not be enough.

# %% tags=["hide-input"]
WORLD = 8 * 10**9
print(f"{WORLD:,} people: signed counters of 32 bits reach {2**31 / WORLD:.0%} of them,", end=" ")
print(f"2⁵³ is a report of each every second for {2**53 / WORLD / UNITS['days']:.0f} days")
large = HadamardBit(k=2, epsilon=1.0)


def doubled(dtype):
    """Twice a tally of two billion reports, summed in this type."""
    counts = np.array([[2 * 10**9, 0], [0, 0]], dtype)
    with np.errstate(over="ignore"):
        return int((counts + counts)[0, 0])


def of(n):
    """A tally of n equal reports."""
    return Tally(large, n, np.array([[n, 0], [0, 0]], np.int64))


def refused(n):
    """Whether a tally of so many, and one report more, is refused."""
    try:
        return not (of(n) + of(1)).n
    except ValueError:
        return True


two_billion = of(2 * 10**9)
check(
    "Integers",
    "two tallies of two billion reports add to four billion, and a tally of 2⁵³ is refused",
    int((two_billion + two_billion).counts[0, 0]) == 4 * 10**9 == doubled(np.int64) and refused(2**53 - 1),
    control="counts of 32 bits, and one report fewer",
    caught=doubled(np.int32) != 4 * 10**9 and not refused(2**53 - 2),
)

# %% [markdown]
# - *Clocks.* "A report a day" needs a day, and devices have their own.
#   A report belongs into the file of the day on which it *arrived*, by one clock; to sort reports by what the device says writes late ones into files that were already counted.
#   And no time stamp goes into a file: together with a log of who connected when it is a name.
# - *Deleting.* If reports carry no names, nobody can find the one of a person who wants theirs deleted; what can be deleted is a partition.
#   But a seed of OLH or of the wheel is a pseudonym: whoever has kept it with a name finds the report by it.
# - *Skipping by habit.* `skip=True` in a script that nobody reads is how a tenth of the people goes missing.
#   The number of reports belongs beside every published share.
#
# (sec-collect-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: without a tree
# Ten thousand partitions are counted for one-bit Hadamard with $2^{20}$ items, on 100 workers.
# How much memory does it take to send all tallies to one place and add them there at the end, and how much does the tree take on each worker?
# :::
#
# :::{dropdown} Solution
# A tally has two counters of eight bytes for each of the $2^{20}$ rows.
# With sums of eight at a time the tree has $\lceil \log_8 10^4\rceil$ floors.
# A tally waits until the other seven of its sum are there, and they may be on other workers and late.
# How many wait at a time depends on how much the workers' times differ; the cell draws exponential times, which differ a lot, and lets sums take none.
# The mean of a worker assumes that those that wait are spread evenly; the one that adds holds all that it adds, for as long as that takes.
# :::


# %% tags=["hide-input"]
def waiting(partitions, workers, stream):
    """Largest number of tallies that wait for their sum at a time, and floors of the tree."""
    free, ends = [0.0] * workers, []
    for length in stream.exponential(size=partitions):
        ends.append(heapq.heappop(free) + length)
        heapq.heappush(free, ends[-1])
    begun, over, floors = [], [], 0
    while len(ends) > 1:
        sums = [max(ends[i : i + FAN_IN]) for i in range(0, len(ends), FAN_IN)]
        begun, over = begun + ends, over + [sums[i // FAN_IN] for i in range(len(ends))]
        ends, floors = sums, floors + 1
    begun, over = np.sort(begun), np.sort(over)
    return int(np.max(np.searchsorted(begun, begun, "right") - np.searchsorted(over, begun, "left"))), floors


one_tally = size_of_tally(HadamardBit(k=2**20, epsilon=1.0), 0)
wait, floors = waiting(10**4, 100, rng)
print(f"a tally {amount(one_tally, 'B')}; all at once {amount(10**4 * one_tally, 'B')}")
print(f"tree: {floors} floors, at most {wait} tallies wait, ", end="")
print(f"{wait / 100:.1f} a worker in the mean, {amount(wait * one_tally / 100, 'B')}; ", end="")
print(f"the one that adds holds {FAN_IN}, {amount(FAN_IN * one_tally, 'B')}")

# %% [markdown]
# :::{admonition} Exercise 2: a million strings without the work
# Hash the strings by one *public* hash into $2^{24}$ columns of one-bit Hadamard, the same for everybody.
# What does the server cost now, and what does it lose?
# :::
#
# :::{dropdown} Solution
# This is a count-mean sketch with a single hash function {cite:p}`cormode2021frequency`.
# The work for a report no longer depends on the number of strings; the tally has $2 \cdot 2^{24}$ counters, and shares are computed by one transform.
# (So large a tally is in no cache, and is made anew for each part of a file: the cell has the time that was measured at this size.)
# The noise is the same as with any other number of columns.
# What is lost: strings that share a column are one item, and strings that are on no list add to whatever column they fall into.
# Of a million strings with fixed columns a given one is alone with probability $(1-2^{-24})^{10^6-1}$, so a few per cent are not, and the analyst knows which.
# With two such hashes, each for half of the people, hardly any string has a partner in both halves.
# Strings that have one in exactly one half are estimated from the other, at $\sqrt2$ times the error; most strings have none, and lose nothing.
# :::

# %% tags=["hide-input"]
M, STRINGS = 2**24, 10**6
columns = np.bincount(digest([f"string {i}" for i in range(STRINGS)]) % M, minlength=M)
print(
    f"not alone in their column: {1 - (1 - 1 / M) ** (STRINGS - 1):.2%} expected, {columns[columns > 1].sum() / STRINGS:.2%} of these"
)
print(
    f"with a partner in both of two columns: {(1 - (1 - 1 / M) ** (STRINGS - 1)) ** 2:.2%}; a tally {amount(16 * M, 'B')}"
)
print(f"core time with 2²⁴ columns: {core_time(BILLION * sum(nanoseconds['one-bit Hadamard', M]))}, ", end="")
print(f"the wheel's: {core_time(BILLION * of_wheel(STRINGS))}")

# %% [markdown]
# :::{admonition} Exercise 3: how many may be lost
# A share of about one half is estimated from $n$ one-bit reports, $\varepsilon = 1$.
# Part of the reports is lost, from people whose share differs by ten points.
# From which part on is what was lost worse than the noise?
# :::
#
# :::{dropdown} Solution
# By {prf:ref}`thm-collect-lost` the distance is $0.1\,\lambda$, and the standard error is about $c/\sqrt n$ with $c = (e^\varepsilon+1)/(e^\varepsilon-1)$.
# They are equal at $\lambda = 10\,c/\sqrt n$.
# The more people there are, the smaller the part that may be missing.
# :::

# %% tags=["hide-input"]
for n in (10**4, 10**6, 10**8, 10**9):
    print(
        f"n = 10^{round(np.log10(n))}: standard error {100 / np.tanh(0.5) / sqrt(n):.4f} points, λ = {min(1, 10 / np.tanh(0.5) / sqrt(n)):.3%}"
    )
kept.cleanup()

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | {prf:ref}`thm-collect-tree`: partitions, order and tree make no difference | 50 random trees; one process, two workers, an address; a tally that was kept |
# | damage is refused or does no harm | one partition, cut at every byte, and a bit of every byte changed |
# | ten times the reports need hardly more memory | 10⁷ against 10⁸ reports, largest memory of every process |
# | the law of a tally is the real client's | exactly at two people (k-RR, one-bit Hadamard); 3,072 estimates at a million, for OLH each item alone |
# | the error at a billion people is the theory's | k-RR and one-bit Hadamard: law at 10⁹, reports of clients at 10⁸; OLH is only drawn in {numref}`fig-collect-error` |
# | {prf:ref}`thm-collect-lost`: what is lost shifts an estimate, whatever its error bar | a region that is skipped |
