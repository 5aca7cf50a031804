"""What every mechanism's tally must be, counted report by report in plain Python, from the documentation alone.

A `Plain` says of one mechanism which reports its client can send, and which cells of the tally one of them adds to.
Nothing of the package counts here, and no arithmetic is numpy's: numbers of slots, rows and items are read off the
mechanism, hash functions are written out from their formulas, digests are hashlib's.  The first line of each function
says which docstring it was written from.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import combinations
from math import comb, prod

import numpy as np

WORD = 2**64 - 1
HALF = 2**32
GOLDEN = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class Plain:
    """Which reports there are, and what one counts.

    Attributes
    ----------
    shape : tuple of int
        Of the tally's counts.
    ranges : dict of str to (int, int)
        Least and largest entry of each field; a report without fields is one that has no name.
    cells : callable
        Numbers of the cells, row by row, to which a report adds one each.
    right : callable
        Whether a report with all entries in their ranges can be sent.
    """

    shape: tuple[int, ...]
    ranges: dict[str, tuple[int, int]]
    cells: Callable
    right: Callable = lambda report: True

    def count(self, reports):
        """Counts of decoded reports, row by row; None if one of them cannot come from the client."""
        counts = [0] * prod(self.shape)
        for report in reports:
            parts = {"": report} if "" in self.ranges else report
            if parts.keys() != self.ranges.keys():
                return None
            for name, (least, most) in self.ranges.items():
                if not all(least <= entry <= most for entry in flat(parts[name])):
                    return None
            if not self.right(report):
                return None
            for cell in self.cells(report):
                counts[cell] += 1
        return counts


def flat(entry):
    """Return all numbers of nested lists."""
    return [x for part in entry for x in flat(part)] if isinstance(entry, list) else [entry]


def decoded(reports):
    """Reports as Python's integers and lists, dicts where they have fields; a bool is the byte that it is."""

    def column(values):
        values = np.ascontiguousarray(values)
        return (values.view(np.uint8) if values.dtype == np.bool_ else values).tolist()

    if reports.dtype.names is None:
        return column(reports)
    columns = [column(reports[name]) for name in reports.dtype.names]
    return [dict(zip(reports.dtype.names, row, strict=True)) for row in zip(*columns, strict=True)]


def power(k):
    """Return the least power of two that is not below k."""
    m = 1
    while m < k:
        m *= 2
    return m


def ascending(entries):
    return all(a < b for a, b in zip(entries, entries[1:], strict=False))


# ------------------------------------------------------------------------------------------------- codes and bits


def codes(size):
    """GRR, BlockDesign, HadamardResponse, MatrixMechanism, NumberMechanism, SampledGRR: each code is counted."""
    return Plain((size,), {"": (0, size - 1)}, lambda report: [report])


def matrix(m):
    """MatrixMechanism: a report whose column is zero is never sent."""
    sent = {y for row in m.channel for y, q in enumerate(row) if q > 0}
    return replace(codes(len(m.channel[0])), right=lambda report: report in sent)


def hybrid(m):
    """Hybrid: the cells of Piecewise (steps + w), then the two of TwoPoint; only these where nothing is mixed."""
    return codes(m.steps + m.window + 2 if m.share else 2)


def bits(size):
    """BitFlip, BloomFlip, SampledSUE: reports are bits, bool (n, size), a tally counts the ones of each."""
    return Plain((size,), {"": (0, 1)}, lambda report: [v for v in range(size) if report[v]])


def bit_reports(m):
    """SUE, OUE: bool (n, k), or bytes in which item v is bit v % 8 of byte v // 8, and bits left over are zero."""
    if not m.packed:
        return bits(m.k)

    def items(report):
        return [v for v in range(8 * len(report)) if report[v // 8] >> v % 8 & 1]

    return Plain((m.k,), {"": (0, 255)}, items, lambda report: all(v < m.k for v in items(report)))


def subset(m):
    """SubsetSelection: the bits of a set (see `bits`), exactly c of them set."""
    plain = bit_reports(m)
    return replace(plain, right=lambda report: plain.right(report) and len(plain.cells(report)) == m.set_size)


def corners(m):
    """MeanEst: reports are corners of −1 and +1, a tally counts the +1 of each coordinate."""
    cells = lambda report: [j for j in range(m.d) if report[j] == 1]  # noqa: E731
    return Plain((m.d,), {"": (-1, 1)}, cells, lambda report: 0 not in report)


def privset(m):
    """PrivSet: ascending items, dummies after the d items; a tally counts the reports that have each item."""
    cells = lambda report: [v for v in report if v < m.d]  # noqa: E731
    return Plain((m.d,), {"": (0, m.d + m.ell - 1)}, cells, ascending)


def sampled_grr(m):
    """SampledGRR: reports are items, dummies after the d items; a tally counts each item, dummies left out."""
    return Plain((m.d,), {"": (0, m.d + m.ell - 1)}, lambda report: [report] if report < m.d else [])


# ------------------------------------------------------------------------------------------------- hashes and signs


def splitmix(x):
    """splitmix64's mixing function (Steele, Lea and Flood 2014), see `hashing.splitmix`."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def local_hashing(m):
    """OLH and Quadratic: the slot of v is ⌊((a v² + b v + c) mod p) g / p⌋; a report supports the items in its slot."""

    def cells(report):
        a, b, c = report["seed"]
        return [v for v in range(m.k) if (a * v * v + b * v + c) % m.prime * m.slot_count // m.prime == report["slot"]]

    return Plain((m.k,), {"seed": (0, m.prime - 1), "slot": (0, m.slot_count - 1)}, cells)


def signs(rows):
    """HadamardBit, SampledHadamardBit: a row and a bit (True for minus); counted are + and − of each row, (m, 2)."""
    return Plain((rows, 2), {"row": (0, rows - 1), "bit": (0, 1)}, lambda r: [2 * r["row"] + r["bit"]])


def personal(m):
    """PCE: as HadamardBit, for each level apart, (levels, m, 2)."""
    rows, levels = power(m.k), len(m.levels)
    ranges = {"level": (0, levels - 1), "row": (0, rows - 1), "bit": (0, 1)}
    return Plain((levels, rows, 2), ranges, lambda r: [2 * (r["level"] * rows + r["row"]) + r["bit"]])


def harmony(m):
    """HarmonyFrequency: as HadamardBit, for each attribute apart, one after the other, (Σ m_j, 2)."""
    rows = [power(size) for size in m.sizes]
    ranges = {"attribute": (0, len(rows) - 1), "row": (0, max(rows) - 1), "bit": (0, 1)}
    cells = lambda r: [2 * (sum(rows[: r["attribute"]]) + r["row"]) + r["bit"]]  # noqa: E731
    return Plain((sum(rows), 2), ranges, cells, lambda r: r["row"] < rows[r["attribute"]])


def succinct(m):
    """SHist: a report supports the items whose entry of the matrix in its row has its sign, − where the bit is set."""
    of_matrix = splitmix(m.matrix + GOLDEN & WORD)

    def cells(report):
        of_row = splitmix(of_matrix + (report["row"] + 1) * GOLDEN & WORD)
        words = [splitmix(of_row + (i + 1) * GOLDEN & WORD) for i in range(-(-m.k // 64))]
        return [v for v in range(m.k) if words[v // 64] >> v % 64 & 1 == report["bit"]]

    return Plain((m.k,), {"row": (0, m.m - 1), "bit": (0, 1)}, cells)


def circle(m, items):
    """Wheel, WheelKV, Multilinear, SlotTable, digest: fields of a report, and the slot of each candidate under a seed."""
    keys = []
    for item in items:
        if isinstance(item, str):
            number = int.from_bytes(blake2b(item.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
            item = 2**62 + number % (2**62 - 1)
        keys.append(item)
    mixed = [splitmix(splitmix(key + GOLDEN & WORD) + GOLDEN & WORD) for key in keys]

    def slots(seed):
        if m.table:
            return [seed[key] for key in keys]
        a, b, c = seed
        return [(a * (word // HALF) + b * (word % HALF) + c) % HALF * m.slot_count // HALF for word in mixed]

    word = m.slot_count if m.table else HALF
    return {"seed": (0, word - 1), "slot": (0, m.slot_count - 1)}, slots


def wheel(m, items):
    """Wheel: each key covers an arc of W slots from its hash value on; counted are the reports in each arc."""
    ranges, slots = circle(m, items)

    def cells(report):
        return [i for i, slot in enumerate(slots(report["seed"])) if (report["slot"] - slot) % m.slot_count < m.width]

    return Plain((len(items),), ranges, cells)


def wheel_kv(m, items):
    """WheelKV: z is + about the key with slot z, − about the one with slot z − 1; counted are −, nothing, +, (k, 3)."""
    ranges, slots = circle(m, items)
    answer = {0: 2, 1: 0}

    def cells(report):
        steps = [(report["slot"] - slot) % m.slot_count for slot in slots(report["seed"])]
        return [3 * i + answer.get(step, 1) for i, step in enumerate(steps)]

    return Plain((len(items), 3), ranges, cells)


# ------------------------------------------------------------------------------------------------- several fields


def sampled_numbers(m):
    """SampledNumbers: `count` different attributes and a cell of each; counted are the cells of each number, (d, m)."""
    size = plain_of(m.one).shape[0]
    ranges = {"attribute": (0, m.d - 1), "cell": (0, size - 1)}
    cells = lambda r: [a * size + c for a, c in zip(r["attribute"], r["cell"], strict=True)]  # noqa: E731
    return Plain((m.d, size), ranges, cells, lambda r: len(set(r["attribute"])) == m.count)


def cohorts(m, size, cells, ranges):
    """Hashed: for each cohort the counts of its cells, and last the number of its reports, (C, width + 1)."""
    row = size + 1
    found = lambda r: [r["cohort"] * row + x for x in [*cells(r), size]]  # noqa: E731
    return Plain((m.cohorts, row), {"cohort": (0, m.cohorts - 1), **ranges}, found)


def rappor(m):
    """RAPPOR: the bits of a filter; a cell is counted where its bit is set."""
    return cohorts(m, m.bits, lambda r: [b for b in range(m.bits) if r["bits"][b]], {"bits": (0, 1)})


def orr(m):
    """ORR: a report counts one slot."""
    return cohorts(m, m.k, lambda r: [r["slot"]], {"slot": (0, m.k - 1)})


def unknown(m):
    """Unknown and Counts: whole strings as RAPPOR; then for each pair of positions the people, ones of either, both."""
    whole, places, k = rappor(m), m.length // m.gram, len(m.alphabet) ** m.gram
    pairs = {pair: i for i, pair in enumerate(combinations(range(places), 2))}
    people = prod(whole.shape)
    first = people + len(pairs)
    second = first + len(pairs) * k
    both = second + len(pairs) * k

    def cells(r):
        found = list(whole.cells(r))
        ones = [[a for a in range(k) if gram[a]] for gram in r["grams"]]
        for (i, place), (j, other) in combinations(enumerate(r["positions"]), 2):
            pair = pairs[place, other]
            found.append(people + pair)
            found += [first + pair * k + a for a in ones[i]] + [second + pair * k + b for b in ones[j]]
            found += [both + (pair * k + a) * k + b for a in ones[i] for b in ones[j]]
        return found

    ranges = {**whole.ranges, "positions": (0, places - 1), "grams": (0, 1)}
    return Plain((both + len(pairs) * k * k,), ranges, cells, lambda r: ascending(r["positions"]))


def asking(field, many, m):
    """PairSampling, DrawnAttributes: a question and the oracle's report; counted for each its reports, then as that."""
    inner = plain_of(m.oracle)
    row = 1 + prod(inner.shape)

    def own(r):
        return r["report"] if "" in inner.ranges else r

    ranges = {field: (0, many - 1), **{name or "report": ends for name, ends in inner.ranges.items()}}
    cells = lambda r: [r[field] * row + x for x in (0, *(1 + y for y in inner.cells(own(r))))]  # noqa: E731
    return Plain((many, row), ranges, cells, lambda r: inner.right(own(r)))


def hierarchy(m):
    """Hierarchy: a level and its oracle's report; counted for each level are its reports, then as the oracle counts."""
    inner = [plain_of(one) for one in m.oracles]
    starts = [sum(1 + prod(one.shape) for one in inner[:i]) for i in range(len(inner) + 1)]
    shared = {name: (0, max(one.ranges[name][1] for one in inner)) for name in inner[0].ranges}

    def own(r):
        return r["report"] if "" in shared else {name: r[name] for name in shared}

    def right(r):
        return inner[r["level"]].count([own(r)]) is not None

    def cells(r):
        return [starts[r["level"]] + x for x in (0, *(1 + y for y in inner[r["level"]].cells(own(r))))]

    ranges = {"level": (0, len(inner) - 1), **{name or "report": ends for name, ends in shared.items()}}
    return Plain((starts[-1],), ranges, cells, right)


def states(m):
    """SampledKey, SignedTernary: a key and its state; counted are −, nothing and + of each key, (d, 3)."""
    return Plain((m.d, 3), {"key": (0, m.d - 1), "state": (0, 2)}, lambda r: [3 * r["key"] + r["state"]])


def all_states(m):
    """StateEncodingSplit: the states of all keys."""
    return Plain((m.d, 3), {"": (0, 2)}, lambda report: [3 * j + state for j, state in enumerate(report)])


def signed_keys(m):
    """PCKVGRR: signed keys 2·key + (1 if +), dummies after the d keys; nothing is said about all other keys."""

    def cells(report):
        key, plus = report // 2, report % 2
        return [3 * j + (2 * plus if j == key else 1) for j in range(m.d)]

    return Plain((m.d, 3), {"": (0, 2 * (m.d + m.ell) - 1)}, cells)


def answers(m):
    """PCKVUE: −1, 0 or 1 for each key, dummies after the d keys."""
    return Plain((m.d, 3), {"": (-1, 1)}, lambda report: [3 * j + 1 + report[j] for j in range(m.d)])


def blocks(m):
    """Blocks: a block's number in lexicographic order, and its cell; counted are (C(d, ℓ), max K) cells."""
    sizes = [prod(chosen) for chosen in combinations(m.sizes, m.size)]
    most = max(sizes)
    ranges = {"block": (0, len(sizes) - 1), "value": (0, most - 1)}
    cells = lambda r: [r["block"] * most + r["value"]]  # noqa: E731
    return Plain((len(sizes), most), ranges, cells, lambda r: r["value"] < sizes[r["block"]])


COUNTS = {
    "GRR": lambda m: codes(m.k),
    **dict.fromkeys(("SUE", "OUE"), bit_reports),
    "OLH": local_hashing,
    "BlockDesign": lambda m: codes(m.points),
    "Hierarchy": hierarchy,
    "HadamardBit": lambda m: signs(power(m.k)),
    "HadamardResponse": lambda m: codes(m.size),
    "MatrixMechanism": matrix,
    "PCE": personal,
    "SubsetSelection": subset,
    "SHist": succinct,
    "MeanEst": corners,
    **dict.fromkeys(("HarmonyMean", "SampledHybrid"), sampled_numbers),
    "Piecewise": lambda m: codes(m.steps + m.window),
    "TwoPoint": lambda m: codes(2),
    "Hybrid": hybrid,
    "Laplace": lambda m: codes(m.steps + 2 * m.reach + 1),
    "RAPPOR": rappor,
    "ORR": orr,
    "Unknown": unknown,
    "IOH": lambda m: plain_of(m.oracle),
    "PairSampling": lambda m: asking("pair", comb(len(m.keys), 2), m),
    "DrawnAttributes": lambda m: asking("attributes", comb(len(m.sizes), m.order), m),
    "PCKVGRR": signed_keys,
    "PCKVUE": answers,
    **dict.fromkeys(("PrivKV", "StateEncoding"), states),
    "StateEncodingSplit": all_states,
    "Wheel": wheel,
    "WheelKV": wheel_kv,
    "PrivSet": privset,
    "SampledHadamardBit": lambda m: signs(power(max(m.d, 2))),
    "SampledSUE": lambda m: bits(m.d),
    "SampledGRR": sampled_grr,
    "BitFlip": lambda m: bits(sum(m.sizes)),
    "BloomFlip": lambda m: bits(len(m.sizes) * m.bits),
    "Blocks": blocks,
    "HarmonyFrequency": harmony,
}


def plain_of(mechanism, items=None):
    """Return the plain count of a mechanism; of these candidates, where it counts candidates."""
    name = type(mechanism).__name__
    if name not in COUNTS:
        raise LookupError(f"{name} has no plain count: write one in tests/plain.py, from its documentation")
    make = COUNTS[name]
    return make(mechanism, items) if make in (wheel, wheel_kv) else make(mechanism)
