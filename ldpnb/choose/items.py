"""Questions about items: one a person, a set of them, the most frequent ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from typing import Any, ClassVar

from ldpnb.checks import EPSILON_MIN
from ldpnb.choose._rows import LARGEST, STRINGS, TINY, Variances, other_rows
from ldpnb.choose.planning import Question, Row
from ldpnb.choose.ranking import Choice
from ldpnb.core import named
from ldpnb.keyvalue import Wheel
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

LONG = 10**5  # items for k-Subset: of more, counting the possible sets takes seconds
SHORT = 10**4  # the same for PrivSet
MOST = 10**4  # items or keys a person holds


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
        return rows + other_rows(ItemOracle, rows, k=k, epsilon=e)

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
        return rows + other_rows(SetMechanism, rows, **shape)

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
