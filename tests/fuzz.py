"""Count random reports three ways, and compare: `tally`, partitions that are collected, and a count in plain Python.

Run by `make fuzz`.  Every mechanism of the catalogue takes its turn, at a size and with parameters of the round's own.
Reports are honest ones, ones with any entries that the documentation allows, honest ones with damaged bytes, and bytes
at random, each laid out in memory in one of many ways.  Either all three refuse them, or all three find the same
counts, none above the number of reports; and the tallies of two parts add up to that of the whole.

usage: python fuzz.py [--seconds 60] [--seed 0] [--only NAME --round NUMBER]
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from math import exp, log
from pathlib import Path
from zlib import crc32

import numpy as np
from mechanisms import CATALOGUE, LISTED
from plain import decoded, plain_of

from ldpnb.oracles import GRR, OLH, OUE, SUE, HadamardBit
from ldpnb.collecting.partitions import collect, save

LARGEST = 400  # of a domain
SLOW = {"MatrixMechanism": 12, "PrivSet": 60, "Blocks": 20, "Unknown": 6, "SubsetSelection": 120}  # smaller ones
WORK = 20_000  # entries of all reports of a round, about
REFUSED = "refused"
WHAT = ("rounds", "inputs", "refused", "calls", "differences")
SHOWN = 3  # differences of a mechanism in full


def an(rng, *things):
    return things[rng.integers(len(things))]


def channel(k, m, rng):
    """A channel from k values to m reports, one more of which is never sent."""
    rows = rng.uniform(1, 5, (k, m))
    return np.insert(rows / rows.sum(1, keepdims=True), rng.integers(m + 1), 0, axis=1)


def oracle(m, rng):
    make = an(rng, GRR, OLH, SUE, OUE, HadamardBit)
    made = make(k=m.oracle.k, epsilon=m.oracle.epsilon)
    return {"oracle": replace(made, packed=True) if hasattr(made, "packed") and rng.integers(2) else made}


def levels(m, rng):
    widths = m.widths[: rng.integers(1, len(m.widths) + 1)]
    odds = tuple(rng.integers(1, 9, len(widths)).tolist())
    made = type(m).of(m.k, m.epsilon, an(rng, GRR, HadamardBit, None), widths=widths, weights=odds)
    return {"oracles": made.oracles, "weights": made.weights}


def wheel(m, rng):
    drawn = {"slots": an(rng, 0, int(rng.integers(2, 200))), "table": an(rng, 0, 0, LISTED)}
    return {**drawn, "width": int(rng.integers(1, 6))} if type(m).__name__ == "Wheel" else drawn


VARIED = {  # other fields than the size of the domain and ε; some do not fit the others, and then nothing is changed
    "OLH": lambda m, rng: {"g": int(rng.integers(2, 40)), "prime": an(rng, 5, 11, 101, 65537, 2**31 - 1)},
    "BlockDesign": lambda m, rng: {"q": an(rng, 2, 3, 4, 5, 8, 9)},
    "Hierarchy": levels,
    "HadamardResponse": lambda m, rng: {"blocks": 2 ** int(rng.integers(0, 8))},
    "MatrixMechanism": lambda m, rng: {"channel": channel(m.k, int(rng.integers(2, 9)), rng), "scores": None},
    "PCE": lambda m, rng: {"levels": an(rng, (0.5, 2.0), (1.0,), (0.1, 1.0, 20.0))},
    "SubsetSelection": lambda m, rng: {"size": int(rng.integers(0, m.k))},
    "SHist": lambda m, rng: {"m": int(rng.integers(1, 10**6)), "matrix": int(rng.integers(2**64, dtype=np.uint64))},
    "Piecewise": lambda m, rng: {"steps": int(rng.integers(1, 40)), "width": int(rng.integers(0, 40))},
    "Hybrid": lambda m, rng: {"steps": int(rng.integers(1, 40)), "width": int(rng.integers(0, 40))},
    "Laplace": lambda m, rng: {"steps": int(rng.integers(1, 40)), "reach": int(rng.integers(0, 20))},
    "RAPPOR": lambda m, rng: {"hashes": int(rng.integers(1, 4)), "cohorts": int(rng.integers(1, 9))},
    "ORR": lambda m, rng: {"cohorts": int(rng.integers(1, 40))},
    "Unknown": lambda m, rng: {"slots": int(rng.integers(2, 5)), "bits": int(rng.integers(1, 70))},
    "IOH": oracle,
    "PairSampling": oracle,
    "DrawnAttributes": oracle,
    "PCKVGRR": lambda m, rng: {"ell": int(rng.integers(1, 12))},
    "PCKVUE": lambda m, rng: {"ell": int(rng.integers(1, 12))},
    "Wheel": wheel,
    "WheelKV": wheel,
    "PrivSet": lambda m, rng: {"ell": int(rng.integers(1, 9)), "size": int(rng.integers(0, 5))},
    "SampledGRR": lambda m, rng: {"ell": int(rng.integers(1, 9))},
    "BitFlip": lambda m, rng: {"sizes": tuple(rng.integers(2, 9, len(m.sizes)).tolist())},
    "Blocks": lambda m, rng: {"sizes": tuple(rng.integers(2, 5, len(m.sizes)).tolist()), "size": an(rng, 2, 3)},
    "HarmonyFrequency": lambda m, rng: {"sizes": tuple(rng.integers(2, 70, len(m.sizes)).tolist())},
}


def between(least, most, rng):
    """A number between two, all orders of magnitude alike."""
    return min(max(exp(rng.uniform(log(least), log(most))), least), most)


def built(name, rng):
    """A mechanism with random parameters; the candidates to count, as arguments; and its entry of the catalogue."""
    entry = CATALOGUE[name]
    kind = entry.kind.__name__
    least, most = entry.sizes
    size = round(between(least, max(least, min(most, SLOW.get(kind, LARGEST))), rng))
    mechanism = entry.build(size, between(*entry.epsilons, rng))
    if kind in VARIED and rng.integers(3):
        try:
            mechanism = replace(mechanism, **VARIED[kind](mechanism, rng))
        except ValueError:
            pass
    if entry.items is None:
        return mechanism, (), entry
    if getattr(mechanism, "table", 1):
        items = entry.items(mechanism)[: rng.integers(1, 21)]
    else:
        items = [*range(rng.integers(1, 12)), *rng.integers(0, 2**62, 3).tolist(), "item 1", "item ü", "\ud800"]
    return mechanism, (items,), entry


# ------------------------------------------------------------------------------------------------- reports


def uniform(like, plain, rng):
    """As many reports, all entries that the documentation allows alike; often those alone that can be sent as well."""
    found = like.copy()
    for name, (least, most) in plain.ranges.items():
        part = found[name] if name else found
        part[...] = rng.integers(least, most, part.shape, endpoint=True)
    sent = [plain.count([report]) is not None for report in decoded(found)]
    return found[sent] if rng.integers(4) and any(sent) else found


def damaged(reports, rng):
    """The reports with a few bytes changed: to any others, or to next ones."""
    raw = bytearray(reports.tobytes())
    for at in rng.integers(len(raw), size=rng.integers(1, 4)) if raw else ():
        raw[at] = an(rng, int(rng.integers(256)), raw[at] ^ 1, 2, 255)
    return np.frombuffer(raw, reports.dtype).reshape(reports.shape)


def noise(reports, rng):
    """Any bytes at all, as so many reports."""
    return np.frombuffer(rng.bytes(reports.nbytes), reports.dtype).reshape(reports.shape)


INPUTS = {
    "honest": lambda reports, plain, rng: reports,
    "uniform": uniform,
    "damaged": lambda reports, plain, rng: damaged(reports, rng),
    "noise": lambda reports, plain, rng: noise(reports, rng),
}


def frozen(reports):
    found = reports.copy()
    found.flags.writeable = False
    return found


def unaligned(reports):
    return np.frombuffer(b"\0" + reports.tobytes(), reports.dtype, offset=1).reshape(reports.shape)


def narrow(reports):
    fits = reports.dtype == np.int64 and (not reports.size or 0 <= reports.min() <= reports.max() < 2**16)
    return reports.astype(np.uint16) if fits else reports


LAYOUTS = {
    "plain": lambda reports: reports,
    "read-only": frozen,
    "strided": lambda reports: np.repeat(reports, 3, axis=0)[::3],
    "backwards": lambda reports: reports[::-1].copy()[::-1],
    "Fortran": np.asfortranarray,
    "columns": lambda reports: np.repeat(reports, 2, axis=-1)[..., ::2],
    "unaligned": unaligned,
    "big-endian": lambda reports: reports.astype(reports.dtype.newbyteorder(">")),
    "narrow": narrow,
}


# ------------------------------------------------------------------------------------------------- three counts


def counts(make):
    """What a tally holds, as a list; that it was refused; or what else came of it."""
    try:
        return make().counts.ravel().tolist()
    except ValueError:  # a PartitionError is one
        return REFUSED
    except Exception as error:  # anything else is a difference, and not the end of the run
        return f"{type(error).__name__}: {error}"


def plainly(plain, reports, honest):
    """The plain count; of another type of entries, reports that have fields, or are bits, are none."""
    found = None if reports.dtype != honest.dtype and honest.dtype != np.int64 else plain.count(decoded(reports))
    return REFUSED if found is None else found


def stored(mechanism, reports, items, rng, done):
    """The tally of the reports after they were saved, in several blocks and partitions, and collected."""
    with tempfile.TemporaryDirectory() as folder:
        for i, part in enumerate(cut(reports, rng)):
            done["calls"] += 1
            save(cut(part, rng) if rng.integers(2) else part, Path(folder, f"{i}.parquet"), mechanism)
        done["calls"] += 1
        return collect(mechanism, folder, *items).tally


def cut(reports, rng):
    """The reports in one part, or in a few, some of which may be empty."""
    return np.split(reports, np.sort(rng.integers(0, len(reports) + 1, an(rng, 0, 1, 2))))


def short(found):
    text = str(found)
    return text if len(text) <= 200 else f"{text[:199]}…"


@dataclass
class Found:
    """What a run did, by mechanism, and what it found."""

    done: dict = field(default_factory=dict)
    differences: dict = field(default_factory=dict)

    def __bool__(self):
        return any(self.differences.values())

    def __str__(self):
        """A line for each mechanism, and the first of its differences, with what plays their round again."""
        total = sum(self.done.values(), Counter())
        lines = [
            f"{name:24}" + "".join(f"{done[what]:8} {what}" for what in WHAT)
            for name, done in {**self.done, "all": total}.items()
        ]
        return "\n".join([*lines, *(text for some in self.differences.values() for text in some[:SHOWN])])


def compare(mechanism, items, plain, reports, honest, rng, done):
    """Complaints about one input: what the three counts are, if they are not one."""
    done["inputs"] += 1
    done["calls"] += 1
    wanted = plainly(plain, reports, honest)
    found = counts(lambda: mechanism.tally(reports, *items))
    kept = counts(lambda: stored(mechanism, reports, items, rng, done))
    if not found == kept == wanted:
        return [f"tally {short(found)}, collect {short(kept)}, plainly {short(wanted)}"]
    if wanted == REFUSED:
        done["refused"] += 1
        return []
    whole = mechanism.tally(reports, *items)
    complaints = [] if whole.counts.shape == plain.shape else [f"counts have shape {whole.counts.shape}"]
    if max(wanted, default=0) > len(reports):
        complaints.append(f"a count of {max(wanted)} of {len(reports)} reports")
    at = rng.integers(len(reports) + 1)
    done["calls"] += 3
    if counts(lambda: mechanism.tally(reports[:at], *items) + mechanism.tally(reports[at:], *items)) != wanted:
        complaints.append(f"the tallies of the first {at} reports and of the others do not add up")
    return complaints


def play(name, seed, number, found):
    """Play one round of one mechanism, which depends on these three alone."""
    rng = np.random.default_rng([seed, crc32(name.encode()), number])
    done, differences = found.done.setdefault(name, Counter()), found.differences.setdefault(name, [])
    done["rounds"] += 1
    mechanism, items, entry = built(name, rng)
    plain = plain_of(mechanism, *items)
    people = an(rng, 1, 3, 20, 300, 700)
    entries = mechanism.perturb(entry.people(mechanism, 1, rng), rng=rng).nbytes + sum(map(len, items))
    honest = mechanism.perturb(entry.people(mechanism, max(1, min(people, WORK // entries)), rng), rng=rng)
    for kind, make in INPUTS.items():
        reports = make(honest, plain, rng)
        layout = an(rng, *LAYOUTS)
        reports = LAYOUTS[layout](reports[: an(rng, 0, 1, *[len(reports)] * 8)])
        for complaint in compare(mechanism, items, plain, reports, honest, rng, done):
            where = f"--seed {seed} --only '{name}' --round {number}"
            differences.append(f"{where}: {kind}, {layout}, {short(mechanism)}: {complaint}")
            done["differences"] += 1


def run(seconds, seed, names=None, least=1):
    """Let all mechanisms take turns, `least` times at least, until the time is over."""
    found, end, number = Found(), time.monotonic() + seconds, 0
    while number < least or time.monotonic() < end:
        for name in names or sorted(CATALOGUE):
            if number < least or time.monotonic() < end:
                play(name, seed, number, found)
        number += 1
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=sorted(CATALOGUE), help="one mechanism")
    parser.add_argument("--round", type=int, help="one round of it, to see a difference again")
    options = parser.parse_args(arguments)
    if options.round is None:
        found = run(options.seconds, options.seed, options.only and [options.only])
    else:
        found = Found()
        play(options.only, options.seed, options.round, found)
    print(found)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
