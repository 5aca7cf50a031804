# %% [markdown]
# (ch-collect)=
# # Collecting at scale
#
# :::{admonition} In one minute
# Clients' reports lie in files, called *partitions*.
# `collect` turns each partition into a table of integer counts, and adds the tables.
# Sums of integers do not depend on their order, so one process, two processes and a cluster give the same counts.
# A partition that is damaged, or belongs to another mechanism, stops the run, and the error names it.
# A hundred million reports were counted on a small machine, in memory that hardly grows with their number.
# :::
#
# :::{zh}
# 本页是手册，说明如何写入、读取并累加报告分区，不涉及五篇论文的论断。
# 服务器从报告中只需要整数计数，而计数可以相加；因此单个进程、多个进程与集群得到同一组整数。
# 损坏的分区与属于其他机制的分区不会被计入，而会被指出。
# 本页在一台小型机器上写入并统计了一亿份由真实用户端生成的报告，所占内存几乎不随报告数增长。
# 用户达十亿时，机制本身的误差已经很小，报告的丢失与重复计数反而更为重要。
# :::
#
# Install the package with its extra `scale`: `pip install "ldpnb[scale]"` brings pyarrow for files and dask for clusters.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
import json
import os
import shutil
import tempfile
from dataclasses import replace
from math import sqrt
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from scipy.stats import chi2

from ldpnb import GRR, OLH, OUE, HadamardResponse
from ldpnb_book import check, dots, line, recorded, style, table
from ldpnb_book.diagram import PLAIN, SAND, SKY, arrow, board, border, box, frame
from ldpnb_book.studies import manual as study

style()
SEED = 52
rng = np.random.default_rng(SEED)
K = 1024
ZIPF = study.zipf(K)

# %% [markdown]
# (sec-collect-file)=
# ## How do I write, read and add partitions?
#
# `save` writes reports as one Parquet file, block by block, so a partition may be larger than memory.
# The *label* says what no report tells: which question was asked.

# %%
from ldpnb import HadamardBit, collect, save
from ldpnb.collecting import load_tally, read, save_tally

folder = Path(tempfile.mkdtemp()).resolve()  # yours is a folder that stays
client = HadamardBit(k=1024, epsilon=1.0)
LABEL = "song of the day"


def blocks(number, people=10_000):
    """Made-up people, who report in blocks."""
    for _ in range(number):
        yield client.perturb(rng.choice(1024, people, p=ZIPF), rng=rng)


def write(day, partitions):
    """Write a day's reports; return the names and sizes of its files."""
    (folder / day).mkdir()
    names = [f"part-{i:02}.parquet" for i in range(partitions)]
    for name in names:
        save(blocks(5), folder / day / name, client, label=LABEL)
    return dict.fromkeys(names, 50_000)


sent = write("monday", partitions=12)

# %% [markdown]
# `collect` counts all partitions of a folder.

# %%
monday = collect(client, folder / "monday", label=LABEL)
share = client.estimate(monday.tally)
error = client.standard_error(monday.tally)
print(f"{monday.reports:,} reports in {len(monday.partitions)} partitions")
print(f"item 0: {100 * share[0]:.2f} ± {196 * error[0]:.2f} %")

# %% [markdown]
# `read` gives the reports back, a block at a time, and every file says what it holds:

# %%
path = next(iter(monday.partitions.values()))
size = sum(len(block) for block in read(path, client, label=LABEL))
print(f"{size:,} reports")
head = json.loads(pq.read_metadata(path).metadata[b"ldpnb"])
print({name: head[name] for name in ("mechanism", "label", "reports")})

# %% [markdown]
# Counts add, so keep a day's tally and add the next day's to it.
# Each partition has a random number, and `monday.partitions` has the numbers that were counted.
# Keep these numbers with the tally: they show whether a file, or its copy, was counted before.

# %%
save_tally(monday.tally, folder / "so-far.tally", label=LABEL)
(folder / "so-far.json").write_text(json.dumps(list(monday.partitions)))

write("tuesday", partitions=2)
tuesday = collect(client, folder / "tuesday", label=LABEL)
before = load_tally(folder / "so-far.tally", client, label=LABEL)
numbers = json.loads((folder / "so-far.json").read_text())
if tuesday.partitions.keys() & set(numbers):
    raise ValueError("a partition was counted before")
both = before + tuesday.tally
print(f"{both.n:,} reports")

# %% [markdown]
# (sec-collect-add)=
# ### Does the order matter?
#
# No: tallies are integers, and sums of integers are the same in any order and any tree.
# Sums of floats, such as estimates, are not.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-collect-tree", "caption": "Each worker turns a partition into a tally. Tallies are added a few at a time. Left of the tallies, sizes grow with the number of people; to the right, only the list of counted partitions does."}, "image": {"alt": "Diagram from left to right: six files called reports 1 to reports 6; an arrow from each to a box tally; groups of tallies joined in boxes plus; these joined in one box plus; an arrow to a box estimate. A dashed line separates the workers from the analyst, who has the estimate."}}
fig, ax = plt.subplots(figsize=(6.4, 3.5))
board(ax)
heights = 0.86 - 0.145 * np.arange(6)
middle = heights[[1, 4]].mean()
for i, y in enumerate(heights):
    frame(ax, 0.02, y - 0.045, 0.13, 0.09, SKY)
    ax.text(0.085, y, f"reports {i + 1}", ha="center", va="center", fontsize=9)
    arrow(ax, (0.156, y), (0.242, y))
    box(ax, 0.285, y, "tally", SAND, 10)
    arrow(ax, (0.328, y), (0.442, heights[3 * (i // 3) + 1] + 0.03 * (1 - i % 3)))
for y in heights[[1, 4]]:
    box(ax, 0.47, y, "+", PLAIN, 10)
    arrow(ax, (0.498, y), (0.612, middle + 0.03 * np.sign(y - middle)))
box(ax, 0.64, middle, "+", PLAIN, 10)
arrow(ax, (0.668, middle), (0.812, middle))
box(ax, 0.885, middle, "estimate", SKY, 10)
border(ax, 0.74, 0.06, 0.9, "workers", "analyst")
for x, text in ((0.085, "storage"), (0.285, "count"), (0.555, "sum")):
    ax.text(x, 0.99, text, ha="center", va="top", fontsize=11)
plt.show()

# %% tags=["hide-input"]
files = [*monday.partitions.values(), *tuesday.partitions.values()]
tallies = [collect(client, [file], label=LABEL).tally for file in files]
in_one = client.tally(np.concatenate([block for file in files for block in read(file, client, label=LABEL)]))
scores = [tally.n * client.estimate(tally) for tally in tallies]


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
    f"{len(tallies)} tallies in 50 random trees, and a kept tally: the integers of all reports in one array",
    all(np.array_equal(tally.counts, in_one.counts) and tally.n == in_one.n for tally in [both, *sums(tallies)]),
    control="sums of scores in floats",
    caught=len({total.tobytes() for total in sums(scores)}) > 1,
)

# %% [markdown]
# ### How large is a report on disk?

# %% tags=["hide-input"]
rows = []
for name, mechanism in {
    "k-RR": GRR(k=K, epsilon=1.0),
    "Hadamard bit": client,
    "Hadamard response": HadamardResponse(k=K, epsilon=1.0),
    "OLH": OLH(k=K, epsilon=1.0),
    "OUE": OUE(k=K, epsilon=1.0, packed=True),
}.items():
    reports = mechanism.perturb(rng.choice(K, 20_000, p=ZIPF), rng=rng)
    row = {f"k = {K:,}, ε = 1": name, "private bits": f"{mechanism.report_bits:,}"}
    for how, block in (("as they came", reports), ("sorted", np.sort(reports, axis=0 if name != "OUE" else -1))):
        if name != "OUE" or how != "sorted":
            save(block, folder / "some", mechanism)
            row[f"bytes, {how}"] = f"{(folder / 'some').stat().st_size / len(block):.2f}"
            (folder / "some").unlink()
    rows.append(row | {"bytes in memory": f"{reports.nbytes / len(reports):,.0f}"})
table(pd.DataFrame(rows).fillna("—"))

# %% [markdown]
# A public seed is most of OLH's file.
# Counts do not depend on the order, so you may sort each block before `save`.
# This saves space, and it removes the order of arrival, which might tell who sent what.
#
# (sec-collect-faults)=
# ## What happens when a file is damaged?
#
# The run stops, and the error names the file and what is wrong with it.
# Here are six faulty files:

# %%
faulty = folder / "faulty"
faulty.mkdir()
whole = Path(path).read_bytes()
other = HadamardBit(k=1024, epsilon=2.0)
flipped = whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:]
few, more = client.perturb([1, 2], rng=rng), other.perturb([1, 2], rng=rng)
(faulty / "truncated").write_bytes(whole[: len(whole) // 2])
(faulty / "flipped bit").write_bytes(flipped)
save(more, faulty / "other epsilon", other, label=LABEL)
save(few, faulty / "other label", client, label="song of the year")
shutil.copy(path, faulty / "copy")
names = "truncated, flipped bit, other epsilon, other label, missing, copy"

for name in names.split(", "):
    try:
        collect(client, [path, faulty / name], label=LABEL)
    except ValueError as error:  # a PartitionError is one, too
        text = str(error).replace(f"{faulty}{os.sep}", "")
        text = text.replace(f"{folder}{os.sep}", "")
        print(f"{name}: {text.split(': ', 1)[-1]}")

# %% [markdown]
# If you want the other files counted nevertheless, pass `skip=True`, and look at what was skipped.
# A list of the files that you expect shows which ones never came.

# %%
asked = [path, *(faulty / name for name in ("truncated", "missing"))]
partly = collect(client, asked, label=LABEL, skip=True)
skipped = [Path(path).name for path in partly.skipped]
print(f"{partly.reports:,} reports counted; skipped: {', '.join(skipped)}")
came = {Path(path).name for path in partly.partitions.values()}
lost = sum(size for name, size in sent.items() if name not in came)
print(f"{lost:,} reports were sent and not counted")

# %% [markdown]
# - The values in a file, each column and the file's head have checksums.
#   The tests cut a partition at every byte and change its bytes at random: it is refused, or its counts are right.
# - Checksums find accidents, not forgery: anybody who can write files can write reports.
# - `save` gives a file its name only when all of it is on the disk, and never overwrites a file.
#   If `save` fails, call it again with the same path; then no report is written twice.
# - A folder may hold `*.parquet` files only, and is refused while somebody writes into it.
#   Give each day or hour a folder of its own, and count it when it is complete.
# - A lack of memory or permissions, or a failing disk, stops the run even with `skip=True`, because the files may be intact.
#
# (sec-collect-places)=
# ## How do I count on several processes?
#
# Give `collect` a dask client or the address of a dask scheduler.
# Each worker gets the names of partitions, reads and counts them, and the workers add their tallies.

# %%
from distributed import Client, LocalCluster

two_processes = {"n_workers": 2, "threads_per_worker": 1}
cluster = LocalCluster(**two_processes, dashboard_address=":0")
day, address = folder / "monday", cluster.scheduler_address
with Client(cluster) as workers:
    two = collect(client, day, label=LABEL, scheduler=workers)
by_address = collect(client, day, label=LABEL, scheduler=address)
print(f"{two.reports:,} reports counted by two workers")
print(f"{by_address.reports:,} by the address of their scheduler")


# %% tags=["hide-input"]
def executed(dask_worker):
    """Tasks that a worker has done so far."""
    return dask_worker.state.executed_count


def by_workers(places, scheduler):
    """Whether the first tally comes out, from the same partitions, and the workers did a task for each of them."""
    with Client(cluster) as workers:
        before = sum(workers.run(executed).values())
        found = collect(client, places, label=LABEL, scheduler=scheduler)
        tasks = sum(workers.run(executed).values()) - before
    same = np.array_equal(found.tally.counts, monday.tally.counts) and found.partitions == monday.partitions
    return same and tasks >= len(monday.partitions)


check(
    "Same integers",
    "one process, two workers, an address: one tally, and the workers counted",
    np.array_equal(two.tally.counts, monday.tally.counts) and by_workers(day, address),
    control="without the first partition; scheduler ignored",
    caught=not by_workers([*monday.partitions.values()][1:], address) and not by_workers(day, None),
)

# %% [markdown]
# Simulations go to the same cluster: `sweep` runs on joblib, and joblib hands its tasks to dask.
# Each task has a random stream of its own, so the numbers do not depend on where it runs.


# %%
import joblib

from ldpnb_book import sweep


def one_run(epsilon, rng):
    """Root mean square error, and the process that ran it."""
    mechanism = HadamardBit(k=K, epsilon=epsilon)
    reports = mechanism.perturb(rng.choice(K, 20_000, p=ZIPF), rng=rng)
    difference = mechanism.estimate(mechanism.tally(reports)) - ZIPF
    error = np.sqrt(np.mean(difference**2))
    return {"error": error, "process": os.getpid()}


points = {"epsilon": [0.5, 1.0, 2.0], "trials": 4}
with Client(cluster), joblib.parallel_config(backend="dask"):
    there = sweep(one_run, rng=np.random.default_rng(1), jobs=-1, **points)
for epsilon, found in there.groupby("epsilon"):
    print(f"ε = {epsilon}: error {100 * found['error'].mean():.2f} points")

# %% tags=["hide-input"]
here, others = (sweep(one_run, rng=np.random.default_rng(seed), **points) for seed in (1, 2))
check(
    "Sweep",
    "twelve runs on two workers: the numbers of one process",
    there["error"].equals(here["error"]) and not set(there["process"]) & set(here["process"]),
    control="another seed",
    caught=not others["error"].equals(here["error"]),
)
cluster.close()
shutil.rmtree(folder)

# %% [markdown]
# (sec-collect-cluster)=
# ## How do I collect on a cluster?
#
# The call is the same, with the address of your scheduler.
# Around it, six things need your attention:
#
# - *Paths.* Mount the storage under the same name on all machines.
#   A worker without the mount finds every file missing; with `skip=True` it would skip them all.
#   An address such as `s3://…` is refused.
# - *Writing.* `save` needs hard links, which many mounts of object storage lack.
#   Write to a local disk there, and copy whole files.
# - *Versions.* Scheduler, workers and your own process need the same versions of Python, dask, numpy and this package.
# - *Access.* Anybody who reaches the scheduler's port can run programs on every machine.
#   Keep the ports inside a network of your own, and turn on TLS:
#
#   ```python
#   from distributed import Client, Security
#
#   security = Security(
#       tls_ca_file="ca.pem",
#       tls_client_cert="me.pem",
#       tls_client_key="key.pem",
#       require_encryption=True,
#   )
#   with Client("tls://host:8786", security=security) as workers:
#       found = collect(client, folder, label=LABEL, scheduler=workers)
#   ```
#
#   Start `dask scheduler` and `dask worker` with `--tls-ca-file`, `--tls-cert` and `--tls-key`.
# - *Lost workers.* dask counts a lost worker's partitions elsewhere, and the integers are the same.
#   A partition that kills one worker after another stops the run, and so does the loss of all workers (`ClusterError`).
#   The tests kill workers at the start of a run and in the middle.
# - *Size of partitions.* A partition should keep a worker busy for seconds.
#   The cell below prints how many reports a core reads and counts per second, in a measurement of its own.

# %% tags=["hide-input"]
measured = recorded("scale.counting", study.counting, parameters=study.COUNTING)
for row in measured["rows"]:
    if row["k"] == 2**10:
        print(f"{row['mechanism']:18} {1e3 / (row['read ns'] + row['count ns']):4.0f} million reports per second")

# %% [markdown]
# (sec-collect-real)=
# ## How long does it take for a hundred million reports?
#
# One recorded run gives the answer.
# The real clients drew a hundred million reports into four partitions, and one process and two workers counted them.

# %% tags=["hide-input"]
real = recorded("scale.reports", study.at_scale, parameters=study.SCALE)
runs = pd.DataFrame(real["rows"])
full, tenth = (runs[runs["n"] == n].set_index("mechanism") for n in (runs["n"].max(), runs["n"].min()))
STEPS = ("making", "counting on two", "counting on one")
most, fewer = (
    {name: [run["memory"][step] for step in STEPS] for name, run in part.iterrows()} for part in (full, tenth)
)
at_once = {name: run["memory"]["all at once"] for name, run in tenth.iterrows()}
print(f"{real['processor']}, {real['cores']} cores; k = {K:,}, ε = 1; {full['n'].iloc[0]:,} reports")
table(
    pd.DataFrame(
        [
            {
                "mechanism": name,
                "client, ns": f"{run['client ns']:.0f}",
                "writing, ns": f"{run['write ns']:.0f}",
                "counting, ns": f"{run['count ns']:.0f}",
                "bytes on disk": f"{run['bytes']:.2f}",
                "one process, million/s": f"{run['one a second'] / 1e6:.1f}",
                "two workers, million/s": f"{run['two a second'] / 1e6:.1f}",
                "cores they got": f"{run['two: cores']:.2f}",
                "memory, MB": f"{max(most[name]):.0f}",
            }
            for name, run in full.iterrows()
        ]
    )
)

# %% [markdown]
# Nanoseconds are processor time per report, and *memory* is the most that any process used.
# Rates are by wall-clock time; *cores they got* is how many of the machine's two cores the workers got.
# Their integers were those of the one process.

# %% tags=["hide-input"]
assert full["same"].all(), "one process and two workers counted differently"


def bounded(few, many):
    """Whether no step takes 1.25 times the memory."""
    return all(large < 1.25 * small for small, large in zip(few, many, strict=True))


check(
    "Full size",
    "10⁷ and 10⁸ reports of three mechanisms: ten times the reports took less than 1.25 times the memory",
    all(bounded(fewer[name], most[name]) for name in full.index),
    control="the tenth in one array, rather than in parts",
    caught=not any(bounded(most[name][2:], [at_once[name]]) for name in full.index),
)

# %% [markdown]
# (sec-collect-law)=
# ## How large is the error for a billion people?
#
# `simulate` draws a tally from its exact distribution (law), so a billion people are no more work than a thousand.
# For k-RR and the Hadamard bit, real reports of $10^8$ people and tallies drawn by law of $10^9$ have the errors that theory predicts.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-collect-error", "caption": "Root mean square error of a share, k = 1,024, ε = 1. Lines: theory. Filled: reports of the recorded run. Open: tallies by law (OLH: each item alone). Dotted: the share of the rarest item."}, "image": {"alt": "Log-log plot of root mean square error in points against the number of people from ten thousand to a billion. Three parallel lines fall with slope minus one half, k-RR far above Hadamard bit and OLH, which nearly coincide. Markers lie on the lines. A dotted horizontal line marks the rarest item's share."}}
mechanisms = {name: kind(k=K, epsilon=1.0) for name, kind in study.SERVERS.items()}
grid = 10 ** np.arange(4, 10)


def theory(mechanism, n):
    """Root mean square error of a share, in points, with n people after Zipf's law."""
    own, other = mechanism.variance(np.array([0]))[0, :2]
    return 100 * sqrt(np.mean(own * ZIPF + other * (1 - ZIPF)) / n)


def by_law(mechanism, n):
    """The error of one tally by law, in points."""
    counts = rng.multinomial(n, ZIPF)
    draw = getattr(mechanism, "simulate", mechanism.simulate_marginals)
    return 100 * sqrt(np.mean((mechanism.estimate(draw(counts, trials=1, rng=rng))[0] - counts / n) ** 2))


fig, ax = plt.subplots(figsize=(6.4, 4.2))
drawn = {name: [by_law(mechanism, n) for n in grid] for name, mechanism in mechanisms.items()}
for i, (name, mechanism) in enumerate(mechanisms.items()):
    seen = runs[runs["mechanism"] == name]
    ax.plot(grid, [theory(mechanism, n) for n in grid], **line(i))
    ax.plot(seen["n"], 100 * seen["error"], **dots(i), label=f"{name}, reports")
    ax.plot(
        grid,
        drawn[name],
        **dots(i) | {"markerfacecolor": "white", "markersize": 9, "zorder": 1.5},
        label=f"{name}, law",
    )
ax.axhline(100 * ZIPF[-1], color="black", linestyle=":", linewidth=1, marker="")
ax.text(1e4, 100 * ZIPF[-1] * 1.15, "share of the rarest item", fontsize=11)
ax.set(xscale="log", yscale="log", xlabel="people", ylabel="root mean square error, points")
fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=10)
plt.show()

# %% tags=["hide-input"]
allowed = sqrt(chi2.isf(1e-7, K) / K)  # a sum of K squared errors; of OLH by law it has no simple distribution


def fits(eps):
    """Whether recorded errors at 10⁸ people and those by law at 10⁹ people are as the theory at this ε says."""
    right = {name: replace(mechanisms[name], epsilon=eps) for name in ("k-RR", "Hadamard bit")}
    ratios = [100 * full.loc[name, "error"] / theory(mechanism, 10**8) for name, mechanism in right.items()]
    ratios += [drawn[name][-1] / theory(mechanism, 10**9) for name, mechanism in right.items()]
    return [bool(1 / allowed < ratio < allowed) for ratio in ratios]


check(
    "A billion",
    f"10⁸ real reports and 10⁹ people by law: error within {100 * (allowed - 1):.0f} % of theory, k-RR and Hadamard bit",
    all(fits(1.0)),
    control="the theory of ε = 1.5",
    caught=not any(fits(1.5)),
)

# %% [markdown]
# (sec-collect-wrong)=
# ## What if reports are lost or counted twice?
#
# If a share λ of the reports is lost, the estimate is about the people who are left.
# It is off by λ times the difference between these people and the others, and no error bar shows this.
# Suppose those whose reports are lost differ by ten points, and a share near one half is estimated from reports of one Hadamard bit at ε = 1 ({prf:ref}`thm-onebit`).
# The cell prints the standard error, and the λ above which the bias is larger:

# %%
for n in (10**4, 10**6, 10**8, 10**9):
    standard = sqrt((1 / np.tanh(0.5) ** 2 - 0.5) / n)  # √((c² − f)/n)
    lost = standard / 0.1
    print(f"{n:13,} people: {100 * standard:.4f} points, λ = {100 * lost:.3f} %")

# %% [markdown]
# - *Losses are not random.* A file comes from one region, or from one version of the app.
#   So publish the number of reports with each share.
# - *Twice.* `collect` recognises copies of a file, but not the same reports written into two files.
#   Let exactly one writer write each report.
# - *Other questions, waves or ε.* Give each question its own label, and each wave its name: `wave="2026-W48"`.
#   Reports at another ε are another mechanism: join the estimates with weights ({ref}`ch-changing`).
# - *Days.* Sort reports by the day of their arrival, by the server's clock.
#   Put no time stamps into files: together with a log of connections they identify people.
# - *Deleting.* Reports carry no names, so you can delete a partition, but not one person's report.
#   The seed of an OLH or wheel report is a pseudonym, though: anybody who kept it with a name finds the report.
# - *Large counts.* A tally holds 64-bit integers and refuses $2^{53}$ reports or more.
