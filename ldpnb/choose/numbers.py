"""Questions about numbers: one a person, a vector of them, their distribution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ldpnb.checks import in_full
from ldpnb.choose._rows import LARGEST, Variances
from ldpnb.choose.planning import Question, Row
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
from ldpnb.oracles import GRR, OUE, BlockDesign, HadamardBit, SubsetSelection, best_order


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
