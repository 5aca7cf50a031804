# %% [markdown]
# (ch-wire)=
# # The wire format
#
# :::{admonition} In one minute
# Your client is an app in Kotlin, Swift or JavaScript, and your server runs this package.
# Between them travel *JSON lines*: a header that names the mechanism, then one report per line.
# The fields follow from the mechanism, so every mechanism of this book has a form on the wire.
# `to_wire` writes reports.
# `from_wire` reads them, and refuses whatever is not a report, naming the line, the field and the rule.
#
# You can test a client in any language against files of *test vectors*: hashes, exact probabilities, and the report that follows from each sequence of coins.
# A small client in JavaScript shows how.
# :::
#
# :::{zh}
# 本页说明报告在程序之间传输的格式：首行为表头，写明版本、机制与标签，其后每行一份报告，均为 JSON。
# 各机制的字段由其定义直接得出，类型不符、越界、缺失或多余的字段一律拒收，并指出所在行与字段。
# 可能超过 $2^{53}-1$ 的整数一律写成十进制字符串，以免 JavaScript 丢失精度。
# 每个机制附有测试向量，其他语言的用户端可据此检验哈希、精确概率与逐步的随机选择。
# 该格式不保护发送者身份、发送时间与发送次数。
# :::
#
# You need no other page; {ref}`ch-frequency` explains the mechanisms of the examples.

# %% tags=["hide-input"]
# Without the package: python -m pip install . ./book in the folder above notebooks.
import json

import numpy as np
import pandas as pd

from ldpnb import GRR, OLH, OUE, SHist
from ldpnb.hashing import digest
from ldpnb.choose import catalogue
from ldpnb.collecting import from_wire, identity, schema, to_wire
from ldpnb_book import style, table

style()
rng = np.random.default_rng(31)

# %% [markdown]
# (sec-wire-lines)=
# ## Reports as JSON lines

# %%
colour = OLH(k=100, epsilon=1.0)
text = "".join(to_wire(colour.perturb([7, 7, 42], rng=rng), colour, label="colour"))
print(text, end="")

# %% [markdown]
# The header holds the version of the form, the mechanism, a label for the question, and the fields.
# If a question is asked again, its wave stands after the label: `to_wire(…, wave="2026-W48")`.
# The mechanism is named by its class and by the parameters that make a difference.
# `from_wire` compares all of that, because reports of another ε look the same and give wrong estimates.
#
# On the server, two calls lead from the text to an estimate:

# %%
reports = from_wire(text, colour, label="colour")
tally = colour.tally(reports)
share, error = colour.estimate(tally)[7], colour.standard_error(tally)[7]
print(f"{tally.n} reports; item 7: {share:.2f} ± {error:.2f}")

# %% [markdown]
# Nothing is converted on the way in.
# A slot of 1.0 in place of 1, a seed of two numbers and a missing field are errors:

# %%
for wrong in ('{"seed":[1,2,3],"slot":1.0}', '{"seed":[1,2],"slot":1}', '{"slot":1}'):
    try:
        from_wire(text + wrong, colour, label="colour")
    except ValueError as error:
        print(error)

# %% [markdown]
# (sec-wire-entries)=
# ## How each kind of entry is written
#
# | entry | JSON | why |
# |---|---|---|
# | integer | a number: `7`, never `7.0` or `"7"` | |
# | integer of a field that can exceed 2⁵³ − 1 | always a decimal string: `"7"` | JavaScript rounds larger numbers silently |
# | bit | `true` or `false` | |
# | row of bits | a string: `"0110"` | no bit order, no padding; it compresses to about its bits |
# | row of bytes, of mechanisms with `packed=True` | lower-case hexadecimal digits: `"06"` | item x is bit x mod 8 of byte ⌊x/8⌋, the lowest bit first |
# | sign | `-1`, `0` or `1` | |
# | further axes | lists | |
#
# A mechanism whose reports have no fields uses the name `report`.
# Whether integers are strings depends on the field, not on the value, so a parser needs one rule per field.
# A field comes once per line, and no number has more than 40 characters; other lines are refused, in time that grows with their length only.

# %%
wide = SHist(k=3, epsilon=1.0, m=2**62)
for mechanism, people in ((wide, [0]), (OUE(k=11, epsilon=1.0), [3]), (OUE(k=11, epsilon=1.0, packed=True), [3])):
    print([*to_wire(mechanism.perturb(people, rng=rng), mechanism)][1], end="")

# %% [markdown]
# `schema` describes the fields of a mechanism, for code generators and for people:

# %%
print(json.dumps(schema(wide)["fields"][0], indent=1))

# %% [markdown]
# (sec-wire-all)=
# ## All mechanisms
#
# The table lists every field of every mechanism.
# Its numbers belong to a small instance, the first one in the file of test vectors; `schema` has those of yours.

# %% tags=["hide-input"]
rows = []
for name, kind in catalogue().items():
    for field in schema(kind.example()[0].mechanism)["fields"]:
        shape = " × ".join(map(str, field["shape"]))
        rows.append(
            {
                "mechanism": name,
                "field": field["field"],
                "part": "public" if field["public"] else "private",
                "shape": shape or "one",
                "JSON": field["json"],
                "Parquet": field["parquet"],
            }
        )
        name = ""
table(pd.DataFrame(rows))

# %% [markdown]
# (sec-wire-labels)=
# ### Labels, names and ids
#
# A report holds codes or hash values, never a label.
# Client and server must agree which label is which, by one rule for all questions, items and users:
#
# | in the data | rule |
# |---|---|
# | strings, bools, integers | labels, told apart by type: `True` is not `1`, and `"1"` is neither |
# | whole floats below 2⁵³ (32 bits: 2²⁴, 16 bits: 2¹¹) | the integer, since tables turn integers with gaps into floats |
# | larger floats, fractions | refused: several integers may share a float; read the column as integers or text |
# | None, NaN, NA, NaT | a missing answer |
# | empty strings, or blanks alone | refused: neither a label nor a missing answer |
# | dates, decimals, bytes, lists | refused: write them as strings |
# | two strings | equal if their code points are; no blank is stripped, no case or Unicode form changed |
#
# A category is the place of its label in the list, from 0.
# A list must not hold two labels that people read alike: they differ in blanks around them, in characters that nobody sees, or in their Unicode form alone.
# Nobody sees control and format characters, joiners, fillers and variation selectors; of Unicode forms, that of compatibility (NFKC) counts, where the wide "７" is "7".
# A table of ratings is refused if two users may be one person, such as 7 and "7", "ü" in its two forms, or "ann" with and without a blank at the end.
# This is for refusing alone: what is not refused stays as it is.
# Otherwise one person would send two reports, with twice the ε.
#
# (sec-wire-further)=
# ### Further rules
#
# Some mechanisms have a further rule, such as the number of ones or an ascending order.
# `from_wire` checks these rules, too.
#
# (sec-wire-parquet)=
# ## Reports in Parquet
#
# `save` writes the same fields as columns of a Parquet file ({ref}`ch-collect`), and the last column of the table is their physical type.
# A row of bits is packed into bytes, the first bit highest.
# Other rows are little-endian integers, one after the other: three words of four bytes for the seed of OLH.
# The file's metadata hold mechanism and label under the key `ldpnb`, as the header does.
# Tallies have a file format of their own: `save_tally`.
#
# (sec-wire-arithmetic)=
# ## The arithmetic that must agree
#
# **OLH.** The seed is three numbers $u, v, w$ below the prime $P = 2^{31}-1$, drawn anew for each report.
# With $g$ slots, item $x$ lies in slot
#
# $$
# s(x) = \left\lfloor \frac{g\,\bigl((u x^2 + v x + w) \bmod P\bigr)}{P} \right\rfloor .
# $$
#
# The client reports $s(x)$ through k-RR over the $g$ slots.
# The term $u x^2$ has up to 93 bits, so JavaScript needs `BigInt`; 64-bit languages reduce $x^2$ modulo $P$ first.
#
# **Strings.** The wheel mechanisms hash integers, and a string becomes the key
#
# $$
# 2^{62} + B \bmod (2^{62} - 1),
# $$
#
# where $B$ is the BLAKE2b digest of eight bytes of the string in UTF-8, read with the most significant byte first.
# The length of eight bytes is a parameter of BLAKE2b; cutting a longer digest gives another number.
# Unicode is not normalised: the two ways to write "ü" have two keys, so your client must choose one.
# Keys never travel in reports.

# %%
for word in ("a.org", "Zürich", "Zu\u0308rich"):
    print(ascii(word), digest([word])[0])

# %% [markdown]
# (sec-wire-vectors)=
# ## Test a client in another language
#
# Each mechanism has a file of test vectors, made from its own code.
#
# 1. *Lines.* A server reads `lines`, counts them, and compares with `tally` and `estimate`; a client writes them again.
# 2. *Public part.* For each entry of `public`, compute the slot, the sign or the cells from the public part and the item.
# 3. *Coins.* `branches` holds sequences of random choices.
#    Each choice has a number and its exact chance: `"1/5"` is one of five options, all equally likely; a chance with denominator 2⁵³ is a coin, whose option 0 is heads.
#    Feed these choices to your client in place of its random numbers; its report must be the one listed.
#    A client that draws in another order skips this step.
# 4. *Laws.* `laws` lists all reports of a small instance with their exact probabilities for some `values`.
#    Run your client a million times with its real random numbers and compare the counts.
# 5. *Round trip.* Send the lines of your client through `from_wire`.
#
# Step 4 finds errors, but no number of runs proves a probability.
# Keep the probabilities as integers over 2⁵³, as the package rounds them, and compare 53 random bits with them: the law is then exact.
#
# Download the vectors for
# {download}`BitFlip <../../book/vectors/BitFlip.json>`,
# {download}`BlockDesign <../../book/vectors/BlockDesign.json>`,
# {download}`Blocks <../../book/vectors/Blocks.json>`,
# {download}`BloomFlip <../../book/vectors/BloomFlip.json>`,
# {download}`DrawnAttributes <../../book/vectors/DrawnAttributes.json>`,
# {download}`GRR <../../book/vectors/GRR.json>`,
# {download}`HadamardBit <../../book/vectors/HadamardBit.json>`,
# {download}`HadamardResponse <../../book/vectors/HadamardResponse.json>`,
# {download}`HarmonyFrequency <../../book/vectors/HarmonyFrequency.json>`,
# {download}`HarmonyMean <../../book/vectors/HarmonyMean.json>`,
# {download}`Hierarchy <../../book/vectors/Hierarchy.json>`,
# {download}`Hybrid <../../book/vectors/Hybrid.json>`,
# {download}`IOH <../../book/vectors/IOH.json>`,
# {download}`Laplace <../../book/vectors/Laplace.json>`,
# {download}`MatrixMechanism <../../book/vectors/MatrixMechanism.json>`,
# {download}`MeanEst <../../book/vectors/MeanEst.json>`,
# {download}`OLH <../../book/vectors/OLH.json>`,
# {download}`ORR <../../book/vectors/ORR.json>`,
# {download}`OUE <../../book/vectors/OUE.json>`,
# {download}`PCE <../../book/vectors/PCE.json>`,
# {download}`PCKVGRR <../../book/vectors/PCKVGRR.json>`,
# {download}`PCKVUE <../../book/vectors/PCKVUE.json>`,
# {download}`PairSampling <../../book/vectors/PairSampling.json>`,
# {download}`Piecewise <../../book/vectors/Piecewise.json>`,
# {download}`PrivKV <../../book/vectors/PrivKV.json>`,
# {download}`PrivSet <../../book/vectors/PrivSet.json>`,
# {download}`RAPPOR <../../book/vectors/RAPPOR.json>`,
# {download}`SHist <../../book/vectors/SHist.json>`,
# {download}`SUE <../../book/vectors/SUE.json>`,
# {download}`SampledGRR <../../book/vectors/SampledGRR.json>`,
# {download}`SampledHadamardBit <../../book/vectors/SampledHadamardBit.json>`,
# {download}`SampledHybrid <../../book/vectors/SampledHybrid.json>`,
# {download}`SampledSUE <../../book/vectors/SampledSUE.json>`,
# {download}`StateEncoding <../../book/vectors/StateEncoding.json>`,
# {download}`StateEncodingSplit <../../book/vectors/StateEncodingSplit.json>`,
# {download}`SubsetSelection <../../book/vectors/SubsetSelection.json>`,
# {download}`TwoPoint <../../book/vectors/TwoPoint.json>`,
# {download}`Unknown <../../book/vectors/Unknown.json>`,
# {download}`Wheel <../../book/vectors/Wheel.json>`,
# {download}`WheelKV <../../book/vectors/WheelKV.json>`.
# Texts with their digests and filter bits are in {download}`digests <../../book/vectors/digests.json>`.
#
# (sec-wire-javascript)=
# ## A client in JavaScript
#
# The client needs a few numbers; print them once, with the package:

# %%
few = GRR(k=4, epsilon=1.0)
print(json.dumps({"k": few.k, "keep": str(int(few.keep * 2**53))}))
keep = str(int(colour.slots.keep * 2**53))
print(json.dumps({"k": colour.k, "slots": colour.slot_count, "prime": colour.prime, "keep": keep}))
print(identity(colour))

# %% [markdown]
# Nothing in the client computes a probability, and all randomness comes from the operating system.
# Every report makes the same draws, whether they are needed or not; that `below` may draw again does not depend on the value.
#
# ```{literalinclude} ../../book/examples/javascript/client.mjs
# :language: javascript
# :start-at: "export const SYSTEM"
# :end-before: "function integer"
# ```
#
# ```{literalinclude} ../../book/examples/javascript/client.mjs
# :language: javascript
# :start-at: "// k-RR"
# :end-before: "// JSON lines"
# ```
#
# The whole module, with its checks, is {download}`client.mjs <../../book/examples/javascript/client.mjs>`.
# It runs in browsers and in Node.js from version 20.
# The book's tests carry out steps 2 to 5 with it.
#
# (sec-wire-versions)=
# ## Versions
#
# The number `form` in the header is the version: 1 without a wave, as in version 1.0.0 of the package, and 2 with one.
# `schema` lists the names that the header has in each, under `headers`.
# Lines of form 1 are read as reports without a wave.
# If you ask for a wave, they are refused: reports of different waves do not mix, since they may be of the same people.
#
# The number changes when the same report would be written in another way, or the same line would mean another report.
# `from_wire` then refuses lines that it would have to guess about.
# A new mechanism, or a new parameter with a default, changes nothing for the others.
# Build clients with the header that your server prints (`header(mechanism, label, wave)`), and update server and clients together when `form` changes.
#
# (sec-wire-limits)=
# ## What the format does not protect
#
# A report protects the value inside it.
# The format does not hide who sends it, from which address, when, how often, or whether at all.
# It has no signature: anybody can send lines, and a forged report looks like any other.
# A lost line, or one that comes twice, goes unnoticed.
# {ref}`ch-deployment` covers these: one account of ε per person, identities kept apart from reports, and forged reports.
