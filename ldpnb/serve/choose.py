r"""Which mechanism for which question: all that answer it, ranked by their own closed forms.

A question says what people hold, how many of them are asked, and what a report may cost: `Item`,
`Sets`, `Frequent`, `OneNumber`, `Vector`, `Distribution`, `Pairs`, `Correlation`, `Marginals`,
`Crosstabs`.  Its `rank` returns a `ldpnb.serve.ranking.Ranking`, which prints as a table: one
`ldpnb.serve.ranking.Choice` a mechanism, ready to be used; first those that can be used, the
smallest error first, then the others, each with what speaks against it.  Errors are read off the
mechanisms (`variance`, `worst_variance`, `plug_in`, `linear_variance`, `pooled_variance`): none is
written down here.

The questions that go backwards (how many people, which ε, which share can be told from zero) are
those of `ldpnb.serve.planning.Question`, the base of all.

What an error is of is said by each question.  All are standard errors of unbiased estimates, and n
people have 1/√n of the error of one.  Two errors that agree to nine digits count as equal, and then
the shorter report comes first.

A report has a private and a public part.  Both have to be sent, unless the public part (a seed, a
row, a cohort) can be derived from something that the server knows anyway: then `public_free` says
that it does not count.

Where the question that a person is asked is drawn in public, the error is that of the estimate that
divides by the number of people who were asked (`ldpnb.asked`, `Blocks.pair_tables`), as surveys do,
for equal numbers: those that are drawn scatter, which adds a part of about (L − 1)/n to the
variance if one of L questions is drawn.

Parameters of a mechanism are those of the least error at the share that is stated; where `bits` is
given, k-Subset and PrivSet take the largest sets that fit, a block design the best geometry that
fits, and Harmony for numbers and blocks the best number of numbers or attributes that fits.  All
else stays as its module has it: a grid of 64 steps for a number, a seed of 93 bits for a hash.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from math import comb, inf, sqrt
from typing import Any, ClassVar

import numpy as np

from ldpnb.asked import AsksSome
from ldpnb.attributes import BitFlip, Blocks, BloomFlip, DrawnAttributes, HarmonyFrequency, flip_for
from ldpnb.attributes.blocks import CELLS_MAX
from ldpnb.checks import EPSILON_MIN, in_full
from ldpnb.core import named
from ldpnb.keyvalue import (
    IOH,
    PCKVGRR,
    PCKVUE,
    PairSampling,
    PrivKV,
    Shares,
    SignedTernary,
    StateEncoding,
    StateEncodingSplit,
    Table,
    Wheel,
    WheelKV,
    mean_of,
)
from ldpnb.keyvalue.encoding import D_MAX
from ldpnb.keyvalue.states import SampledKey
from ldpnb.numbers import (
    HarmonyMean,
    Hierarchy,
    Hybrid,
    Laplace,
    MeanEst,
    Piecewise,
    SampledHybrid,
    TwoPoint,
    best_width,
    mean_variance,
)
from ldpnb.numbers.many_numbers import DIMENSIONS_MAX
from ldpnb.oracles import (
    GRR,
    OLH,
    OUE,
    PCE,
    SUE,
    BlockDesign,
    HadamardBit,
    HadamardResponse,
    ItemOracle,
    MatrixMechanism,
    SHist,
    SubsetSelection,
    best_blocks,
    best_order,
    best_size,
    people,
    size_for,
)
from ldpnb.records import Records
from ldpnb.serve._catalogue import catalogue
from ldpnb.serve.planning import Question as Question, Row as Row, bits_of
from ldpnb.serve.ranking import Choice as Choice, written
from ldpnb.sets import (
    PrivSet,
    SampledGRR,
    SampledHadamardBit,
    SampledSUE,
    SetMechanism,
    gfim,
    ldpminer,
)
from ldpnb.strings import ORR, RAPPOR, Hashed, Unknown, one_time

LARGEST = 10**6  # of a domain: the table of a mechanism's errors has a number an item
LONG = 10**5  # items for k-Subset: of more, counting the possible sets takes seconds
SHORT = 10**4  # the same for PrivSet
MOST = 10**4  # items or keys a person holds
MANY = 2**40  # people a block: so many that their number does not matter
TINY = "so small an ε cannot be divided"
STRINGS = "any strings; the client needs no list"
COMBINATIONS = 10  # keys for k-Subset over all combinations: 3^10 of them are below LONG

Variances = dict[str, float]  # n times the variance of an estimate, by what it is of


def _others(base: type[Any], rows: list[Row], **given: Any) -> list[Row]:
    """Rows of mechanisms on this base that have none yet, made of what their fields are given."""
    known = {row.name for row in rows}
    found = []
    kind: Any
    for kind in catalogue().values():
        if issubclass(kind, base) and kind.label not in known:
            own = {field.name: given[field.name] for field in fields(kind) if field.name in given}
            first_line, _, _ = (inspect.getdoc(kind) or "").partition("\n")
            found.append(Row(kind.label, partial(kind, **own), first_line.rstrip(".")))
    return found


# ----------------------------------------------------------------------------------- items and sets


@dataclass(frozen=True, kw_only=True)
class Item(Question):
    """One of k items a person: the error of the share of an item that a share of the people hold.

    All others hold another item, spread evenly where it matters which.

    Parameters
    ----------
    k : int in [2, 10**6]
        Number of items; where the client does not know them, of candidates that the server counts.
    share : float
        Of the item; 0, the default, is a rare one.
    listed : bool
        Whether all clients know the list of items.
    """

    k: int
    share: float = 0.0
    listed: bool = True
    limits: ClassVar = {"k": (2, LARGEST)}
    asked: ClassVar = "the share of an item"

    def _entries(self) -> int:
        return self.k

    def _rows(self) -> list[Row]:
        k = self.k
        e = self.epsilon
        cohorts = max(2, -(-4 * k // 31))  # of 32 bits: four equations a candidate
        one_time_rappor = partial(one_time, bits=32, hashes=1, cohorts=cohorts, epsilon=e)
        rappor = partial(ORR, k=32, cohorts=cohorts, epsilon=e)
        by_hash = "for strings; variance(values, items) has its error, hash by hash"
        table = "its random table adds an error that no number of people averages away"
        rows = [
            Row(GRR.label, partial(GRR, k=k, epsilon=e), "names one item"),
            self._subset_row(),
            Row(OUE.label, partial(OUE, k=k, epsilon=e), "a bit for each item"),
            Row(SUE.label, partial(SUE, k=k, epsilon=e), "a bit for each item, as RAPPOR has it"),
            Row(OLH.label, partial(OLH, k=k, epsilon=e), "a slot of a public hash"),
            Row(HadamardBit.label, partial(HadamardBit, k=k, epsilon=e), "one private bit"),
            Row(HadamardResponse.label, self._response, "short, without a public part"),
            Row(
                BlockDesign.label,
                self._design,
                "short, and as good as the best set of items, or nearly",
            ),
            Row(Wheel.label, partial(Wheel, epsilon=e, m=1), STRINGS),
            Row(SHist.label, SHist, table),
            Row(
                PCE.label,
                partial(PCE, k=k, levels=(e,)),
                "for people who choose their own ε",
                barred=True,
            ),
            Row(RAPPOR.label, one_time_rappor, by_hash, barred=True),
            Row(ORR.label, rappor, by_hash, barred=True),
            Row(
                Unknown.label,
                Unknown,
                "for strings that nobody can list; no closed form for the whole",
            ),
            Row(
                MatrixMechanism.label,
                MatrixMechanism,
                "for a channel of your own, as ldpnb.numbers finds them",
            ),
        ]
        return rows + _others(ItemOracle, rows, k=k, epsilon=e)

    def _subset_row(self) -> Row:
        why = "least total error of all; names a set of items"
        if self.k > LONG:
            return Row(SubsetSelection.label, SubsetSelection, why, beyond=f"k = {LONG:,}")
        return Row(SubsetSelection.label, self._subset, why)

    def _subset(self) -> SubsetSelection:
        """Return that with the best size at this share; 0 where ε alone gives it."""
        size = size_for(self.k, self.epsilon, self.share)
        if size == best_size(self.k, self.epsilon):
            size = 0
        made = SubsetSelection(k=self.k, epsilon=self.epsilon, size=size)
        return self._shortened(made, self.k)  # type: ignore[no-any-return]

    def _design(self) -> BlockDesign:
        if self.bits is None:
            order = best_order(self.k, self.epsilon, share=self.share)
        else:
            order = best_order(self.k, self.epsilon, share=self.share, most=2**self.bits)
        return BlockDesign(k=self.k, epsilon=self.epsilon, q=order)

    def _response(self) -> HadamardResponse:
        blocks = best_blocks(self.k, self.epsilon, self.share)
        return HadamardResponse(k=self.k, epsilon=self.epsilon, blocks=blocks)

    def _variances(self, mechanism: Any) -> Variances:
        if isinstance(mechanism, Hashed):
            return {}
        if isinstance(mechanism, Wheel):
            own, other = mechanism.variance(Records.of({0}, set()), [0])[:, 0]
            return self._of_share(own, other)
        one_person = people([0], [0]) if isinstance(mechanism, PCE) else [0]
        noise = mechanism.variance(one_person)[0]
        return self._of_share(noise[0], noise[1:].mean())


@dataclass(frozen=True, kw_only=True)
class Sets(Question):
    """Up to m of d items a person: the error of the share of people who hold an item.

    Sets are padded to m.

    Parameters
    ----------
    d : int in [1, 10**6]
        Number of items; where the client does not know them, of candidates that the server counts.
    m : int in [1, min(d, 10**4)]
        Items a person holds, at most.
    share : float
        Of the people, who hold the item; 0, the default, is a rare one.
    listed : bool
        Whether all clients know the list of items.
    """

    d: int
    m: int
    share: float = 0.0
    listed: bool = True
    limits: ClassVar = {"d": (1, LARGEST), "m": (1, MOST)}
    asked: ClassVar = "the share of people who hold an item"

    def _entries(self) -> int:
        return self.d

    def _rows(self) -> list[Row]:
        shape: Any = {"d": self.d, "ell": self.m, "epsilon": self.epsilon}
        rows = [
            Row(SampledGRR.label, partial(SampledGRR, **shape), "names one item"),
            self._privset_row(),
            Row(Wheel.label, partial(Wheel, m=self.m, epsilon=self.epsilon), STRINGS),
            Row(
                SampledHadamardBit.label,
                partial(SampledHadamardBit, **shape),
                "one private bit about one item of the set",
            ),
            Row(
                SampledSUE.label,
                partial(SampledSUE, **shape),
                "a bit for each item, about one item of the set",
            ),
        ]
        return rows + _others(SetMechanism, rows, **shape)

    def _privset_row(self) -> Row:
        why = "a set of items about the whole set"
        if self.d > SHORT:
            return Row(PrivSet.label, PrivSet, why, beyond=f"d = {SHORT:,}")
        return Row(PrivSet.label, self._privset, why)

    def _privset(self) -> PrivSet:
        made = PrivSet(d=self.d, ell=self.m, epsilon=self.epsilon)
        return self._shortened(made, self.d + self.m)  # type: ignore[no-any-return]

    def _variances(self, mechanism: Any) -> Variances:
        items = named([0] if isinstance(mechanism, Wheel) else None)
        own, other = mechanism.variance(Records.of({0}, set()), *items)[:, 0]
        return self._of_share(own, other)


@dataclass(frozen=True, kw_only=True)
class Frequent(Sets):
    """The most frequent of d items, up to m a person.

    The answers are those of `Sets`, and two methods that look for candidates first.  In two phases
    the error is that of a candidate on a list that is fixed beforehand; whether the right items
    come onto the list has no closed form, so that two phases are not ranked.

    Parameters
    ----------
    candidates : int in [1, d]
        Length of the list of the second phase, k_max.
    """

    candidates: int
    limits: ClassVar = Sets.limits | {"candidates": (1, LARGEST)}

    def _choices(self) -> list[Choice]:
        phases = [self._phases("GFIM", gfim), self._phases("LDPMiner", ldpminer)]
        return super()._choices() + phases

    def _phases(self, name: str, method: Callable[..., Any]) -> Choice:
        """Return a method in which each person reports once, in one of two halves, or twice."""
        reports = 1 if method is gfim else 2
        if self.epsilon < reports * EPSILON_MIN:
            return self._choice(Row(name, method, TINY))
        made = partial(method, d=self.d, ell=self.m, candidates=self.candidates)
        if method is gfim:
            made = partial(made, epsilon=self.epsilon, corrected=True)
        else:
            half = self.epsilon / 2
            made = partial(made, first_epsilon=half, second_epsilon=half)
        public = [phase.public_bits for phase in self._two(made)]
        error = sqrt(self._variances(made)["share"] / self.n)
        why = "the error is on a fixed list; that the right items come onto it has no closed form"
        return replace(
            self._choice(Row(name, method, why)),
            mechanism=made,
            errors={"share": error},
            error=error,
            private_bits=reports,
            public_bits=max(public) if method is gfim else sum(public),
        )

    def _two(self, method: partial[Any]) -> tuple[SampledHadamardBit, SampledHadamardBit]:
        """Return the mechanisms of both phases."""
        if method.func is gfim:
            e = method.keywords["epsilon"]
            padded = min(self.m, self.candidates)
        else:
            e = method.keywords["first_epsilon"]
            padded = self.candidates
        first = SampledHadamardBit(d=self.d, ell=self.m, epsilon=e)
        second = SampledHadamardBit(d=self.candidates, ell=padded, epsilon=e)
        return first, second

    def _variances(self, mechanism: Any) -> Variances:
        if not isinstance(mechanism, partial):
            return super()._variances(mechanism)
        first, second = self._two(mechanism)
        before = super()._variances(first)["share"]
        after = super()._variances(second)["share"]
        if mechanism.func is not gfim:
            return {"share": after}
        rare = first.rare_variance
        weight = rare / (rare + second.rare_variance)  # as the methods weigh
        return {"share": 2 * ((1 - weight) ** 2 * before + weight**2 * after)}


# ------------------------------------------------------------------------------------------ numbers


@dataclass(frozen=True, kw_only=True)
class OneNumber(Question):
    """One number a person: the error of the mean, for the worst numbers that people can have.

    Parameters
    ----------
    low, high : float
        Range of the numbers, in whose unit the error is; the mechanism itself takes numbers in
        [−1, 1], as ``Range(low=…, high=…).to_unit`` makes them.
    """

    low: float = -1.0
    high: float = 1.0
    needs_list: ClassVar = False

    def _what(self) -> str:
        return f"the mean of a number in [{in_full(self.low)}, {in_full(self.high)}]"

    def _entries(self) -> int:
        return 1

    def _population(self, mechanism: Any) -> Variances:
        return {"mean": float(mechanism.second_moments.max())}

    def _rows(self) -> list[Row]:
        e = self.epsilon
        hybrid = partial(_widened, Hybrid(epsilon=e))
        piecewise = partial(_widened, Piecewise(epsilon=e))
        return [
            Row(TwoPoint.label, partial(TwoPoint, epsilon=e), "one private bit"),
            Row(Hybrid.label, hybrid, "the same error wherever the number is"),
            Row(Piecewise.label, piecewise, "better in the middle of the range"),
            Row(Laplace.label, partial(Laplace, epsilon=e), "noise of a size that is known to all"),
        ]

    def _variances(self, mechanism: Any) -> Variances:
        return {"mean": mechanism.worst_variance}


def _widened(made: Piecewise | Hybrid) -> Piecewise | Hybrid:
    return replace(made, width=best_width(made))


@dataclass(frozen=True, kw_only=True)
class Vector(Question):
    """A vector of d numbers a person: the error of each mean, for the worst numbers.

    Parameters
    ----------
    d : int in [2, 10**6]
    low, high : float
        Range of all the numbers, as in `OneNumber`.
    """

    d: int
    low: float = -1.0
    high: float = 1.0
    limits: ClassVar = {"d": (2, LARGEST)}
    needs_list: ClassVar = False

    def _what(self) -> str:
        scale = f"[{in_full(self.low)}, {in_full(self.high)}]"
        return f"the mean of each of {self.d:,} numbers in {scale}"

    def _entries(self) -> int:
        return self.d

    def _population(self, mechanism: Any) -> Variances:
        return {"mean": float(mechanism.second_moments.max())}

    def _rows(self) -> list[Row]:
        shape: Any = {"d": self.d, "epsilon": self.epsilon}
        beyond = f"d = {DIMENSIONS_MAX:,}" if self.d > DIMENSIONS_MAX else ""
        sampled = partial(SampledHybrid, **shape)
        all_at_once = partial(MeanEst, **shape)
        return [
            Row(
                HarmonyMean.label,
                self._harmony,
                "one private bit for each number asked about",
            ),
            Row(SampledHybrid.label, sampled, "several cells where ε is large"),
            Row(MeanEst.label, all_at_once, "a bit for each number, all at once", beyond=beyond),
        ]

    def _harmony(self) -> HarmonyMean:
        """Return that which asks about the best number of numbers.

        Less than 1 of ε for each is never best.
        """
        counts = range(1, max(1, min(self.d, int(self.epsilon))) + 1)
        made = [HarmonyMean(d=self.d, epsilon=self.epsilon, count=count) for count in counts]
        if self.bits is not None:
            fit = [one for one in made if self._sent(one.report_bits, one.public_bits) <= self.bits]
            made = fit or made
        return min(made, key=lambda one: one.worst_variance)

    def _variances(self, mechanism: Any) -> Variances:
        return {"mean": mechanism.worst_variance}


@dataclass(frozen=True, kw_only=True)
class Distribution(Question):
    """One of k cells of a number a person: the error of the share of a range of cells.

    That is the root of the mean variance over all ranges, for people who are spread evenly.  For
    ranges of a few cells alone, `Item` is nearer to what is asked.

    Parameters
    ----------
    k : int in [2, 1024]
        Number of cells; a power of two suits a hierarchy best.
    """

    k: int
    limits: ClassVar = {"k": (2, 1024)}
    asked: ClassVar = "the share of a range"
    needs_list: ClassVar = False
    # the errors of a block design are those of its blocks, which the page does not know
    on_page: ClassVar = False

    def _entries(self) -> int:
        return self.k * (self.k + 1) // 2

    def _population(self, mechanism: Any) -> Variances:
        # shares of ranges, of which k are of one cell, and one of all
        share = np.arange(1, self.k + 1) / self.k
        chance = np.average(share * (1 - share), weights=np.arange(self.k, 0, -1))
        found = self._variances(mechanism)
        return {what: variance + float(chance) for what, variance in found.items()}

    def _rows(self) -> list[Row]:
        k = self.k
        e = self.epsilon
        single = "all cells are items: for ranges of a few cells"
        # larger geometries are better at a large ε only, where k-RR is better still
        design = partial(BlockDesign, k=k, epsilon=e, q=best_order(k, e, 4096))
        rows = [
            Row(
                Hierarchy.label,
                partial(Hierarchy.of, k, e),
                "a block of a public width, of one to k/4 cells",
            ),
            Row(
                f"{Hierarchy.label}, one bit",
                partial(Hierarchy.of, k, e, HadamardBit),
                "one private bit about it",
            ),
        ]
        for oracle in (GRR, SubsetSelection, OUE, HadamardBit):
            rows.append(Row(oracle.label, partial(oracle, k=k, epsilon=e), single))
        rows.append(Row(BlockDesign.label, design, single))
        shapes = "density(tally) finds a smooth shape; no closed form, no intervals"
        piecewise = partial(Piecewise, epsilon=e, steps=max(1, k - 1))
        rows.append(Row(Piecewise.label, piecewise, shapes, barred=True))
        return rows

    def _variances(self, mechanism: Any) -> Variances:
        if isinstance(mechanism, Piecewise):
            return {}
        return {"range": mean_variance(mechanism)}


# ---------------------------------------------------------------------------------- keys and values


@dataclass(frozen=True, kw_only=True)
class Pairs(Question):
    """Up to m of d keys a person, each with a value: a key's share of holders, and their mean.

    Ranked by the root of the summed variances of the estimates of share and share × mean, for a key
    whose values have mean 0 and scatter most.  Records are padded to m, except for SE, PrivKV and
    "SE, all keys", which know no m: they protect records of any length, and the last has ε/d for
    each key where ε/min(d, 2m) would do.  The error of the mean is that of the ratio, to first
    order.

    Units: shares are fractions; the mean is in that of [low, high], [−1, 1] if nothing is said, so
    that 0.30 is 0.60 stars of 1 to 5; share × mean, which helps to rank, is always that of values
    in [−1, 1].

    Parameters
    ----------
    d : int in [1, 10**6]
        Number of keys; where the client does not know them, of candidates that the server counts.
    m : int in [1, min(d, 10**4)]
        Keys a person holds, at most.
    share : float
        Of the people, who hold the key.
    listed : bool
        Whether all clients know the list of keys.
    low, high : float
        Range of the values, as in `OneNumber`.

    Examples
    --------
    >>> from ldpnb.serve import choose
    >>> best = choose.Pairs(n=200_000, epsilon=1.0, d=300, m=8, low=1, high=5).rank().best
    >>> round(best.errors["mean"], 2)  # stars
    0.39
    """

    d: int
    m: int
    share: float = 0.1
    listed: bool = True
    low: float = -1.0
    high: float = 1.0
    limits: ClassVar = Sets.limits

    def _what(self) -> str:
        scale = f"[{in_full(self.low)}, {in_full(self.high)}]"
        return f"the share of a key's holders and of the mean of their values in {scale}"

    def _entries(self) -> int:
        return 2 * self.d

    def _population(self, mechanism: Any) -> Variances:
        # of products with the scatter of values in it, which clients round to ±1
        given = self._variances(mechanism)
        return given | {"share": given["share"] + self.share * (1 - self.share)}

    def _rows(self) -> list[Row]:
        d = self.d
        m = self.m
        e = self.epsilon
        rows = [
            Row(WheelKV.label, partial(WheelKV, m=m, epsilon=e), STRINGS),
            Row(
                PCKVGRR.label,
                partial(PCKVGRR, d=d, ell=m, epsilon=e),
                "names one pair of one's own",
            ),
            Row(
                PCKVUE.label,
                partial(PCKVUE, d=d, ell=m, epsilon=e),
                "an answer for each key, about one pair of one's own",
            ),
            Row(
                StateEncoding.label,
                partial(StateEncoding, d=d, epsilon=e),
                "three states of one public key",
            ),
            self._split_row(),
            Row(
                StateEncodingSplit.label,
                partial(StateEncodingSplit, d=d, epsilon=e),
                "the states of all keys, each with a part of ε",
            ),
        ]
        return rows + _others(SignedTernary, rows, d=d, ell=m, epsilon=e)

    def _split_row(self) -> Row:
        if self.epsilon < 2 * EPSILON_MIN:
            return Row(PrivKV.label, PrivKV, TINY)
        make = partial(PrivKV.tight_split, self.d, self.epsilon)
        return Row(PrivKV.label, make, "one public key, with a part of ε for the sign")

    def _variances(self, mechanism: Any) -> Variances:
        estimate = np.array([[self.share], [0.0]])
        if isinstance(mechanism, SampledKey):  # it is the estimate of those who were asked
            spread = mechanism.plug_in_of_asked(estimate, 1)
        else:
            spread = mechanism.plug_in(estimate, 1)
        share, product = spread.variance[:, 0].tolist()
        found = {"share": share, "share × mean": product}
        if self.share:
            found["mean"] = float(mean_of(estimate, spread).error[0]) ** 2
        return found

    def _code(self, mechanism: Any) -> str:
        if isinstance(mechanism, PrivKV):  # whose two ε are rounded so that their sum is kept
            return f"PrivKV.tight_split({self.d}, {self.epsilon!r})"
        return super()._code(mechanism)

    def _error(self, errors: dict[str, float]) -> float:
        if not errors:
            return inf
        return sqrt(errors["share"] ** 2 + errors["share × mean"] ** 2)


@dataclass(frozen=True, kw_only=True)
class Correlation(Question):
    """Which of d keys a person holds: the error of the share who hold both of two keys.

    All others hold none of the two.

    Parameters
    ----------
    d : int in [2, 1000]
        Number of keys.
    share : float
        Of the people, who hold both; 0, the default, is a rare pair.
    """

    d: int
    share: float = 0.0
    limits: ClassVar = {"d": (2, 1000)}
    asked: ClassVar = "the share who hold both of two keys"

    def _entries(self) -> int:
        return comb(self.d, 2)

    def _rows(self) -> list[Row]:
        keys = tuple(f"key {i}" for i in range(1, self.d + 1))
        oracles = {
            "k-RR": GRR,
            "k-Subset": SubsetSelection,
            "OUE": OUE,
            "Hadamard bit": HadamardBit,
        }
        rows = []
        for name, oracle in oracles.items():
            most = COMBINATIONS if oracle is SubsetSelection else D_MAX
            beyond = f"d = {most}" if self.d > most else ""
            whole = partial(IOH.of, keys, oracle, self.epsilon)
            pair = partial(PairSampling.of, keys, oracle, self.epsilon)
            rows.append(Row(f"IOH, {name}", whole, "all combinations of all keys", beyond=beyond))
            rows.append(Row(f"pairs, {name}", pair, "one public pair of keys a person"))
        return rows

    def _variances(self, mechanism: Any) -> Variances:
        if isinstance(mechanism, IOH):
            keys = mechanism.keys
            pairs = 1
        else:
            keys = mechanism.keys[:2]
            pairs = len(mechanism.pairs)
        shares = np.zeros((3,) * len(keys))
        none = (1,) * len(keys)
        both = (2, 2, *none[2:])
        shares[none] = 1 - self.share
        shares[both] = self.share
        collected = Shares(keys, shares.reshape(-1), MANY, mechanism.oracle, pairs)
        table = Table(keys, collected.shares, collected)
        error = table.count(dict.fromkeys(keys[:2], 1)).error
        return {"both": float(error) ** 2 * MANY}


# ---------------------------------------------------------------------------------- many attributes


@dataclass(frozen=True, kw_only=True)
class Marginals(Question):
    """One of k values of each of d attributes: the error of one value's share of one attribute.

    For blocks it is that of the estimate that uses all blocks, each of them drawn equally often.

    "One attribute" is `DrawnAttributes` with the oracle that answers best about one item, as `Item`
    ranks them.

    Parameters
    ----------
    d : int in [2, 100]
    k : int in [2, 1000]
    share : float
        Of the value; 0, the default, is a rare one.
    """

    d: int
    k: int
    share: float = 0.0
    limits: ClassVar = {"d": (2, 100), "k": (2, 1000)}
    attributes: ClassVar[int] = 1  # of a table
    asked: ClassVar = "the share of one value of one attribute"

    def _entries(self) -> int:
        return comb(self.d, self.attributes) * int(self.k**self.attributes)

    def _choices(self) -> list[Choice]:
        return [*super()._choices(), self._choice(self._drawn())]

    def _item(self) -> Item:
        return Item(
            n=1,
            epsilon=self.epsilon,
            k=self.k**self.attributes,
            share=self.share,
            public_free=self.public_free,
        )

    def _drawn(self) -> Row:
        """Return the best oracle for one attribute, or one pair, that is drawn in public."""
        draws = comb(self.d, self.attributes)
        item = self._item()
        best = item.rank()[0]
        if self.bits is not None:
            left = self.bits - self._sent(0, bits_of(draws))
            if left > 0:
                fitting = replace(item, bits=left).rank()[0]
                best = best if fitting.excluded else fitting
        sizes = (self.k,) * self.d
        make = partial(DrawnAttributes, sizes=sizes, order=self.attributes, oracle=best.mechanism)
        what = "attribute" if self.attributes == 1 else "pair"
        why = "drawn by each person in public, and answered with all of ε"
        return Row(f"one {what}, {best.name}", make, why)

    def _rows(self) -> list[Row]:
        sizes = (self.k,) * self.d
        flip = flip_for(self.epsilon, 2 * self.d)
        beyond = f"d·k² = {LARGEST:,}" if self.d * self.k**2 > LARGEST else ""
        return [
            Row(
                HarmonyFrequency.label,
                partial(HarmonyFrequency, sizes=sizes, epsilon=self.epsilon),
                "one private bit about one public attribute",
            ),
            self._blocks(),
            Row(
                BitFlip.label,
                partial(BitFlip, sizes=sizes, f=flip),
                "a bit for each value, with a part of ε for each attribute",
                beyond=beyond,
            ),
            Row(
                BloomFlip.label,
                BloomFlip,
                "for more values than bits; its error depends on the hashes",
            ),
        ]

    def _blocks(self) -> Row:
        """Return blocks of the best size: larger ones as long as that makes the error smaller."""
        why = "k-RR on a public block of attributes"
        make = partial(Blocks, sizes=(self.k,) * self.d, epsilon=self.epsilon)
        sizes = []
        for size in range(2, self.d + 1):
            if comb(self.d, size) * self.k**size <= CELLS_MAX:
                sizes.append(size)
        if not sizes:
            return Row(Blocks.label, make, why, beyond=f"{CELLS_MAX:,} cells of a tally")
        if self.bits is not None:
            sizes = [size for size in sizes if self._bits_of_block(size) <= self.bits] or sizes
        best = make(size=sizes[0])
        for size in sizes[1:]:
            larger = make(size=size)
            if self._variances(larger)["share"] >= self._variances(best)["share"]:
                break
            best = larger
        return Row(Blocks.label, partial(replace, best), why)

    def _bits_of_block(self, size: int) -> int:
        """Return how many bits a report about a block of so many attributes has."""
        return self._sent(bits_of(self.k**size), bits_of(comb(self.d, size)))

    def _code(self, mechanism: Any) -> str:
        if isinstance(mechanism, BitFlip):  # whose f is rounded so that ε is kept
            flip = f"flip_for({self.epsilon!r}, {2 * self.d})"
            return f"BitFlip(sizes={written(mechanism.sizes)}, f={flip})"
        return super()._code(mechanism)

    def _variances(self, mechanism: Any) -> Variances:
        if isinstance(mechanism, Blocks):
            return {"share": self._of_blocks(mechanism)}
        if isinstance(mechanism, DrawnAttributes):
            one = self._item()._variances(mechanism.oracle)["share"]
            asked = mechanism.questions
            return {"share": asked * one + (asked - 1) * self.share * (1 - self.share)}
        two_people = np.array([[0], [1]]).repeat(len(mechanism.sizes), 1)
        own, other = mechanism.variance(two_people)[:, 0]
        found = self._of_share(own, other)
        if isinstance(mechanism, AsksSome):  # of those who were asked: less by the squared share
            found["share"] -= (1 / mechanism.asked - 1) * self.share**2
        return found

    def _of_blocks(self, mechanism: Blocks) -> float:
        """Return n times the variance of `tables`, all blocks being drawn equally often."""
        drawn = np.full(len(mechanism.blocks), MANY)
        variance = mechanism.pooled_variance(drawn, (0,), np.full(self.k, self.share))
        return float(variance[0]) * float(drawn.sum())


@dataclass(frozen=True, kw_only=True)
class Crosstabs(Marginals):
    """One of k values of each of d attributes: the error of one cell's share of a pair's table.

    "One pair" is what "one attribute" is to `Marginals`.  For blocks it is that of
    `Blocks.pair_tables`, which depends on the other cells, too, here taken to be equally frequent;
    or that of `Blocks.tables`, where it is less: for rare cells at a large ε.

    Parameters
    ----------
    d : int in [2, 100]
    k : int in [2, 1000]
    share : float
        Of the cell; 0, the default, is a rare one.
    """

    attributes: ClassVar = 2
    asked: ClassVar = "the share of one cell of the table of two attributes"

    def _rows(self) -> list[Row]:
        sizes = (self.k**2,) * comb(self.d, 2)
        beyond = f"{LARGEST:,} cells of all pairs" if sum(sizes) > LARGEST else ""
        fitted = "tables of pairs are fitted (ldpnb.attributes), which has no closed form"
        return [
            Row(
                "Harmony, pairs",
                partial(HarmonyFrequency, sizes=sizes, epsilon=self.epsilon),
                "one private bit about the cell of one public pair",
                beyond=beyond,
            ),
            self._blocks(),
            Row(BitFlip.label, BitFlip, fitted),
            Row(BloomFlip.label, BloomFlip, fitted),
        ]

    def _of_blocks(self, mechanism: Blocks) -> float:
        """Return n times the variance of `tables` or `pair_tables`, whichever has less.

        All blocks are drawn equally often.
        """
        drawn = np.full(len(mechanism.blocks), MANY)
        table = np.full((self.k, self.k), (1 - self.share) / (self.k**2 - 1))
        table[0, 0] = self.share
        of_tables = mechanism.pooled_variance(drawn, (0, 1), table)
        of_pair_tables = mechanism.pair_tables_variance(drawn, (0, 1), table)
        variance = min(float(of_tables[0, 0]), float(of_pair_tables[0, 0]))
        return variance * float(drawn.sum())


TASKS: dict[str, type[Question]] = {
    "item": Item,
    "sets": Sets,
    "frequent": Frequent,
    "number": OneNumber,
    "numbers": Vector,
    "distribution": Distribution,
    "pairs": Pairs,
    "correlation": Correlation,
    "marginals": Marginals,
    "crosstabs": Crosstabs,
}
