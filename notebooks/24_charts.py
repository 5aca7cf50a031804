# %% [markdown]
# (ch-charts)=
# # Charts from a stream
#
# *After {cite:t}`wang2024dynamic` §3.3.*
#
# :::{admonition} In one minute
# A mechanism whose client knows no list of keys lets the server ask what it likes, when it likes.
# That makes charts possible whose keys come and go every day: a chart of new songs, a list of hot searches, and an answer today, from yesterday's reports, to a question that nobody had thought of yesterday.
#
# The statistics need care where the paper is silent.
# What chose a key must not also measure it; a list of a thousand keys needs a higher bar than a single one; and a person who reports every day spends ε every day.
# If the budget of a week is fixed, asking a seventh of the people each day is far better than giving everybody a seventh of the budget each day.
# :::
#
# :::{zh}
# 用户端不依赖键的列表时，服务器可以随时决定统计什么，甚至用昨天的报告回答今天才提出的问题。
# 本章据此实现王凤祥文中的两个场景，即新歌榜与热搜榜，机制取本书对 Wheel-KV 的重构；报告由真实的用户端逐人生成、存入文件再行计数，用户本身则是模拟的。
# 新歌榜的论断得到复现：用户端无须改动，服务器只需增删列表中的歌曲。
# 热搜榜的两级扫描在条件下复现：频率按 Zipf 律下降时，最频繁的百分之一都在先选出的十分之一之中，频率相差不大时则不然；手工加入突发热词得到复现。
# “只统计频繁的键可节省通信与计算”在条件下复现：对 Wheel-KV，节省的是服务器的计算，通信量与列表无关。
# 本章另证三条定理：列表会放过多少虚假的键，重复上报消耗多少隐私，以及预算如何分配。
# 一周的总预算固定时，每天询问七分之一的用户，远优于每天给每人七分之一的预算。
# 原文未说明每人上报几次；每次重新扰动，$T$ 份报告合计恰好消耗 $T\varepsilon$。
# :::
#
# You will meet a small system on real files, with reports drawn by real clients, and three theorems: how many false keys a list lets through, what repeated reports cost, and how to spread them over people.
# *Real* reports are reports that the package's client drew, one for each person and under a real hash; the people themselves are simulated.
# From {ref}`ch-wheel` you need Wheel-KV, from {ref}`ch-changing` the weights of batches.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
import tempfile
from dataclasses import fields
from math import ceil, exp, log, sqrt
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import binom, norm, t as student

from ldpnb import PCKVUE, Records, WheelKV, epsilon, laws, moments, pick, same_law, save, toss
from ldpnb.book import check, settle, style, table
from ldpnb.book.diagram import PLAIN, SAND, SKY, arrow, board, border, box, frame
from ldpnb.hashing import digest
from ldpnb.keyvalue import Holdings, batches, clipped_mean, exposed, latest, mean_of, steady
from ldpnb.serve import collect
from ldpnb.verify import one_person

style()
SEED = 33  # the paper's §3.3
charts_rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-charts-pipeline)=
# ## One pipeline
#
# The paper's §3.3 has two uses for a client without a list of keys: a chart of new songs, and a list of hot searches.
# It describes both by flow diagrams, which our text lacks, and a few sentences; its experiments are about the scan of frequent keys alone ({ref}`sec-changing-list`).
# We build both, with titles and queries as strings, real reports, and the error of every number.
#
# The two are one pipeline, {numref}`fig-charts-pipeline`.
# A person's device sends one Wheel-KV report ({ref}`sec-wheelkv`): a public seed and one slot.
# Reports are kept as they came, a Parquet file for each day.
# What is to be counted is decided afterwards, by a *list* that lives on the server alone.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-charts-pipeline", "caption": "Both charts, after the words of §3.3 (Figs. 1 and 2 are missing from our text). Upper row: what happens to a report, the same on every day. Lower row: who edits the list of keys. Nothing that happens below the files, and nothing right of them, is known to the device, so that none of it can change what the device sends."}, "image": {"alt": "Flow diagram. Upper row from left to right: person, Wheel-KV client, files by day, tally, estimate, chart. A dashed line between client and files separates the device from the collector. Lower row: three boxes, releases and expiries, top of a rare full scan, and keys added by hand, lead to a box list of keys, which leads up to the tally."}}
fig, ax = plt.subplots(figsize=(6.4, 3.3))
board(ax)
for shift in (0.024, 0.012, 0):  # a stack of files
    frame(ax, 0.415 + shift, 0.63 + 2 * shift, 0.11, 0.17, PLAIN)
ax.text(0.47, 0.715, "reports\nof day 3", ha="center", va="center", fontsize=10)
for x, text, paint in (
    (0.07, "person\n{song: like}", SKY),
    (0.245, "Wheel-KV\nε, m, N", SAND),
    (0.625, "tally", PLAIN),
    (0.775, "estimate", PLAIN),
    (0.93, "chart", PLAIN),
):
    box(ax, x, 0.715, text, paint, 10)
for start, end in ((0.148, 0.183), (0.308, 0.41), (0.558, 0.59), (0.66, 0.712), (0.838, 0.89)):
    arrow(ax, (start, 0.715), (end, 0.715))
ax.text(0.47, 0.55, "seed, slot", ha="center", va="center", fontsize=10)
box(ax, 0.625, 0.40, "list of keys", SKY, 10)
arrow(ax, (0.625, 0.465), (0.625, 0.655))
for x, text in ((0.3, "releases and\nexpiries"), (0.625, "top of a rare\nfull scan"), (0.9, "added\nby hand")):
    box(ax, x, 0.08, text, PLAIN, 10)
arrow(ax, (0.4, 0.16), (0.545, 0.35))
arrow(ax, (0.625, 0.17), (0.625, 0.335))
arrow(ax, (0.84, 0.16), (0.71, 0.35))
border(ax, 0.365, 0.3, 0.9, "device", "collector")
plt.show()

# %% [markdown]
# | symbol | meaning |
# |---|---|
# | $f, s$ | share of people who hold a key; the same times the mean of its values |
# | $\hat f, \hat s$ | their unbiased estimates ({prf:ref}`thm-wheelkv-estimate`) |
# | $n, m, N$ | people who report, pairs that a report speaks for, slots |
# | $L$ | keys on a list |
# | $T, B$ | days, and the budget of a person for all of them |
#
# A key is *rare* if hardly anybody holds it; its noise is that of a key that nobody holds.
#
# The device knows ε, $m$ and $N$ and nothing else.
# These are its few lines, and the collector's.

# %%
CLIENT = WheelKV(epsilon=2.0, m=4)


def file_reports(path, people, rng):
    """What people's devices send on one day, as it arrives on disk."""
    save(CLIENT.perturb(people, rng=rng), path, CLIENT)


def count(path, names):
    """Estimates of share and of share × mean for a list of names, (2, k), and their spread."""
    seen = collect(CLIENT, [path], names).tally
    found = CLIENT.estimate(seen)
    return found, CLIENT.plug_in(found, seen.n)


# %% tags=["hide-input"]
kept = tempfile.TemporaryDirectory()  # removed in the last cell
FOLDER = Path(kept.name)
print(f"ε = {CLIENT.epsilon:g}, m = {CLIENT.m}: a circle of N = {CLIENT.slot_count} slots, {CLIENT.report_bits} bits")

# %% [markdown]
# (sec-charts-songs)=
# ## A chart of new songs
#
# A key is the title of a song, its value how much a listener likes it, from −1 to 1.
# A song is *new* for five days, and the chart is about new songs only.
# Twelve songs are released every day and twelve expire, so that 60 are on the list.
# Every day 50,000 *other* listeners report once each, on up to $m = 4$ songs that they played, so that ε = 2 is all that anybody spends; {ref}`sec-charts-repeat` is about the same people every day.
# About a quarter of what people play are older songs.
# They are in the reports like all others, and nobody counts them.

# %% tags=["hide-input"]
DAYS, LIFE, DAILY, LISTENERS = 7, 5, 12, 50_000
RELEASED = np.repeat(np.arange(2 - LIFE, DAYS + 1), DAILY)  # day of release of each new song
NEW = len(RELEASED)
TITLES = [f"song-{j:03}" for j in range(NEW)] + [f"older-{j:03}" for j in range(500)]
TITLE_KEYS = digest(TITLES)
songs_rng, songs_devices, searches_rng, searches_devices, panels_rng = charts_rng.spawn(5)
appeal = np.exp(songs_rng.normal(0, 0.9, NEW))
growth = songs_rng.choice([0.75, 1.0, 1.3], NEW)  # a day
liking = np.append(songs_rng.uniform(-0.6, 0.9, NEW), np.zeros(500))
RISER, STAR, FADER, EVEN = (int(np.flatnonzero(RELEASED == day)[0]) for day in (3, 5, 1, 2))
STEADY = RISER + 1  # released on the same day
appeal[[RISER, STAR, FADER, EVEN, STEADY]] = 5, 16, 6, 5, 4
growth[[RISER, STAR, FADER, EVEN, STEADY]] = 1.6, 1.0, 0.7, 1.0, 1.0
liking[[RISER, STAR, FADER, EVEN, STEADY]] = 0.6, 0.7, 0.3, 0.5, 0.2


def on_list(day):
    """Numbers of the songs that are new on this day."""
    return np.flatnonzero((day - LIFE < RELEASED) & (day >= RELEASED))


def listeners(day, rng):
    """Songs that people played on this day, and how they liked them."""
    weights = np.zeros(len(TITLES))
    live, gone = on_list(day), np.flatnonzero(RELEASED <= day - LIFE)
    lively = appeal[live] * growth[live] ** (day - RELEASED[live] - 2)
    weights[live] = 0.75 * lively / lively.sum()
    old = np.append(gone, np.arange(NEW, len(TITLES)))
    weights[old] = 0.25 / len(old)
    played = rng.choice(len(TITLES), (LISTENERS, CLIENT.m), p=weights)
    pairs = np.unique(np.arange(LISTENERS)[:, None] * len(TITLES) + played)  # a song played twice counts once
    user, title = np.divmod(pairs, len(TITLES))
    values = np.clip(liking[title] + rng.normal(0, 0.4, len(title)), -1, 1)
    shares = np.bincount(title, minlength=len(TITLES)), np.bincount(title, values, len(TITLES))
    return Records.from_arrays(user, TITLE_KEYS[title], values, n=LISTENERS), np.stack(shares) / LISTENERS


# %% [markdown]
# The seven days, and the chart of each.
# Behind a single estimate ± is 1.96 standard errors, behind a mean of repetitions one.
# When a song is released its title goes on the list; when it expires, it is struck off.

# %%
audience, truths, song_charts = {}, {}, {}
for day in range(1, DAYS + 1):
    audience[day], truths[day] = listeners(day, songs_rng)
    file_reports(FOLDER / f"songs-{day}.parquet", audience[day], songs_devices)
    song_charts[day] = count(FOLDER / f"songs-{day}.parquet", [TITLES[j] for j in on_list(day)])

# %% tags=["hide-input"]
wide = [TITLES[j] for j in on_list(DAYS)] + ["not a song at all", *TITLES[NEW:]]
day_file = FOLDER / f"songs-{DAYS}.parquet"
narrow_counts = collect(CLIENT, [day_file], wide[:60]).tally.counts
check(
    "Any list",
    f"60 titles counted alone and among {len(wide)}: the same counts",
    np.array_equal(narrow_counts, collect(CLIENT, [day_file], wide).tally.counts[:60])
    and np.array_equal(CLIENT.estimate(collect(CLIENT, [day_file], wide[:60]).tally), song_charts[DAYS][0]),
    control="the day before",
    caught=not np.array_equal(narrow_counts, collect(CLIENT, [FOLDER / "songs-6.parquet"], wide[:60]).tally.counts),
)

# %% [markdown]
# ### By what to rank
#
# A chart may go by how many people play a song, the share $f$.
# Or it may go by how many play it *and* like it.
# A mean would be the wrong measure: it is a ratio, and the highest estimated means are those of songs whose share cannot be told from zero ({ref}`sec-charts-exercises`).
# The sum
#
# $$ \begin{aligned} \hat\lambda &= \frac{\hat f + \hat s}{2}, \qquad \E\hat\lambda = \frac{f+s}{2}, \\
# \Var\hat\lambda &= \tfrac14\big(\Var\hat f + \Var\hat s + 2\operatorname{Cov}(\hat f, \hat s)\big) \end{aligned} $$ (eq-charts-likes)
#
# has no ratio, is exactly unbiased as long as nobody has more than $m$ songs, and says what one wants to know: the share of people with the song in their record and a + for its sign.
# A holder of value $v$ counts as $\frac{1+v}{2}$, one if she loves the song and nothing if she hates it.


# %%
def score(found):
    """Share of people who play a song and like it."""
    return (found[0] + found[1]) / 2


def score_error(spread):
    """Its standard error."""
    return np.sqrt(spread.variance.sum(-2) + 2 * spread.covariance) / 2


def top(numbers, names, size=10):
    """The names with the largest numbers."""
    return [names[j] for j in np.argsort(-numbers, kind="stable")[:size]]


# %% tags=["hide-input"]
def likes_table(day):
    """The chart of one day, beside the truth."""
    live = on_list(day)
    found, spread = song_charts[day]
    right = truths[day][:, live]
    best = list(np.argsort(-score(right), kind="stable"))
    return pd.DataFrame(
        [
            {
                "rank": str(place + 1),
                "song": TITLES[live[j]],
                "plays": f"{found[0, j]:.3f} ± {1.96 * sqrt(spread.variance[0, j]):.3f}",
                "true plays": f"{right[0, j]:.3f}",
                "plays and likes": f"{score(found)[j]:.3f} ± {1.96 * score_error(spread)[j]:.3f}",
                "true likes": f"{score(right)[j]:.3f}",
                "true rank": str(best.index(j) + 1),
            }
            for place, j in enumerate(np.argsort(-score(found), kind="stable")[:10])
        ]
    )


table(likes_table(DAYS))

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-charts-songs", "caption": "Four songs of the chart: the share of people who play and like them on each day that they are new, estimated from 50,000 reports a day at ε = 2 with 95 % bars (dots), and the truth (lines). Each begins on the day when its title was put on the list; no device was told. On day 5 one song enters at the top, where a list of the day before does not have it.", "width": "100%"}, "image": {"alt": "Dots with error bars for four songs over seven days, each over five days or to the end of the week. One falls from 0.21 to 0.04, one stays near 0.08, one rises from 0.04 to 0.2, one starts on day 5 far above the others. Nearly all bars contain the lines of the truth."}}
fig, ax = plt.subplots(figsize=(6.4, 3.9))
for i, (j, what) in enumerate(((FADER, "falls"), (EVEN, "level appeal"), (RISER, "rises"), (STAR, "enters on top"))):
    days = [day for day in range(1, DAYS + 1) if j in on_list(day)]
    spots = {day: int(np.flatnonzero(on_list(day) == j)[0]) for day in days}
    ax.plot(days, [score(truths[day])[j] for day in days], color=f"C{i}", marker="")
    ax.errorbar(
        np.array(days) + 0.04 * (i - 1.5),
        [score(song_charts[day][0])[spots[day]] for day in days],
        yerr=[1.96 * score_error(song_charts[day][1])[spots[day]] for day in days],
        fmt="os^D"[i],
        markersize=5,
        color=f"C{i}",
        label=f"{TITLES[j]}: {what}",
    )
ax.set(xlabel="day", ylabel="share who play and like it", xlim=(0.7, 7.4), ylim=(0, None))
fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
plt.show()

# %% [markdown]
# ### How good is the chart, and what if the list is stale
#
# *Precision at ten* is how many of the estimated top ten are among the true ten.
# Against it stands a mechanism whose devices have to be told about new keys, and learn of them a day late.
# Its chart has no song that was released today.
# We give it the same reports and the same noise, and only strike those songs off, which is generous.
# The 7 days are run 20 times, with the same listeners and fresh coins.


# %% tags=["hide-input"]
def precision(numbers, right, names, allowed=None):
    """How many of the top ten of `numbers`, among the allowed names, are in the true top ten."""
    kept_names = names if allowed is None else [name for name in names if name in allowed]
    places = [names.index(name) for name in kept_names]
    return len(set(top(numbers[places], kept_names)) & set(top(right, names)))


RUNS = 20
precisions, errors_of = np.zeros((RUNS, DAYS, 3)), {}
for day in range(1, DAYS + 1):
    names = [TITLES[j] for j in on_list(day)]
    known = {TITLES[j] for j in on_list(day - 1)}
    right = truths[day][:, on_list(day)]
    exact = CLIENT.spread(audience[day], items=names)
    errors_of[day] = np.sqrt(exact.variance[0])
    for run in range(RUNS):
        found = CLIENT.estimate(CLIENT.tally(CLIENT.perturb(audience[day], rng=songs_devices), names))
        precisions[run, day - 1] = (
            precision(found[0], right[0], names),
            precision(score(found), score(right), names),
            precision(score(found), score(right), names, known),
        )


def with_error(x, digits=1):
    """Mean of several runs, and its standard error."""
    return f"{np.mean(x):.{digits}f} ± {np.std(x, ddof=1) / sqrt(len(x)):.{digits}f}"


hidden = [
    10 - precision(*[score(truths[day][:, on_list(day)])] * 2, list(on_list(day)), set(on_list(day - 1)))
    for day in range(1, DAYS + 1)
]
table(
    pd.DataFrame(
        [
            {
                "day": str(day),
                "right of 10, by plays": with_error(precisions[:, day - 1, 0]),
                "by likes": with_error(precisions[:, day - 1, 1]),
                "by likes, list a day old": with_error(precisions[:, day - 1, 2]),
                "of the true ten released today": str(hidden[day - 1]),
            }
            for day in range(1, DAYS + 1)
        ]
    )
)

# %% tags=["hide-input"]
by_plays, by_likes, by_stale = precisions.mean((0, 1))
print(
    f"mean of the week: {by_plays:.1f} of 10 by plays, {by_likes:.1f} by likes, {by_stale:.1f} by likes with a stale list"
)
top_song = int(np.argmax(score(right)))  # of day 7, where the covariance is a large part of the variance
held = {"both": exact.variance.sum(-2)[top_song], "covariance": 2 * exact.covariance[top_song]}
print(
    f"day 7, most liked song: the covariance is {held['covariance'] / (held['both'] + held['covariance']):.0%} of the variance"
)

# %% tags=["hide-input"]
small = WheelKV(epsilon=2.0, m=1, slots=5, table=1)


def likes_in(report):
    """The score of likes of the only song, from one report."""
    return score(small.estimate(small.tally(np.array([report], small.dtype), [0])))[0]


VALUES = (1.0, 0.5, 0.0, -1.0)
by_law = np.transpose(moments(one_person(small), [{0: v} for v in VALUES], score=likes_in))
by_formula = [((1 + v) / 2, float(score_error(small.spread(Records.of({0: v}), items=[0]))[0]) ** 2) for v in VALUES]
no_covariance = [small.spread(Records.of({0: v}), items=[0]).variance.sum() / 4 for v in VALUES]
check(
    "Likes",
    "exact law of one report, four values: mean (1 + v)/2, and the variance of the formula",
    np.allclose(by_law, by_formula, atol=1e-9),
    control="without the covariance",
    caught=not np.allclose([variance for _, variance in by_law], no_covariance, atol=0.01),
)

# %% [markdown]
# What goes wrong in the live chart is noise at the tenth place, where neighbours differ by about a standard error or less.
# What goes wrong in the stale one is missing songs, and no number of people mends that.
# (On a day when nothing new is in the true ten it may even win, having fewer songs to choose from.)

# %% [markdown]
# (sec-charts-weeks)=
# ### A song has several days
#
# A song's days are batches, and `ldpnb.keyvalue.changing` puts them together.
# The question decides about the weights: `latest` answers for today, `exposed` for all people who reported since the release.
# Only where the share does not change are the two the same question.
# Then `steady` has the least variance for rare keys; with one mechanism on all days a batch's variance is inverse to its number of people, and `steady` is `exposed`.
# (They differ if, say, an older app still sends reports at another ε.)
# In the table one interval misses the truth, as five of a hundred do.

# %% tags=["hide-input"]
life = range(3, DAYS + 1)
lists = {day: [TITLES[j] for j in on_list(day)] for day in life}
together = batches([collect(CLIENT, [FOLDER / f"songs-{day}.parquet"], lists[day]).tally for day in life])
exactly = batches(
    [collect(CLIENT, [FOLDER / f"songs-{day}.parquet"], lists[day]).tally for day in life],
    spreads=[CLIENT.spread(audience[day], items=lists[day]) for day in life],
)
rows = []
for j in (RISER, STEADY):
    column = together.items.index(TITLES[j])
    row = {"song": TITLES[j]}
    for label, weights, true_days in (
        ("today", latest, [DAYS]),
        ("all five days", exposed, list(life)),
    ):
        found, spread = together.weighted(weights(together))
        row[f"{label}: estimate"] = f"{found[0, column]:.3f} ± {1.96 * sqrt(spread.variance[0, column]):.3f}"
        row[f"{label}: truth"] = f"{np.mean([truths[day][0, j] for day in true_days]):.3f}"
    rows.append(row)
print(f"{TITLES[RISER]} rises, {TITLES[STEADY]} has level appeal; both were released on day 3")
check(
    "Weights",
    f"{len(together.items)} songs of days 3 to 7, one mechanism: steady = exposed",
    np.allclose(steady(together), exposed(together)),
    control="latest",
    caught=not np.allclose(latest(together), exposed(together)),
)
table(pd.DataFrame(rows))

# %% [markdown]
# Who asks about today and pools all the same, trades noise for bias.
# With $A$ days of equal size and variance $v$ each, the mean square error is $v$ for `latest` and $v/A + \delta^2$ for `exposed`, δ being the distance of the song's mean share from today's.
# So pooling is better for today's share exactly if
#
# $$ \delta^2 < v\,\Big(1 - \frac1A\Big). $$ (eq-charts-pooling)
#
# The collector does not know δ, and weights that are chosen by looking at the estimates no longer make an unbiased sum.
# So the question has to come first.

# %% tags=["hide-input"]
today = [j for j in on_list(DAYS) if RELEASED[j] < DAYS]
columns = [exactly.items.index(TITLES[j]) for j in today]
errors = {}
for weights in (latest, exposed):
    mean_truth = np.array(
        [
            sum(w * truths[day][0, j] for w, day in zip(weights(exactly)[:, c], life, strict=True))
            for j, c in zip(today, columns, strict=True)
        ]
    )
    drift = mean_truth - truths[DAYS][0, today]
    errors[weights.__name__] = exactly.weighted(weights(exactly))[1].variance[0, columns] + drift**2
pooled_better = errors["exposed"] < errors["latest"]
now_variance = exactly.weighted(latest(exactly))[1].variance[0, columns]
lived = exactly.alive[:, columns].sum(0)
gains = np.array([growth[j] for j in today])
for name, group in (("level", gains == 1.0), ("rising or falling", gains != 1.0)):
    print(
        f"{name}: pooling is closer to today's share for {pooled_better[group].sum()} of {group.sum()} songs; "
        f"root mean square error {sqrt(errors['latest'][group].mean()):.4f} latest, {sqrt(errors['exposed'][group].mean()):.4f} exposed"
    )

# %% [markdown]
# (Expected errors, from the exact variances and the true shares.
# The share of a level song moves, too, when others come and go.
# Pooling wins for many a moving song as well, because most songs are rare, and then noise is worse than drift; it loses where the song is large, and there by much.)

# %% tags=["hide-input"]
check(
    "Pooling",
    f"{len(today)} songs: pooling is better exactly where δ² < v(1 − 1/A)",
    np.array_equal(pooled_better, drift**2 < now_variance * (1 - 1 / lived)),
    control="δ² < v",
    caught=not np.array_equal(pooled_better, drift**2 < now_variance),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "wang2024.scene-songs",
    holds={
        "in-and-out": all(
            np.abs((song_charts[day][0][0] - truths[day][0, on_list(day)]) / errors_of[day]).max() < 6
            for day in range(1, DAYS + 1)
        ),
        "old-list": by_likes > by_stale,
        "same-counts": np.array_equal(narrow_counts, collect(CLIENT, [day_file], wide).tally.counts[:60]),
    },
)

# %% [markdown]
# (sec-charts-search)=
# ## A list of hot searches
#
# There are too many queries to scan them all every few minutes.
# The paper proposes two levels: rarely, a scan of all keys, of which the most frequent tenth is kept; often, a scan of this tenth only, to find the top hundredth; and sudden hot words are added to the short list by hand.
#
# Here are 1,000 queries whose shares follow Zipf's law with exponent 1.1, and 200,000 people a day with up to four queries each; the value says how content the person was with what she found.
# Monday's reports are scanned in full; Tuesday's, which come from other people, for the short list.
# Overnight a query that was among the rare ones on Monday becomes the talk of the day.
# (On Monday there is one query more, which nobody has thought of listing; {ref}`sec-charts-later` is about it, and until then *true* means true among the 1,000: a full scan is only as full as its list.)

# %% tags=["hide-input"]
D, SEARCHERS, SHORT, HOT = 1000, 200_000, 100, 10
QUERIES = [f"query-{j:03}" for j in range(D)]
NEWS = "power cut in the north"  # on no list yet; see below
QUERY_KEYS = digest([*QUERIES, NEWS])
place = searches_rng.permutation(D)  # popularity, 0 for the most popular
BURST = int(np.flatnonzero(place == 700)[0])
content = searches_rng.uniform(-0.5, 0.8, D + 1)


def searches(weights, rng):
    """Queries of people who draw up to four, and the shares of all queries."""
    asked = rng.choice(len(weights), (SEARCHERS, CLIENT.m), p=weights / weights.sum())
    user, query = np.divmod(np.unique(np.arange(SEARCHERS)[:, None] * len(weights) + asked), len(weights))
    values = np.clip(content[query] + rng.normal(0, 0.4, len(query)), -1, 1)
    shares = np.bincount(query, minlength=len(weights)), np.bincount(query, values, len(weights))
    return Records.from_arrays(user, QUERY_KEYS[query], values, n=SEARCHERS), np.stack(shares) / SEARCHERS


zipf = np.append((1 + place) ** -1.1, 0)
zipf[D] = 0.02 * zipf.sum()
monday, monday_truth = searches(zipf, searches_rng)
burst = zipf.copy()
burst[BURST], burst[D] = 0.03 * zipf.sum(), 0
tuesday, tuesday_truth = searches(burst, searches_rng)

# %%
sent = CLIENT.perturb(monday, rng=searches_devices)
save(sent, FOLDER / "monday.parquet", CLIENT)
full, full_spread = count(FOLDER / "monday.parquet", QUERIES)
short = top(full[0], QUERIES, SHORT)

file_reports(FOLDER / "tuesday.parquet", tuesday, searches_devices)
automatic, _ = count(FOLDER / "tuesday.parquet", short)
by_hand = list(dict.fromkeys([*short, QUERIES[BURST]]))
edited, edited_spread = count(FOLDER / "tuesday.parquet", by_hand)

# %% tags=["hide-input"]
contentment = mean_of(edited, edited_spread)
true_hot = top(tuesday_truth[0, :D], QUERIES, HOT)
rows = []
for rank, name in enumerate(top(edited[0], by_hand, HOT)):
    j, k = by_hand.index(name), QUERIES.index(name)
    rows.append(
        {
            "rank": str(rank + 1),
            "query": name + (" (added by hand)" if k == BURST else ""),
            "share": f"{edited[0, j]:.3f} ± {1.96 * sqrt(edited_spread.variance[0, j]):.3f}",
            "true share": f"{tuesday_truth[0, k]:.3f}",
            "mean": f"{contentment.mean[j]:.2f} ± {1.96 * contentment.error[j]:.2f}".replace("-", "−"),
            "true mean": f"{tuesday_truth[1, k] / tuesday_truth[0, k]:.2f}".replace("-", "−"),
            "true rank": str(true_hot.index(name) + 1) if name in true_hot else "> 10",
        }
    )
table(pd.DataFrame(rows))

# %% [markdown]
# Repeated 12 times with fresh coins on both days, this is how often each step finds what it should.
# *On the list* asks whether the true top ten of Tuesday were counted at all; *reported* whether they were also estimated among the first ten.


# %% tags=["hide-input"]
def half_gaussian(d):
    """Shares that are nearly level at the top: a half of a bell, three standard deviations wide."""
    return np.exp(-0.5 * (3 * place / d) ** 2)


flat, flat_truth = searches(np.append(half_gaussian(D), 0), searches_rng)
flat_hot = top(flat_truth[0, :D], QUERIES, HOT)
usual_hot = top(monday_truth[0, :D], QUERIES, HOT)
COLD = [QUERIES[j] for j in np.flatnonzero(np.abs(place - 700) <= 100) if j != BURST]
found_by = {
    name: [] for name in ("usual", "listed", "reported", "listed by hand", "reported by hand", "burst", "lucky")
}
excess, shares_listed = {"same": [], "fresh": []}, []
SEARCH_RUNS = 12
for _ in range(SEARCH_RUNS):
    full_run = CLIENT.estimate(CLIENT.tally(CLIENT.perturb(monday, rng=searches_devices), QUERIES))[0]
    order = np.argsort(-full_run, kind="stable")[:SHORT]
    chosen = [QUERIES[j] for j in order]
    again = CLIENT.estimate(CLIENT.tally(CLIENT.perturb(monday, rng=searches_devices), chosen))[0]
    shares_listed.append(monday_truth[0, order])
    excess["same"].append(full_run[order] - monday_truth[0, order])
    excess["fresh"].append(again - monday_truth[0, order])
    more = list(dict.fromkeys([*chosen, QUERIES[BURST]]))
    seen = CLIENT.estimate(CLIENT.tally(CLIENT.perturb(tuesday, rng=searches_devices), more))[0]
    for name, listed, hot in (
        ("usual", chosen, usual_hot),
        ("listed", chosen, true_hot),
        ("listed by hand", more, true_hot),
        ("reported", top(seen[: len(chosen)], chosen), true_hot),
        ("reported by hand", top(seen, more), true_hot),
        ("burst", top(seen, more), [QUERIES[BURST]]),
        ("lucky", chosen, COLD),
    ):
        found_by[name].append(len(set(listed) & set(hot)))
found_by["flat"] = []
for _ in range(8):
    bell = CLIENT.estimate(CLIENT.tally(CLIENT.perturb(flat, rng=searches_devices), QUERIES))[0]
    found_by["flat"].append(len(set(top(bell, QUERIES, SHORT)) & set(flat_hot)))
print(
    f"of the {len(COLD)} other queries that were about as cold as it, {np.mean(found_by['lucky']) / len(COLD):.1%} were on Monday's list by luck"
)
table(
    pd.DataFrame(
        [
            {"of the true top ten": what, "Monday's top tenth": with_error(found_by[a]), "with the burst added": b}
            for what, a, b in (
                ("Monday's ten on the list", "usual", "—"),
                ("Tuesday's ten on the list", "listed", with_error(found_by["listed by hand"])),
                ("Tuesday's ten reported", "reported", with_error(found_by["reported by hand"])),
                ("ten of 1,000 with nearly level shares", "flat", "—"),
            )
        ]
    )
)

# %% [markdown]
# A query that was cold on Monday is not on Monday's list, however hot it is on Tuesday, unless by luck: a list of the first hundred of a noisy thousand has some queries on it whose estimate happened to be large.
# Added by hand it is found, from reports that were under way before anybody added it, and the scan has one key more, 101 instead of 100.
#
# The two levels need shares that fall fast.
# Zipf's top hundredth stands well above the last places of the short list.
# Where shares are nearly level, here a half Gaussian over the 1,000 queries, the top tenth of a noisy scan misses most of the top hundredth (8 runs).
#
# What is saved is the server's work, which is in proportion to the list.
# The devices' is the same: a report has six bits and a seed whether it is scanned for a hundred keys or for a thousand.
# (The paper speaks of communication, too.
# That is right of a vector with an entry for each key.)

# %% [markdown]
# (sec-charts-guard)=
# ### A guard against noise
#
# The first hundred of a thousand is a fixed size, whatever there is to find.
# A *guard* keeps what is unlikely to be noise: with $\sigma_0$ the standard error of $\hat f$ for a key that nobody holds and $L \ge 2$ keys on the list, keep
#
# $$ \hat f > z_L\,\sigma_0, \qquad z_L = \sqrt{2\ln L}. $$ (eq-charts-guard)
#
# :::{prf:theorem} What the guard promises
# :label: thm-charts-guard
# Let the slots of any $m+1$ keys be independent and uniform, people's hashes independent of each other, and the list fixed without looking at these reports.
# Let $L_0$ of its $L$ keys be held by nobody.
# The expected number of those that pass is exactly
#
# $$ L_0 \cdot \Pr\Big[X > \tfrac{2n}{N} + z_L\sqrt{\tfrac{2n}{N}\big(1-\tfrac2N\big)}\Big], \qquad X \sim \mathrm{Bin}\big(n, \tfrac2N\big), $$
#
# however the estimates of different keys depend on each other.
# As $n$ grows, the probability tends to a value below $\frac{1}{L\sqrt{4\pi\ln L}}$; so fewer than $\frac{1}{\sqrt{4\pi\ln L}} < 1$ are expected, and this also bounds the probability that any passes.
# :::
#
# :::{prf:proof}
# A report is a sign about a key that nobody holds with probability $2/N$ ({prf:ref}`thm-wheelkv-estimate`), and people are independent, so that the signs are $X$.
# $\hat f$ is $\frac Xn - \frac2N$ over a constant, and $\sigma_0$ is the standard deviation of $\frac Xn$ over the same constant, which cancels.
# Expectations add up whatever the dependence.
# The limit is the normal tail $\Pr[Z > z]$, which is below $\frac{1}{z\sqrt{2\pi}}e^{-z^2/2}$, and $e^{-z_L^2/2} = 1/L$.
# By Markov's inequality the probability of at least one is at most the expected number.
# :::
#
# At finite $n$ the normal limit is not a bound: with $2/N < \frac12$ a binomial leans to the right, and the table below has it above the limit's bound for large $L$.
# So set the threshold at the $1 - \eta/L$ quantile of the binomial if at most η false keys are to be expected.
# And mind the condition on the list: who scans a thousand keys, takes the first hundred and guards them with $L = 100$ *on the same reports* lets through what the thousand would have let through at the lower bar.
#
# For the check we count 400,000 queries that do not exist in 20,000 of Monday's reports, so that everything found is false.
# Under an ideal hash the slots of different made-up queries are independent, so that the number that pass is binomial as well.

# %% tags=["hide-input"]
INVENTED, PART = 400_000, 20_000
invented = [f"invented-{j}" for j in range(INVENTED)]
signs = CLIENT.tally(sent[:PART], invented).counts[:, [0, 2]].sum(1)
EMPTY = 2 / CLIENT.slot_count


def tail(z, n):
    """Probability that a key nobody holds is more than z standard errors above zero."""
    return binom.sf(n * EMPTY + z * sqrt(n * EMPTY * (1 - EMPTY)), n, EMPTY)


rows, inside, outside = [], [], []
for size in (3, 10, 100, 1000):
    z = sqrt(2 * log(size))
    false = int((signs > PART * EMPTY + z * sqrt(PART * EMPTY * (1 - EMPTY))).sum())
    low, high = binom.ppf([1e-8, 1 - 1e-8], INVENTED, tail(z, PART))
    inside.append(low <= false <= high)
    outside.append(not low <= int((signs > PART * EMPTY + 0.9 * z * sqrt(PART * EMPTY * (1 - EMPTY))).sum()) <= high)
    rows.append(
        {
            "L": f"{size:,}",
            "z": f"{z:.2f}",
            "false keys expected": f"{size * tail(z, PART):.3f}",
            "normal limit": f"{size * norm.sf(z):.3f}",
            "bound of the limit": f"{1 / sqrt(4 * np.pi * log(size)):.3f}",
            "seen, per list": f"{false * size / INVENTED:.3f}",
        }
    )
check(
    "Guard",
    "400,000 made-up queries, four thresholds: false keys within the binomial's limits (false alarm 1e-7)",
    all(inside),
    control="thresholds a tenth lower",
    caught=all(outside),
)
table(pd.DataFrame(rows))

# %% tags=["hide-input"]
sd_null = sqrt(full_spread.rare)
z_full = sqrt(2 * log(D))
passed = np.flatnonzero(full[0] > z_full * sd_null)
print(f"Monday's full scan: z = {z_full:.2f}, threshold {z_full * sd_null:.4f}, {len(passed)} of {D:,} queries pass")
print(f"the least frequent of them has a true share of {monday_truth[0, passed].min():.4f}")
least = min(edited[0, by_hand.index(name)] for name in top(edited[0], by_hand, HOT))
print(
    f"Tuesday's reported ten pass the guard of {len(by_hand)} keys: {least > sqrt(2 * log(len(by_hand)) * edited_spread.rare)}"
)
print(
    f"true shares below the threshold: {np.sum(monday_truth[0, passed] < z_full * sd_null)} of those that pass, "
    f"{np.sum(monday_truth[0, [QUERIES.index(name) for name in short]] < z_full * sd_null)} of the first hundred"
)

# %% [markdown]
# The guard speaks of keys that nobody holds.
# A query that a few people hold passes more often, and its share may still be far below the threshold, as the line above shows of the least frequent one.
# For the two levels guard and tenth do different things: a first list may be long and have noise on it, as the second scan will tell; what is published should have passed a guard.
#
# (sec-charts-curse)=
# ### The winner's curse
#
# A key is on the short list because its estimate was large, and an estimate is large because the share is or because the noise is.
# So the estimates that *made* the list are too large for the keys on it, although each by itself is unbiased.
# Fresh reports do not know about the list, and their estimates are unbiased for whatever is on it.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-charts-curse", "caption": "Mean error of the estimated share over the first hundred of 1,000 queries, by place on the list, ten places a dot: from the reports that made the list, and from fresh ones, 12 runs with 95 % bars; dashed, the true share of the queries in these places. At the very top queries stand apart and selection does nothing; further down the list's own numbers are too large, in its second half by more than the true share.", "width": "100%"}, "image": {"alt": "Two rows of dots against the place on the list. Fresh reports: on the zero line at all places. The same reports: near zero for the first ten places, then rising and staying between 0.007 and 0.01. A dashed line of true shares falls from above and crosses the upper dots near place 40."}}
curse = {name: np.array(runs).reshape(SEARCH_RUNS, 10, -1).mean(-1) for name, runs in excess.items()}
tens = np.arange(5.5, SHORT)[::10]
fig, ax = plt.subplots(figsize=(6.4, 3.9))
for i, (name, label) in enumerate((("same", "the reports that made the list"), ("fresh", "fresh reports"))):
    ax.errorbar(
        tens,
        curse[name].mean(0),
        yerr=1.96 * curse[name].std(0, ddof=1) / sqrt(SEARCH_RUNS),
        fmt="os"[i],
        markersize=5,
        color=f"C{i}",
        label=label,
    )
ax.plot(
    tens,
    np.mean(shares_listed, 0).reshape(10, -1).mean(-1),
    color="C2",
    marker="",
    linestyle="--",
    label="true share in these places",
)
ax.axhline(0, color="black", linewidth=1, linestyle="-", marker="")
ax.set(xlabel="place on the list", ylabel="mean error; true share", ylim=(-0.003, 0.018))
ax.legend()
plt.show()

# %% tags=["hide-input"]
drift_of = {name: np.array(runs).mean(1) for name, runs in excess.items()}
for name, label in (("same", "the reports that made the list"), ("fresh", "fresh reports")):
    print(f"{label}: mean error over the hundred {with_error(drift_of[name], 5)}")


def studentised(x):
    return abs(np.mean(x)) / (np.std(x, ddof=1) / sqrt(len(x)))


check(
    "Winner's curse",
    "12 lists: fresh reports unbiased for what is on the list (false alarm 1e-7)",
    studentised(drift_of["fresh"]) < student.isf(5e-8, SEARCH_RUNS - 1),
    control="the reports that made the list",
    caught=studentised(drift_of["same"]) > student.isf(5e-8, SEARCH_RUNS - 1),
)

# %% [markdown]
# The list is right to choose by these numbers; they only must not be read as shares.
# The paper does not say that the second scan reads fresh reports, though its words, a scan at long intervals and a count in real time, suggest it.
# If it read those of the first one, it would count nothing new: the estimates are the same to the last digit ({ref}`sec-changing-list`), and the curse is on them.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
class Counting:
    """The client's hash family, which counts the slots that it computes."""

    def __init__(self, family):
        self.family, self.words, self.values, self.slots = family, family.words, family.values, 0

    def count(self, seeds, first, inner, outer, keys):
        self.slots += len(first) * len(keys)
        return self.family.count(seeds, first, inner, outer, keys)


hashes = {}
for size in (SHORT, D):
    metered = WheelKV(epsilon=2.0, m=4)
    metered.__dict__["hash"] = meter = Counting(metered.hash)
    metered.tally(sent, QUERIES[:size])
    hashes[size] = meter.slots
settle(
    "wang2024.scene-searches",
    holds={
        "zipf": min(found_by["usual"]) == HOT,
        "half-gaussian": np.mean(found_by["flat"]) > 9.9,
    },
)
settle(
    "wang2024.scene-bursts",
    holds={
        "ten": min(found_by["listed by hand"]) == HOT,
        "burst": min(found_by["burst"]) == 1,
    },
)
settle(
    "wang2024.scene-cost",
    holds={
        "ue-bits": PCKVUE(d=SHORT, ell=4, epsilon=2.0).report_bits < PCKVUE(d=D, ell=4, epsilon=2.0).report_bits,
        "hashes": hashes[SHORT] * 10 == hashes[D],
        "wheel-bits": "d" in {field.name for field in fields(WheelKV)},
    },
)

# %% [markdown]
# (sec-charts-later)=
# ## A question that nobody had thought of
#
# On Monday some people searched for something that was on no list, not even among the 1,000 queries.
# On Wednesday a newspaper asks how many.
# The collector counts Monday's file once more.

# %%
asked_later, later_spread = count(FOLDER / "monday.parquet", [NEWS])

# %% tags=["hide-input"]
news_truth = monday_truth[0, D]
later_error = sqrt(later_spread.variance[0, 0])
print(f"“{NEWS}” on Monday: {asked_later[0, 0]:.4f} ± {1.96 * later_error:.4f}, truth {news_truth:.4f}")
foreseen = CLIENT.tally(sent, [*QUERIES, NEWS]).counts[-1]  # by somebody who knew, on Monday, before reports were filed
nothing = count(FOLDER / "monday.parquet", ["power cut in the south"])[0][0, 0]
check(
    "Later",
    "Monday's file, counted later: as if the key had been on Monday's list; within 5.5 standard errors of the truth",
    np.array_equal(collect(CLIENT, [FOLDER / "monday.parquet"], [NEWS]).tally.counts[0], foreseen)
    and abs(asked_later[0, 0] - news_truth) < 5.5 * later_error,  # a false alarm below 4e-8
    control="a query that nobody made",
    caught=abs(nothing - news_truth) > 5.5 * later_error,
)
try:
    PCKVUE(d=1000, epsilon=2.0, ell=4).perturb(Records.of({0: 1.0, 1000: 0.5}), rng=searches_devices)
except ValueError as error:
    print(f"a client of PCKV-UE over the 1,000 queries, asked to report it: {error}")

# %% [markdown]
# A mechanism with a list loses this pair before anything is sent: its client knows no entry that it could perturb, and says so.
#
# For privacy this is a blessing and a duty.
# Nothing more than ε has been spent: whatever is computed from a report, today or in ten years, is a function of the report, and tells two people apart no better than the report does ({prf:ref}`thm-post`).
# So ε protects against all questions at once, also against those that nobody has asked yet: whatever two records are compared, and whatever was asked, the odds between them move by at most $e^\varepsilon$.
# But a person who agrees to send a report agrees to *any* question about her $m$ keys, not to "a chart of new songs".
# She should be told so, and reports that are no longer needed should be deleted.
#
# An exact example: three keys, one pair each, ε = 1, and the answers (+, − or nothing) that one report gives to several questions.


# %%
def one_pair(record, slots, eps, keys, rng):
    """Wheel-KV for m = 1: the hash of a few keys, and one slot."""
    seed = tuple(pick(range(slots), rng) for _ in range(keys))
    own = pick(range(slots), rng)  # a dummy's slot, for people without a pair
    for key, v in record.items():
        own = (seed[key] + (not toss((1 + v) / 2, rng))) % slots
    if toss(exp(eps) / (slots + exp(eps) - 1), rng):
        return seed, own
    return seed, pick([z for z in range(slots) if z != own], rng)


def answers(report, asked, slots):
    """+1, −1 or 0 for each key that is asked about."""
    seed, z = report
    return tuple({0: 1, 1: -1}.get((z - seed[key]) % slots, 0) for key in asked)


# %% tags=["hide-input"]
SINGLE = [{}, {0: 1.0}, {0: -1.0}, {1: 1.0}, {1: -1.0}, {2: 1.0}, {2: -1.0}]


def seen_through(look):
    """Exact ε of what a function of the report shows: the law of the report, added up over what looks the same."""
    added = []
    for one in laws_of_report:
        law_seen = {}
        for report, chance in one.items():
            law_seen[look(report)] = law_seen.get(look(report), 0) + chance
        added.append(law_seen)
    return epsilon(added)


def separate(record, rng):  # the control: a report for each question
    return tuple(answers(one_pair(record, 3, 1.0, 1, rng), (0,), 3) for _ in range(2))


laws_of_report = laws(lambda record, rng: one_pair(record, 4, 1.0, 3, rng), SINGLE)
leaks = {
    "is key 0 held?": seen_through(lambda report: answers(report, (0,), 4)[0] != 0),
    "key 0: held, and with which sign?": seen_through(lambda report: answers(report, (0,), 4)),
    "keys 0 and 1": seen_through(lambda report: answers(report, (0, 1), 4)),
    "keys 0, 1 and 2": seen_through(lambda report: answers(report, (0, 1, 2), 4)),
    "the report itself": epsilon(laws_of_report),
}
table(pd.DataFrame([{"what is asked": what, "exact ε of the answers": f"{eps:.4f}"} for what, eps in leaks.items()]))

# %% tags=["hide-input"]
twice_asked = epsilon(laws(separate, SINGLE[:3]))
check(
    "One report",
    "one question or three: never more than ε = 1",
    max(leaks.values()) < 1 + 1e-9 and abs(leaks["the report itself"] - 1) < 1e-9 and min(leaks.values()) > 0.3,
    control=f"a report for each of two questions, ε = {twice_asked:.3f}",
    caught=twice_asked > 1.5,
)
WHEEL = WheelKV(epsilon=1.0, m=1, slots=3, table=2)
check(
    "Same law",
    "one_pair inline and the package's WheelKV, two keys, three slots",
    same_law(lambda record, rng: one_pair(record, 3, 1.0, 2, rng), WHEEL, SINGLE[:5]),
    control="inline at ε = 1.01",
    caught=not same_law(lambda record, rng: one_pair(record, 3, 1.01, 2, rng), WHEEL, SINGLE[:5]),
)

# %% [markdown]
# (sec-charts-repeat)=
# ## Reporting every day
#
# In both charts everybody reported once.
# A real app has the same people every day, and the paper does not say what that costs.
#
# :::{prf:theorem} Reports add up
# :label: thm-charts-repeat
# Let a client be exactly ε-LDP, and let two records and a report attain ε.
# Then $T$ reports of one person, with fresh coins each, are together exactly $T\varepsilon$-LDP.
# This holds for an unchanged record, and also if the record may be another one each day.
# A report that is drawn once and sent $T$ times is exactly ε-LDP.
# :::
#
# :::{prf:proof}
# More than $T\varepsilon$ it cannot be: {prf:ref}`thm-composition`, where a person's value may be the records of all days.
# The two records that attain ε, held on all days, and the report that attains it, sent every time, make it $T\varepsilon$.
# A repeated report says nothing that the first did not.
# :::
#
# Fresh coins means fresh coins for the slot: for privacy it does not matter whether the seed is kept or drawn anew, as Wheel-KV is private under every hash.
# (For accuracy it does: with a kept seed the same keys collide every day, and the days' errors are no longer independent.)
# Nor does it help that the second day's report is about the same songs.

# %% tags=["hide-input"]
LONE = [{}, {0: 1.0}, {0: -1.0}, {0: 0.5}]


def one_key(record, rng, seed=None):
    """A report over one key and three slots; turned to a given hash, if there is one."""
    (own,), z = one_pair(record, 3, 1.0, 1, rng)
    return ((own,), z) if seed is None else (seed, (z - own + seed[0]) % 3)


def again_under_the_seed(record, rng):
    first = one_key(record, rng)
    return first, one_key(record, rng, first[0])


def two_days(record, rng):
    return one_key(record, rng), one_key(record, rng)


spent = {
    "one report": epsilon(laws(one_key, LONE)),
    "two, fresh seeds": epsilon(laws(two_days, LONE)),
    "two, the same seed": epsilon(laws(again_under_the_seed, LONE)),
    "one, sent twice": epsilon(laws(lambda record, rng: (one_key(record, rng),) * 2, LONE)),
}
for what, eps in spent.items():
    print(f"{what:<19} exact ε = {eps:.4f}")
kept_coins = epsilon(laws(lambda record, rng: (lambda report: (report, report))(one_key(record, rng)), LONE))
check(
    "Reports add up",
    "law of both reports, four records: two fresh reports are exactly 2ε, one sent twice is ε",
    np.allclose(list(spent.values()), [1, 2, 2, 1], atol=1e-9, rtol=0),
    control="a client that keeps its coins on the second day",
    caught=not np.allclose(
        [spent["one report"], kept_coins, kept_coins, spent["one, sent twice"]], [1, 2, 2, 1], atol=1e-9
    ),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "wang2024.scene-privacy",
    holds={
        "exact": abs(spent["one report"] - 1) < 1e-9,
    },
)

# %% [markdown]
# So who wants $T$ days and has a total budget $B$ per person can divide either the budget, $B/T$ a day for everybody, or the people: a *panel* of every $T$-th person each day, with all of $B$.
# It is the question of {ref}`sec-means-sample` again, with days for attributes.
#
# :::{prf:theorem} Divide the people
# :label: thm-charts-panels
# Let $V(\varepsilon)$ be the noise of a rare key, $n$ times its variance with $n$ reports.
# For a day's share, as for the mean of the $T$ days, the variance with everybody at $B/T$ is
#
# $$ \rho = \frac{V(B/T)}{T\,V(B)} $$
#
# times that with disjoint panels of $n/T$ people at $B$.
# If $\varepsilon^2 V(\varepsilon)$ has a limit other than zero and infinity as $\varepsilon \to 0$, then $\rho \to T$ as $B \to 0$.
# :::
#
# :::{prf:proof}
# A day has the variance $V(B/T)/n$ in one case and $V(B)/(n/T)$ in the other; the mean of $T$ independent days has a $T$-th of either.
# For small $B$, $V(B/T) \approx T^2 V(B)$.
# :::
#
# Wheel-KV's noise has such a limit, as $\alpha - \frac1N$ is in proportion to $e^\varepsilon-1$ there.
# For larger $B$ it falls faster than $1/\varepsilon^2$, and panels win by more, {numref}`fig-charts-panels`.
#
# Panels have one more source of error: the day's share is that of the panel, not of all.
# If it is drawn at random from all $n$, this adds $f(1-f)\frac{T-1}{n-1}$ to a day's variance, which is little beside the noise at such budgets, and nothing at all to the mean of the week if nobody's record changes, since then everybody is asked once.


# %% tags=["hide-input"]
def noise_of(eps, holder=None):
    """Noise of the share for a person with this value of the key, or without the key."""
    return WheelKV(epsilon=eps, m=4).variance(Records.of({} if holder is None else {0: holder}), items=[0])[0, 0, 0]


def share_noise(eps, f):
    """n times the variance of the estimate of a share f, people fixed."""
    return f * noise_of(eps, 0.0) + (1 - f) * noise_of(eps)


WEEK, PEOPLE, TOTAL = 7, 50_000, 2.0
rows = []
for what, each_day, days_of_one, part in (
    ("everybody once, all on day 1", TOTAL, 1, None),
    ("a seventh of the people each day", TOTAL, 1, WEEK),
    ("everybody every day at ε = 2/7", TOTAL / WEEK, WEEK, 1),
    ("everybody every day at ε = 2", TOTAL, WEEK, 1),
):
    row = {"design": what, "ε of a week": f"{each_day * days_of_one:.3g}"}
    for f in (0.0, 0.1):
        noise = share_noise(each_day, f) / PEOPLE
        draw = f * (1 - f) * (WEEK - 1) / (PEOPLE - 1) if part == WEEK else 0
        one_day = "day 1 only: " + f"{sqrt(noise):.4f}" if part is None else f"{sqrt(noise * part + draw):.4f}"
        row[f"a day's share, f = {f:g}"] = one_day
        row[f"level share of the week, f = {f:g}"] = f"{sqrt(noise * (part or 1) / (WEEK if part else 1)):.4f}"
    rows.append(row)
table(pd.DataFrame(rows))

# %% [markdown]
# (Standard errors from the exact noise, $n = 50{,}000$ people, $m = 4$.)
# At the same ε for the week, dividing the people is far better than dividing the budget.
# Asking everybody every day at ε = 2 is better still, at seven times the price.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-charts-panels", "caption": "Variance of a rare key if everybody reports every day with a share of the budget, over the variance with disjoint panels, against the total budget B of a person: exact (lines), and for a week from 4,000 simulated days, 7,000 people with a seventh of B against 1,000 people with B (squares, 95 % bars within them). Panels are better by the number of days at small B, and by more above.", "width": "100%"}, "image": {"alt": "Log-log plot of a variance ratio against total budgets from 0.1 to 8. Three curves for 2, 7 and 30 days start on the left at 2, 7 and 30, are nearly flat up to a third, and rise ever faster beyond. Squares for 7 days lie on their curve."}}
totals = np.geomspace(0.1, 8, 40)
ratios_of = {days: [noise_of(x / days) / (days * noise_of(x)) for x in totals] for days in (2, 7, 30)}
nobody = {size: Holdings(size, np.array([0, 1]), np.array([0.0]), np.array([0])) for size in (1000, 7000)}
simulated = []
for x in (0.5, 2.0, 6.0):
    divided, panel = (
        WheelKV(epsilon=eps, m=4).estimate(
            WheelKV(epsilon=eps, m=4).simulate_marginals(nobody[size], trials=4000, rng=panels_rng)
        )[:, 0, 0]
        for eps, size in ((x / WEEK, 7000), (x, 1000))
    )
    simulated.append((x, divided.var() / panel.var()))
spread_of_ratio = 1.96 * sqrt(4 / 4000)  # of a logarithm: two variances of nearly normal numbers
fig, ax = plt.subplots(figsize=(6.4, 3.9))
for i, (days, ratio) in enumerate(ratios_of.items()):
    ax.plot(totals, ratio, color=f"C{i}", marker="", label=f"T = {days} days")
at, found = np.array(simulated).T
ax.errorbar(at, found, yerr=found * spread_of_ratio, fmt="s", markersize=5, color="C1", label="simulated, T = 7")
ax.set(xscale="log", yscale="log", xlabel="total budget B of a person", ylabel="variance, divided budget / panels")
ax.set_xticks([0.1, 0.5, 1, 2, 5, 8], ["0.1", "0.5", "1", "2", "5", "8"])
ax.set_yticks([2, 7, 30, 100, 1000], ["2", "7", "30", "100", "1000"])
ax.minorticks_off()
ax.legend()
plt.show()

# %% tags=["hide-input"]
ratio_now = {x: noise_of(x / WEEK) / (WEEK * noise_of(x)) for x, _ in simulated}
check(
    "Panels",
    f"a week: ρ = {noise_of(0.01 / WEEK) / (WEEK * noise_of(0.01)):.2f} at B = 0.01, {ratio_now[2.0]:.2f} at B = 2; simulated ratios within 6 standard errors",
    all(abs(log(seen / ratio_now[x])) < 6 * spread_of_ratio / 1.96 for x, seen in simulated),
    control="no difference",
    caught=all(abs(log(seen)) > 6 * spread_of_ratio / 1.96 for _, seen in simulated),
)

# %% [markdown]
# A panel need not be drawn anew.
# Whoever was born on the third of a month may report on the third: what matters is that nobody is on two panels within the period for which the budget is promised, and that the panels do not differ from each other.
#
# (sec-charts-wrong)=
# ## What can go wrong
#
# - *The list as a safeguard.* What is not on the list today is in the reports all the same, and can be counted tomorrow.
# - *A chart by means.* It is led by songs whose share is lost in the noise.
# - *The numbers that chose are published.* They are too large; count fresh reports.
# - *A threshold for one key on a list of thousands.* Two standard errors are passed by many keys that nobody holds.
# - *Yesterday's list for today's news.* A scan finds what is on its list and nothing else.
#   Keep the files, if people know that you do, and count again.
# - *ε per report, and a report per hour.* Ask how many reports a person sends before asking how private one is.
#
# (sec-charts-exercises)=
# ## Exercises
#
# :::{admonition} Exercise: a chart by means
# Rank the songs of day 7 by their estimated means, clipped to $[-1, 1]$.
# How many people play the first ten?
# :::
#
# :::{dropdown} Solution
# A rare song has an estimate of nearly nothing over nearly nothing, which is clipped to 1 about as often as to −1.
# Among 60 songs there are always some, and the first ten are in no order at all, being all at 1.
# :::

# %% tags=["hide-input"]
live = on_list(DAYS)
by_mean = np.argsort(-clipped_mean(song_charts[DAYS][0], LISTENERS), kind="stable")[:10]
true_means = truths[DAYS][1, live] / truths[DAYS][0, live]
by_likes_now = np.argsort(-score(song_charts[DAYS][0]), kind="stable")[:10]
for what, first in (("by clipped means", by_mean), ("by plays and likes", by_likes_now)):
    print(
        f"first ten {what}: played by {truths[DAYS][0, live[first]].mean():.3f} on average, "
        f"estimated mean {clipped_mean(song_charts[DAYS][0], LISTENERS)[first].mean():.2f}, true mean {true_means[first].mean():.2f}"
    )

# %% [markdown]
# :::{admonition} Exercise: how many people until the guard sees a key?
# A key is held by one person in a hundred, with $m = 4$ and ε = 2 as above.
# From how many reports on does it pass the guard of a list of 1,000 in 39 of 40 surveys?
# :::
#
# :::{dropdown} Solution
# A report speaks about the key with probability $q = 2/N$ if its sender does not hold it, and with $p$ if she does.
# With $P = fp + (1-f)q$ the normal approximation wants $f(p-q)\sqrt n \ge z_L\sqrt{q(1-q)} + 1.96\sqrt{P(1-P)}$ (the variance of fixed people is a little less than $P(1-P)$).
# The cell solves this for $n$, ten times as many people as on Monday, and simulates 10,000 surveys of that size, which settle the rate to 0.2 %.
# :::

# %% tags=["hide-input"]
alpha, beta, gamma = map(float, CLIENT.answer)
gain, share_wanted = alpha + beta - 2 * gamma, 0.01
P = EMPTY + share_wanted * gain
needed = ceil(((z_full * sqrt(EMPTY * (1 - EMPTY)) + 1.96 * sqrt(P * (1 - P))) / (share_wanted * gain)) ** 2)
crowd = Holdings(needed, np.array([0, 1]), np.array([0.0]), np.array([round(share_wanted * needed)]))
surveys = CLIENT.estimate(CLIENT.simulate_marginals(crowd, trials=10_000, rng=panels_rng))[:, 0, 0]
threshold = z_full * sqrt(EMPTY * (1 - EMPTY) / needed) / gain
print(f"n = {needed:,}: passes in {np.mean(surveys > threshold):.1%} of 10,000 surveys")
kept.cleanup()

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | counts do not depend on the list | equal counts, real reports from files |
# | {eq}`eq-charts-likes`: a chart without ratios | exact law of one report; 20 weeks of real reports for the ranking |
# | {eq}`eq-charts-pooling`: when to pool days | exact variances, true shares |
# | {prf:ref}`thm-charts-guard`: false keys | 400,000 made-up queries in 20,000 real reports |
# | winner's curse | 12 lists, fresh reports |
# | {prf:ref}`thm-charts-repeat`: reports add up | law of two reports |
# | {prf:ref}`thm-charts-panels`: divide the people | exact noise, simulated surveys |
