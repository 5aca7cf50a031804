"""Questions about many categorical attributes: their shares, and tables of two of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import comb
from typing import Any, ClassVar

import numpy as np

from ldpnb.asked import AsksSome
from ldpnb.attributes import BitFlip, Blocks, BloomFlip, DrawnAttributes, HarmonyFrequency, flip_for
from ldpnb.attributes.blocks import CELLS_MAX
from ldpnb.choose._rows import LARGEST, MANY, Variances
from ldpnb.choose.items import Item
from ldpnb.choose.planning import Question, Row, bits_of
from ldpnb.choose.ranking import Choice, written


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
