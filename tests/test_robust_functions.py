"""Functions beside the mechanisms: one bad argument at a time, refused by a ValueError that names it.

Each row is a call that works, and for some of its arguments what they must not be.  What `test_robust.py` lets pass
for mechanisms passes here as well.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from test_robust import NO_COUNT, fault

from ldpnb import chance, hashing, kernels, postprocess, verify
from ldpnb.attributes import bayesnet, bitflip, blocks, fidelity, lopub, maxent, tables
from ldpnb.core import Tally
from ldpnb.keyvalue import changing, encoding, pckv, population, privkv, queries, states, ternary
from ldpnb.numbers import distortion, many_numbers, means, one_number
from ldpnb.oracles import grr, hadamard, matrix, personal, subset
from ldpnb.records import Records
from ldpnb import choose
from ldpnb.survey import OneOf, comparing
from ldpnb.sets import privset, two_phases
from ldpnb.strings import rappor, unknown_strings
from ldpnb.strings.decoding import decode
from ldpnb.verify import _audit as audit
from ldpnb_book import experiment


def rng():
    return np.random.default_rng(0)


NAN = math.nan
COUNT = [*NO_COUNT, 0]
EPSILON = [NAN, math.inf, -1.0, 0, 33, 10**30, True, "1", None, 1j, [1.0], np.array([1.0]), np.timedelta64(1)]
SOURCE = [None, 0, random.Random(0), np.random, np.random.RandomState(0), np.random.Generator]
SHARES = [None, "x", {}, [], [NAN, 0.5], [math.inf, 0.5], ["a", "b"], [None, 1], [1j, 0], [[1], [1, 2]], [True, False]]
SHARES += [np.ma.masked_array([0.5, 0.5], mask=[True, False]), 0.5]
RECORDS = [None, [], "x", [{0: 0.5}], np.zeros(3), {0: 0.5}, Records.of({9: 0.5}, {0: 0.1}), 3]
ORACLE = grr.GRR(k=3, epsilon=1.0)
KEYS = states.StateEncoding(d=2, epsilon=1.0)
PEOPLE = Records.of({0: 0.5}, {1: -0.5}, {0: 1.0, 1: 0.0}, {})
SETS = Records.of({0, 1}, {2}, {0}, {1, 2}, set())
FLIP = bitflip.BitFlip(sizes=(2, 2, 3), f=0.5)
TABLE = np.array([[0, 1, 2], [1, 0, 0], [1, 1, 1], [0, 0, 2]])
BITS = FLIP.perturb(TABLE, rng=rng())
RAPPORT = rappor.RAPPOR(bits=8, hashes=2, cohorts=4, f=0.5, p=0.25, q=0.75)
STRINGS = RAPPORT.tally(RAPPORT.perturb(["a"] * 50 + ["b"] * 50, rng=rng()))
WORDS = unknown_strings.Unknown(alphabet="_ab", length=2, gram=1, epsilon=2.0, bits=16, hashes=2, cohorts=2)
WORDS_TALLY = WORDS.tally(WORDS.perturb(["ab"] * 50, rng=rng()))
TALLY, KEYS_TALLY = ORACLE.tally([0, 1, 2, 2]), KEYS.tally(KEYS.perturb(PEOPLE, rng=rng()))
ONE = one_number.TwoPoint(epsilon=1.0)
ONE_TALLY = ONE.tally(ONE.perturb([0.5] * 9, rng=rng()))
TALLIES = [None, 3, "x", TALLY.counts, Tally(ORACLE, 0, np.zeros(3, np.int64))]
HOLDINGS = population.holdings(PEOPLE, 2, sizes=True)
BATCHES = changing.batches([KEYS_TALLY, KEYS_TALLY])
LAWS = verify.laws(ORACLE, np.arange(3))
BLOCKS = blocks.Blocks(sizes=(2, 2, 2), size=2, epsilon=1.0)
FLAG = [None, 0, 1, "True", NAN, [True], np.True_]
CHOSEN = {"k": [*COUNT, 1, 10**6 + 1], "d": [*COUNT, 10**6 + 1], "m": [*COUNT, 6], "candidates": [*COUNT, 6]}
CHOSEN |= {"share": [NAN, -0.1, 1.1, "x", None, 1j, True, [0.5]], "listed": FLAG}
QUESTION = OneOf(["a", "b"], epsilon=1.0)
GROUPS = [QUESTION.estimate(QUESTION.tally(QUESTION.perturb(["a", "b"] * 50, rng=rng()))) for _ in range(2)]
NO_ROW = [None, 3, "a", {}, [0.5], GROUPS[0], NAN]
ASKED = {"n": [*COUNT, 2**53], "epsilon": EPSILON, "bits": [x for x in COUNT if x is not None], "public_free": FLAG}
SETS_WRONG = [None, "x", 3, [()], [(0, 9)], [(1, 0)], [(0, 0)], [(0.5,)], [(-1,)], ["x"], [None]]
NO_TABLE = [[[NAN, 1]], [[-1, 2]], None, "x", [["a", "b"]], [[1], [0.5, 0.5]], np.full((2, 2), 0.25j), [[True, False]]]


@dataclass
class Row:
    call: Callable[..., Any]
    good: dict[str, Any]
    bad: dict[str, list[Any]]
    other_names: dict[str, str] = field(default_factory=dict)  # what the message says instead

    def __str__(self):
        return f"{self.call.__module__.removeprefix('ldpnb.')}.{self.call.__qualname__}"


ROWS = [
    # ------------------------------------------------------------------------------------- chance
    Row(
        chance.bernoulli,
        {"p": 0.5, "shape": (2,), "rng": rng()},
        {"p": [NAN, -1, 2, 1e30, "x", None, 1j, [0.5] * 3, [[1], [1, 2]]], "rng": SOURCE},
    ),
    Row(
        chance.uniform,
        {"k": 3, "shape": (2,), "rng": rng()},
        {"k": [NAN, 0, -1, 2.5, 2**63, 10**30, "x", None, True, 1j, [2] * 3], "rng": SOURCE},
    ),
    Row(
        chance.rational,
        {"part": 1, "whole": 3, "shape": (2,), "rng": rng()},
        {"part": [-1, 4, 0.5, NAN, "x", None, 10**30], "whole": [0, -1, NAN, "x", 10**30], "rng": SOURCE},
        {"whole": "part"},
    ),
    Row(
        chance.weighted,
        {"weights": [1, 2], "shape": (2,), "rng": rng()},
        {"weights": [[], [0, 0], [1, -1], [0.5, 1], ["a"], None, 3, [None]], "rng": SOURCE},
    ),
    Row(chance.pick, {"options": "ab", "rng": rng()}, {"options": ["", [], ()], "rng": SOURCE}),
    Row(
        chance.binomial,
        {"n": 3, "p": 0.5, "shape": (2,), "rng": rng()},
        {"n": [-1, 0.5, NAN, "x", None, 10**30], "p": [NAN, -1, 2, "x", None, 1j], "rng": SOURCE},
    ),
    Row(
        chance.scatter,
        {"n": 3, "k": 2, "rng": rng()},
        {"n": [-1, 0.5, NAN, "x", None, 10**30], "k": COUNT, "rng": SOURCE},
    ),
    # ------------------------------------------------------------------------------------- results
    Row(
        comparing.difference,
        {"a": GROUPS[0]["a"], "b": GROUPS[1]["a"], "level": 0.9, "same_people": True},
        {"a": NO_ROW, "b": NO_ROW, "level": [0, 1, -1, NAN, "x", 1j, [0.9], True], "same_people": FLAG[1:]},
    ),
    Row(
        comparing.differences,
        {"a": GROUPS[0], "b": GROUPS[1], "level": 0.9, "same_people": True, "names": ("new", "old")},
        {
            "a": [None, 1, "x", {}],
            "b": [None, 1, "x", {}],
            "level": [0, 1, -1, NAN, "x", 1j, [0.9], True],
            "same_people": FLAG[1:],
            "names": ["x", 1, ("a",), ("a", "a"), ("a", 1), ("a", "")],
        },
    ),
    # ------------------------------------------------------------------------------------- post-processing
    Row(postprocess.norm, {"estimate": [0.2, 0.3]}, {"estimate": SHARES}),
    Row(postprocess.norm_sub, {"estimate": [0.2, 0.3]}, {"estimate": SHARES}),
    Row(
        postprocess.maximum_likelihood,
        {"likelihood": [[3, 1], [1, 3]], "counts": [55, 45]},
        {
            "likelihood": [*SHARES, [[1, -1], [1, 1]], [1, 2], [[NAN, 1], [1, 1]]],
            "counts": [*SHARES, [-1, 2], [1, 2, 3], [0, 0]],
            "gap": [NAN, 0, -1, "x", None, 1j, True, [1e-9]],
            "steps": COUNT,
        },
    ),
    # ------------------------------------------------------------------------------------- oracles
    Row(subset.best_size, {"k": 5, "epsilon": 1.0}, {"k": [*COUNT, 1], "epsilon": EPSILON}),
    Row(
        subset.size_for,
        {"k": 5, "epsilon": 1.0, "share": 0.5},
        {"k": [*COUNT, 1, 10**7 + 1], "epsilon": EPSILON, "share": CHOSEN["share"]},
    ),
    Row(
        hadamard.best_blocks,
        {"k": 5, "epsilon": 1.0, "share": 0.5},
        {"k": [*COUNT, 1], "epsilon": EPSILON, "share": CHOSEN["share"]},
    ),
    Row(
        many_numbers.HarmonyMean(d=2, epsilon=1.0).variance_of_asked,
        {"values": np.zeros((5, 2)), "asked": 3},
        {"asked": [0, -1, 6, 0.5, NAN, "x", None, 1j, [0, 3]]},
    ),
    Row(subset.minimax_risk, {"k": 5, "epsilon": 1.0}, {"k": [*COUNT, 1], "epsilon": EPSILON}),
    Row(ORACLE.linear_variance, {"weights": [1, 2, 3]}, {"weights": [*SHARES, [1, 2], [NAN, 1, 1]]}),
    Row(
        personal.people,
        {"items": [1, 2], "levels": [0, 0]},
        {"items": [*SHARES, [-1, 0], [1], [2**63, 0]], "levels": [*SHARES, [-1, 0], [0]]},
        {"levels": "levels|items"},
    ),
    Row(kernels.fwht, {"x": [1, 2]}, {"x": [None, "x", [1, 2, 3], [], 3, ["a", "b"], [1j, 1], [True, False]]}),
    Row(matrix.ratio, {"channel": [[0.5, 0.5]]}, {"channel": SHARES}),
    Row(
        matrix.within,
        {"channel": [[0.6, 0.4], [0.4, 0.6]], "epsilon": 1.0},
        {"channel": [*SHARES, [[-1, 2], [0.5, 0.5]], [[0.5, 0.6]]], "epsilon": EPSILON},
    ),
    Row(
        bitflip.flip_for,
        {"epsilon": 1.0, "distance": 2},
        {"epsilon": [NAN, -1.0, 0, 73, math.inf, 10**30, True, "1", None, 1j], "distance": COUNT},
    ),
    Row(
        blocks.best_block_size,
        {"sizes": (2, 2, 2), "epsilon": 1.0},
        {"sizes": [None, 3, "22", (), (2,), (2, 1), (2, 2.0), (2, NAN), (2, 10**30), (2, None)], "epsilon": EPSILON},
    ),
    Row(
        blocks.pair_variance,
        {"sizes": (2, 2, 2), "size": 2, "epsilon": 1.0},
        {"sizes": [None, 3, (2,), (2, NAN)], "size": [*COUNT, 1, 4], "epsilon": EPSILON},
    ),
    # ------------------------------------------------------------------------------------- numbers
    Row(
        means.Range,
        {"low": 0.0, "high": 1.0},
        {"low": [NAN, -math.inf, 1.0, 2, "x", None, 1j, [0.0], True], "high": [NAN, math.inf, -1, "x", None, []]},
        {"high": "low|high", "low": "low"},
    ),
    Row(
        means.Range(low=0, high=1).to_unit,
        {"raw": [0.5]},
        {"raw": [NAN, [2.0], [-1], ["a"], None, [1j], [[1], [1, 2]], np.ma.masked_array([0.5], mask=[True])]},
    ),
    Row(means.Range(low=0, high=1).from_unit, {"mean": [0.5]}, {"mean": [NAN, ["a"], None, [1j], [[1], [1, 2]]]}),
    Row(
        postprocess.interval,
        {"tally": ONE_TALLY},
        {"tally": TALLIES, "level": [NAN, 0, 1, -1, 2, "x", None, True, 1j, [0.5]]},
    ),
    # ------------------------------------------------------------------------------------- keys
    Row(
        population.discretise,
        {"values": [0.5], "rng": rng()},
        {"values": [None, "x", [NAN], [2], [[0.5]], ["a"], [1j], [True]], "rng": SOURCE},
    ),
    Row(
        population.holdings,
        {"records": PEOPLE, "d": 2},
        {"records": [*RECORDS, SETS, PEOPLE[:0]], "d": COUNT},
        {"records": "values|keys|records"},
    ),
    Row(
        ternary.clipped_mean,
        {"estimate": [[0.5], [0.1]], "n": 5},
        {"estimate": [None, "x", [1], 3, ["a", "b"], [[0.5]] * 3, [[NAN], [0]], [[1j], [0]]], "n": COUNT},
    ),
    Row(
        ternary.mean_of,
        {"estimate": [[0.5, 0.5], [0.1, 0]], "spread": KEYS.spread(PEOPLE)},
        {"estimate": [None, "x", [1], 3, [[0.5]] * 3, [[1j], [0]]], "spread": [None, 3, "x"]},
    ),
    Row(
        KEYS.plug_in,
        {"estimate": [[0.5, 0.2], [0.1, 0.1]], "n": 5},
        {"estimate": [None, "x", [1], 3, [[0.5]] * 3, [[NAN] * 2, [0] * 2], [[1j], [0]]], "n": COUNT},
    ),
    Row(KEYS.spread, {"values": PEOPLE}, {"values": [*RECORDS, SETS, PEOPLE[:0]]}, {"values": "values|keys"}),
    Row(
        KEYS.simulate_marginals,
        {"population": HOLDINGS, "trials": 2, "rng": rng()},
        {
            "population": [None, 3, PEOPLE, population.holdings(PEOPLE, 3)],
            "trials": COUNT,
            "rng": [*SOURCE, chance.SystemRandom()],
        },
    ),
    Row(
        privkv.privkvm,
        {"records": PEOPLE, "d": 2, "key_epsilon": 1.0, "value_epsilon": 1.0, "rounds": 2, "rng": rng()},
        {
            "records": [*RECORDS, SETS, PEOPLE[:0]],
            "d": COUNT,
            "key_epsilon": EPSILON,
            "value_epsilon": EPSILON,
            "rounds": COUNT,
            "rng": SOURCE,
            "stop": [NAN, -1, "x", 1j, [1], True],
        },
        {"records": "values|keys|records"},
    ),
    Row(
        privkv.privkvm_marginals,
        {"population": HOLDINGS, "key_epsilon": 1.0, "value_epsilon": 1.0, "rounds": 2, "trials": 2, "rng": rng()},
        {
            "population": [None, 3, PEOPLE],
            "key_epsilon": EPSILON,
            "value_epsilon": EPSILON,
            "rounds": COUNT,
            "trials": COUNT,
            "rng": SOURCE,
        },
    ),
    Row(
        privkv.privkvm_epsilon,
        {"key_epsilon": 1.0, "value_epsilon": 1.0, "rounds": 2},
        {"key_epsilon": EPSILON, "value_epsilon": EPSILON, "rounds": COUNT},
    ),
    Row(
        privkv.privkvm_bias,
        {"f": 0.5, "m": 0.5, "key_epsilon": 1.0, "rounds": 2},
        {"f": [NAN, -1, 2, "x", None, 1j], "m": [NAN, -2, 2, "x", None, 1j], "key_epsilon": EPSILON, "rounds": COUNT},
    ),
    Row(
        pckv.stale_epsilon,
        {"old": pckv.PCKVGRR(d=3, ell=2, epsilon=1.0), "d_new": 4},
        {"old": [None, 3, KEYS], "d_new": COUNT},
    ),
    Row(
        changing.batches,
        {"tallies": [KEYS_TALLY]},
        {"tallies": [None, [], 3, [TALLY], [None], KEYS_TALLY], "spreads": [[], 3, [None], [KEYS.spread(PEOPLE)] * 2]},
    ),
    Row(
        BATCHES.weighted,
        {"weights": np.full((2, 2), 0.5)},
        {"weights": [None, "x", [1], np.full((2, 2), NAN), np.full((2, 2), 1j), [["a"] * 2] * 2, [[1], [1, 2]]]},
    ),
    Row(hashing.digest, {"names": ["a"]}, {"names": ["a", [1], [None], None, 3, [b"a"]]}),
    # ------------------------------------------------------------------------------------- correlation
    Row(
        queries.to_bits,
        {"given": {"a": 1}, "keys": ("a", "b")},
        {
            "given": [None, "a", [("a", 1)], {"a": 2}, {"a": NAN}, {"c": 1}, {"a": None}, {3: 1}],
            "keys": [None, "ab", (), ("a", "a"), (1, 2), 3],
        },
        {"given": "given|key"},
    ),
    Row(
        encoding.encode,
        {"values": PEOPLE, "d": 2, "rng": rng()},
        {"values": [*RECORDS, SETS], "d": [*COUNT, 13], "rng": SOURCE},
        {"values": "values|keys", "d": "d|keys"},
    ),
    Row(
        queries.Table,
        {"keys": ("a",), "cells": np.ones(3) / 3},
        {
            "keys": [None, "a", (), ("a", "a"), (1,), ("a", "b")],
            "cells": [None, "x", 3, [], np.ones(4), np.full(3, NAN), ["a"] * 3, np.ones(3) * 1j],
        },
        {"keys": "keys|cells"},
    ),
    # ------------------------------------------------------------------------------------- items
    Row(privset.best_report_size, {"d": 5, "ell": 2, "epsilon": 1.0}, {"d": COUNT, "ell": COUNT, "epsilon": EPSILON}),
    Row(
        two_phases.restrict,
        {"records": SETS, "candidates": [0, 2]},
        {"records": [None, 3, [{0}]], "candidates": [[], [1, 1], [-1], [0.5], ["a"], None, 3, [NAN], [2**63]]},
    ),
    Row(
        two_phases.halves, {"records": SETS, "rng": rng()}, {"records": [None, 3, SETS[:1], [{0}, {1}]], "rng": SOURCE}
    ),
    Row(two_phases.largest, {"estimates": [0.1, 0.2], "k": 1}, {"estimates": SHARES, "k": [*COUNT, 3]}),
    Row(
        two_phases.gfim,
        {"records": SETS, "d": 3, "ell": 2, "epsilon": 1.0, "candidates": 2, "rng": rng()},
        {
            "records": [*RECORDS, SETS[:1], SETS[:0]],
            "d": COUNT,
            "ell": COUNT,
            "epsilon": EPSILON,
            "candidates": [*COUNT, 4],
            "rng": SOURCE,
        },
        {"records": "records|keys"},
    ),
    Row(
        two_phases.ldpminer,
        {"records": SETS, "d": 3, "ell": 2, "first_epsilon": 1.0, "second_epsilon": 1.0, "candidates": 2, "rng": rng()},
        {
            "records": [*RECORDS, SETS[:0]],
            "d": COUNT,
            "ell": COUNT,
            "first_epsilon": EPSILON,
            "second_epsilon": EPSILON,
            "candidates": [*COUNT, 4],
            "rng": SOURCE,
            "second": [None, 3, grr.GRR, "SampledSUE"],
        },
        {"records": "records|keys|values"},
    ),
    # ------------------------------------------------------------------------------------- strings
    Row(
        rappor.one_time,
        {"bits": 8, "hashes": 2, "cohorts": 2, "epsilon": 1.0},
        {"bits": COUNT, "hashes": COUNT, "cohorts": COUNT, "epsilon": EPSILON},
    ),
    Row(RAPPORT.exposure, {"reports": 3}, {"reports": COUNT}),
    Row(
        RAPPORT.memoise,
        {"values": ["a"], "rng": rng()},
        {"values": [None, "a", [], [None], [0.5], [["a"]], [b"a"]], "rng": SOURCE},
    ),
    Row(
        RAPPORT.respond,
        {"kept": RAPPORT.memoise(["a"], rng=rng()), "rng": rng()},
        {"kept": [None, "a", [], [1], np.zeros(2), RAPPORT.perturb(["a"], rng=rng())], "rng": SOURCE},
    ),
    Row(
        decode,
        {"tally": STRINGS, "items": ["a", "b"]},
        {
            "tally": [*TALLIES, TALLY],
            "items": [None, "ab", [], ["a", "a"], [0.5], [None], 3],
            "control": [None, "x", 3],
            "alarm": [NAN, 0, 1, -1, "x", None, True],
        },
    ),
    Row(
        unknown_strings.threshold,
        {"mechanism": WORDS, "spurious": 1.0},
        {"mechanism": [None, ORACLE, 3], "spurious": [NAN, 0, -1, math.inf, 10**30, "x", None, True]},
    ),
    Row(
        unknown_strings.dictionary,
        {"tally": WORDS_TALLY},
        {"tally": [*TALLIES, TALLY], "spurious": [NAN, 0, -1, "x", None], "limit": COUNT},
    ),
    Row(
        unknown_strings.discover,
        {"tally": WORDS_TALLY},
        {
            "tally": [*TALLIES, TALLY],
            "spurious": [NAN, 0, -1, "x", None],
            "limit": COUNT,
            "control": [None, "x"],
            "alarm": [NAN, 0, 1, "x", None],
        },
    ),
    # ------------------------------------------------------------------------------------- distortion
    Row(
        distortion.least_distortion,
        {"loss": [[0, 1], [1, 0]], "epsilon": 1.0},
        {"loss": [*SHARES, [[NAN, 1], [1, 0]], [1, 2]], "epsilon": [NAN, -1.0, math.inf, 33, "x", None, True, 1j]},
    ),
    Row(
        distortion.least_epsilon,
        {"loss": [[0, 1], [1, 0]], "distortion": 0.3},
        {"loss": [*SHARES, [1, 2]], "distortion": [NAN, -1.0, "x", None, 1j, True], "width": [NAN, 0, -1, "x", None]},
    ),
    Row(
        distortion.hamming_epsilon,
        {"k": 3, "delta": 0.3},
        {"k": [*COUNT, 1], "delta": [NAN, 0, -1, 2, "x", None, True, 1j]},
    ),
    Row(
        distortion.hamming_distortion,
        {"k": 3, "epsilon": 1.0},
        {"k": [*COUNT, 1], "epsilon": [NAN, -1, math.inf, "x", None, True, 1j]},
    ),
    Row(distortion.rate, {"k": 3, "m": 2}, {"k": [*COUNT, 1], "m": COUNT}),
    # ------------------------------------------------------------------------------------- choosing
    *(
        Row(kind, {"n": 100, "epsilon": 1.0} | good, ASKED | {name: CHOSEN[name] for name in good})
        for kind, good in (
            (choose.Item, {"k": 5, "share": 0.1, "listed": True}),
            (choose.Sets, {"d": 5, "m": 2, "share": 0.1, "listed": False}),
            (choose.Frequent, {"d": 5, "m": 2, "candidates": 3, "share": 0.1, "listed": True}),
            (choose.OneNumber, {}),
            (choose.Vector, {"d": 5}),
            (choose.Pairs, {"d": 5, "m": 2, "share": 0.1, "listed": True}),
            (choose.Correlation, {"d": 5, "share": 0.1}),
            (choose.Marginals, {"d": 5, "k": 3, "share": 0.1}),
            (choose.Crosstabs, {"d": 5, "k": 3, "share": 0.1}),
        )
    ),
    Row(
        choose.Item(n=9, epsilon=1.0, k=3).rank()[0].people,
        {"error": 0.1},
        {"error": [NAN, math.inf, -1.0, 0, True, None, "x", [1.0]]},
    ),
    # ------------------------------------------------------------------------------------- tables of many attributes
    Row(
        tables.symbols,
        {"mechanism": FLIP, "reports": BITS},
        {"mechanism": [None, [], [FLIP]], "reports": [None, 3, "x", BITS[:, :-1], BITS.astype(int), BITS[0], []]},
    ),
    Row(
        tables.likeliest,
        {"symbols": tables.symbols(FLIP, BITS), "sets": [(0, 1)]},
        {"sets": SETS_WRONG, "gap": [NAN, 0, -1, "x", 1j, True], "steps": COUNT},
    ),
    Row(
        tables.expectation,
        {"symbols": tables.symbols(FLIP, BITS), "sets": [(0, 1)], "stop": "gap"},
        {
            "sets": SETS_WRONG,
            "stop": ["", None, 3],
            "delta": [NAN, -1, "x", None, 1j, True],
            "start": [[["x"]], [NO_TABLE[0]], [[[1, 1], [1, 0]]], [[[1, 1]]], [[[1, 1], [1, 1j]]]],
            "steps": COUNT,
        },
    ),
    Row(
        tables.entropy,
        {"tables": [[0.2, 0.3], [0.4, 0.1]]},
        {"tables": [*NO_TABLE, [[0.5]]], "axes": [0, 3, NAN, -1, "x", True]},
    ),
    Row(
        tables.information,
        {"tables": [[0.2, 0.3], [0.4, 0.1]]},
        {"tables": [*NO_TABLE, [[0.5]]], "axis": [2, -3], "axes": [0, 3, NAN, -1, "x", True]},
    ),
    Row(
        maxent.max_entropy,
        {"d": 2, "sets": [(0,), (1,)], "parities": [0.1, 0.2], "variances": [0.1, 0.1]},
        {
            "d": [*COUNT, 99],
            "sets": [*SETS_WRONG, [], [(0, 9), (1,)], [(0.5,), (1,)], [(0,), (0,)]],
            "parities": [[0.1], [NAN, 0], 0.5, None, "x", ["a", "b"], [1j, 0]],
            "variances": [[0.1], [-1, 1], [0, NAN], None, "x", ["a", "b"], [1j, 0]],
            "penalty": [NAN, 0, -1, "x", None, 1j, True],
        },
    ),
    Row(
        maxent.consistent,
        {"sets": [(0, 1), (0,)], "tables": [np.full((2, 2), 0.25), [0.5, 0.5]], "people": [2, 1]},
        {
            "tables": [[table, [0.5, 0.5]] for table in NO_TABLE],
            "people": [[1], [1, 0], [1, -1], [NAN, 1], None, "x", ["a", "b"], [1j, 1]],
        },
        {"tables": "tables|people"},
    ),
    Row(
        BLOCKS.pooled_variance,
        {"drawn": [4] * 3, "s": (0, 1), "share": np.full((2, 2), 0.25)},
        {"drawn": [None, "x", [0] * 3, [-1] * 3, [0.5] * 3, [NAN] * 3, [[4]]], "s": [None, (0, 9), (1, 0), "x"]}
        | {"share": [None, "x", [["a"]], [[1j]], [[NAN]]]},
        {"s": "sets"},
    ),
    Row(
        BLOCKS.pair_tables_variance,
        {"drawn": [4] * 3, "pair": (0, 1), "share": np.full((2, 2), 0.25)},
        {"drawn": [None, "x", [0] * 3, [-1] * 3, [0.5] * 3, [NAN] * 3, [[4]]], "pair": [None, (0, 9), (1, 0), "x"]}
        | {"share": [None, "x", [["a"]], [[1j]], [[NAN]], [0.5, 0.5]]},
        {"pair": "sets"},
    ),
    Row(
        bayesnet.Scores,
        {"tables": {(0, 1): np.full((2, 2), 0.25)}},
        {"tables": [None, "x", {(0, 9, 1): [[1]]}, *({(0, 1): table} for table in NO_TABLE)]},
    ),
    Row(
        bayesnet.planted,
        {"sizes": (2, 2), "k": 1, "strength": 1.0, "rng": rng()},
        {
            "sizes": [(2, 1), (2, 2.0), (2, None)],
            "k": [*COUNT[:-1]],
            "strength": [NAN, 0, math.inf, "x", None, 1j, True],
        },
    ),
    Row(
        lopub.dependency,
        {"tables": [np.ones((2, 2)) / 4], "phi": 0.1},
        {
            "tables": [[np.ones(2)], *([table] for table in NO_TABLE), [np.ones((2, 2)) / 4] * 2],
            "phi": [NAN, -1, 2, "x", None, True],
        },
    ),
    Row(
        lopub.junction_tree,
        {"edges": [(0, 1)], "d": 3},
        {"edges": [[(0, 9)], [(0, 0)], [(0,)], [(0.5, 1)], ["ab"], [(-1, 0)]], "d": COUNT},
    ),
    Row(
        fidelity.avd,
        {"real": TABLE, "synthetic": TABLE, "sizes": (2, 2, 3), "a": 2},
        {
            "real": [TABLE * 9, TABLE[:, :2], TABLE * 0.5, -TABLE, None, "x", [["a"]], [[1], [1, 2]], TABLE * 1j],
            "synthetic": [TABLE * 9, TABLE[:, :2], {}, {(0, 1): [["x"]]}, {(0, 1): [[1j]]}],
            "a": [*COUNT, 4],
        },
        {"real": "values|data", "synthetic": "values|data"},
    ),
    # ------------------------------------------------------------------------------------- experiments and checks
    Row(
        experiment.sweep,
        {"measure": lambda rng, x: 1.0, "rng": rng(), "x": [1, 2]},
        {
            "measure": [None, 3, "x"],
            "rng": [*SOURCE, chance.SystemRandom()],
            "trials": COUNT,
            "x": [None, 3, [], "ab", {1, 2}, np.zeros((2, 2))],
            "jobs": [0, -2, 0.5, "x", None, NAN],
        },
    ),
    Row(
        experiment.precision,
        {"truth": [0.5, 0.5], "estimate": [0.4, 0.6], "top": 1},
        {"truth": SHARES, "estimate": SHARES, "top": [*COUNT, 3]},
    ),
    Row(
        experiment.relative_error,
        {"truth": [0.5, 0.5], "estimate": [0.4, 0.6], "top": 1},
        {"truth": SHARES, "estimate": SHARES, "top": [*COUNT, 3]},
    ),
    Row(verify.worst, {"laws": LAWS}, {"laws": [[], LAWS[:1]]}),
    Row(
        verify.sampled,
        {"mechanism": ORACLE, "values": np.arange(3), "reports": 1000, "rng": rng()},
        {
            "values": [[], [9], [0.5], "x"],
            "reports": [*COUNT, 999],
            "rng": SOURCE,
            "alarm": [NAN, 0, 1, -1, "x", None, True],
        },
    ),
    Row(
        audit.audit,
        {"client": ORACLE, "inputs": np.arange(2), "samples": 100, "rng": rng()},
        {
            "inputs": [[], [0], [0, 9], [0.5, 1]],
            "samples": [*COUNT, 99],
            "rng": SOURCE,
            "level": [NAN, 0, 1, -1, "x", None, True],
            "claimed": [NAN, -1, math.inf, "x", True, 1j],
        },
        {"inputs": "inputs|values"},
    ),
    Row(
        audit.ceiling,
        {"epsilon": 1.0, "samples": 1000},
        {"epsilon": [NAN, -1, "x", None, True, 1j], "samples": [*COUNT, 99], "level": [NAN, 0, 1, "x", None, True]},
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_bad_arguments_are_refused(row):
    row.call(**row.good)
    found = {}
    for name, several in row.bad.items():
        for bad in several:
            text = fault(lambda name=name, bad=bad: row.call(**row.good | {name: bad}), row.other_names.get(name, name))
            if text:
                found[name, repr(bad)[:60]] = text
    assert not found
