# %% [markdown]
# (ch-libraries)=
# # Beside other libraries
#
# :::{admonition} In one minute
# Four other libraries and ours were asked the same questions, with one small program per answer.
# The tables show what each program printed, or the error that stopped it.
# OpenDP and diffprivlib serve the *central* model, too: somebody holds all the data and publishes noisy results.
# If that is your case, use one of them; this package has nothing for it.
# pure-ldp and multi-freq-ldpy serve the local model, like ours.
# :::
#
# :::{zh}
# 本页用同样的问题比较五个程序库，每个答案都来自一段实际运行的小程序，表中即其输出或报错。
# OpenDP 与 diffprivlib 也支持中心化模型：数据由一方持有，再发布加噪结果；若属此情形，应选用它们，本包无此功能。
# pure-ldp 与 multi-freq-ldpy 同本书的程序包一样，支持本地模型。
# 其他库有而本包没有的功能，另列一表。
# 各库的版本与运行日期见第一张表，结论只对这些版本成立。
# :::

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports and the record"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from contextlib import redirect_stdout
from io import StringIO

import pandas as pd

from ldpnb_book import recorded, style, table

style()
record = recorded("libraries")
cells = {(row.library, row.question): row for row in record.itertuples()}
about = record.attrs
NAMES = {"ldpnb": "ldpnb", "opendp": "OpenDP", "diffprivlib": "diffprivlib"}
NAMES |= {"pure-ldp": "pure-ldp", "multi-freq-ldpy": "multi-freq-ldpy"}

# %% [markdown]
# ## How were they asked?
#
# `make libraries` installs the newest version of each library and runs the programs, each in a process of its own.
# This is one of them, with its answer below it:

# %% tags=["hide-input"]
example = cells["opendp", "category"]
print(example.program, example.printed, sep="\n")
print(f"\nrecorded on {about['date']}, Python {about['python']}, numpy {about['numpy']}")

# %% [markdown]
# - The programs of ldpnb run again whenever this page is made, so its rows show what ldpnb prints today.
#   Two things come from the record: ldpnb's first run after installation, and its times.
# - *stops* means that the program ended with the error that follows.
# - *no name with …* is the result of a search through the names of all public modules, classes, functions, methods and arguments of a library.
#   None of them contains any of these words; the library may still offer the same under another name.
# - Clients are asked for $k$-ary randomized response (k-RR) wherever a library offers this.
#   In diffprivlib this is `ExponentialCategorical` with all pairs of categories equally far apart.


# %% tags=["hide-input"] mystnb={"code_prompt_show": "How the tables are made"}
def live(program):
    """Run a program here: what it prints, and the error that stops it."""
    heard, stop = StringIO(), []
    try:
        with redirect_stdout(heard):
            exec(program, {})
    except Exception as error:
        stop = [f"{type(error).__name__}: {error}"]
    return "stops: " * bool(stop) + " ".join([*heard.getvalue().splitlines(), *stop])


def answer(library, question):
    """Ours from today; the others' from the record."""
    cell = cells[library, question]
    if library == "ldpnb" and question != "alone":
        return live(cell.program)
    return "stops: " * cell.failed + cell.printed


def ask(questions, libraries=tuple(NAMES)):
    """One row per library and one column per question."""
    return table(
        pd.DataFrame(
            [
                {"library": NAMES[library]} | {title: answer(library, name) for name, title in questions.items()}
                for library in libraries
            ]
        )
    )


# %% [markdown]
# ## What is each of them for?
#
# The summary is the library's own.
# *Alone* shows a first program, run after `pip install` of that library alone into an empty environment.

# %% tags=["hide-input"]
print(*(f"{NAMES[library]} {about['versions'][library]}" for library in NAMES), sep=", ")
ask({"summary": "its summary", "model": "model", "alone": "alone"})

# %% [markdown]
# The errors come from other packages that a library needs.
# The rest of this page was run with versions that work together:

# %% tags=["hide-input"]
for name in ("scikit-learn", "statsmodels", "xxhash"):
    alone = [
        f"{NAMES[library]} {versions[name]}"
        for library, versions in about["installed alone"].items()
        if name in versions
    ]
    print(f"{name} {about['environment'][name]}; alone:", ", ".join(alone) or "with none of them")

# %% [markdown]
# ## What does a client do with an answer?
#
# The client knows the categories a, b and c, or their numbers.
# The last column is for a number outside its range: 5, where 0 to 1 was agreed.

# %% tags=["hide-input"]
ask(
    {
        "category": "the category 'b'",
        "missing": "NaN",
        "unknown": "an unknown category",
        "outside": "a number outside",
    }
)

# %% [markdown]
# In OpenDP, bounds and categories are the caller's promises about the data.
# The transformation `make_clamp` moves the numbers of a list inside the bounds.
#
# ## What does the server learn?
#
# In ldpnb's plan, 0.01 is half the width of a 95 % interval.

# %% tags=["hide-input"]
ask({"interval": "error of a result", "planning": "before anybody is asked", "files": "reports or data in files"})

# %% [markdown]
# ## Which other kinds of data can they handle?

# %% tags=["hide-input"]
ask({"strings": "strings without a list", "pairs": "ratings, sets", "tables": "several attributes"})

# %% [markdown]
# In the central model, a column of strings or of ratings needs no mechanism of its own: a query groups it.
#
# ## How is ε checked and counted?
#
# *Audited* is a lower bound on ε: {ref}`our audit <sec-verify-audit>` computes it from 50,000 reports for each of three answers.
# All clients claim ε = 1.
# The audit refutes a correct client with a probability of at most $10^{-6}$, and a bound below 1 is no proof of the claim.

# %% tags=["hide-input"]
ask({"stated": "stated or proved", "audited": "audited", "account": "an account of several reports"})

# %% [markdown]
# For many releases, OpenDP and diffprivlib have better bounds than the sum; ldpnb only adds.
#
# ## How long do 20,000 reports take?
#
# All draw 20,000 reports of k-RR with 16 items, on one core.
# ldpnb takes one array for all people; with one call per person it is slower than three of the others.
# The last column compares each time with that of ldpnb's array and the system's random numbers, which OpenDP and diffprivlib use, too.

# %% tags=["hide-input"]
ROWS = {
    "ldpnb": ("one array", "numpy's"),
    "ldpnb, secure": ("one array", "the system's"),
    "ldpnb, secure, one person per call": ("one per person", "the system's"),
    "opendp": ("one per person", "the system's"),
    "diffprivlib": ("one per person", "the system's"),
    "pure-ldp": ("one per person", "Python's"),
    "multi-freq-ldpy": ("one per person", "numba's"),
}
took = about["nanoseconds"]
ratio = {name: took[name] / took["ldpnb, secure"] for name in ROWS}
table(
    pd.DataFrame(
        [
            {
                "library": NAMES[name.split(",")[0]],
                "calls": calls,
                "random numbers": numbers,
                "ns per report": f"{took[name] / 20_000:,.0f}",
                "÷ ldpnb, array, system's": f"{ratio[name]:,.0f}" if ratio[name] >= 100 else f"{ratio[name]:.2g}",
            }
            for name, (calls, numbers) in ROWS.items()
        ]
    )
)

# %% tags=["hide-input"]
print(about["clock"], about["processor"], sep="; ")

# %% [markdown]
# For other mechanisms, and for servers, see {ref}`sec-speed-peers`.
#
# ## What do the others have that ldpnb lacks?
#
# This package has no name for any of the following.

# %% tags=["hide-input"]
ask({"more": "has, and ldpnb does not"}, list(NAMES)[1:])

# %% [markdown]
# - *The central model* is missing altogether: sums, means and histograms with noise, quantiles, models to train.
# - *Languages:* OpenDP can be called from Rust, Python and R.
#   This package is Python, with a small client in JavaScript ({ref}`ch-wire`).
# - *Proofs:* OpenDP links to written proofs, for code in Rust that handles floating-point numbers.
#   Ours are computed from the running Python code, at small sizes ({ref}`ch-verify`).
# - *Searching for strings:* pure-ldp has three ways to build frequent strings piece by piece.
#   Ours are in {ref}`ch-unknown`.
# - *Reports over time:* multi-freq-ldpy has several mechanisms for repeated reports; ours is RAPPOR ({ref}`ch-rappor`).
