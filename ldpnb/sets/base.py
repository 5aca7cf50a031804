r"""Sets of items: what the server does, whichever mechanism hides the items.

A person's set is padded to ℓ items with dummies.  Of a set of more than ℓ items each counts as
ℓ/size only: t_i, what person i is expected to add to the estimate of an item, is min(1, ℓ/size)
for the items of the person and 0 for the others.

A report *supports* some items.  It is about an item with probability h = t_i/L.  It supports the
item with probability p if so, and with probability q otherwise: for all mechanisms this is a pure
protocol, but about a part of what people hold.  With C_v supporting reports among n,

    f̂_v = L (C_v/n − q)/(p − q),
    n² Var f̂_v = Σ_i L² P_i (1 − P_i)/(p − q)²,    P_i = hp + (1 − h)q.

Three mechanisms draw one of the ℓ items, L = ℓ; `PrivSet` speaks of all of them at once, L = 1.

====================  =======================================  ====================================
mechanism             what hides the item                      n Var of an item that nobody holds
====================  =======================================  ====================================
`SampledHadamardBit`  one sign of its column of Sylvester's H  ℓ² c²,  c = (e^ε+1)/(e^ε−1)
`SampledSUE`          a bit for each item                      ℓ² s/(s−1)²,  s = e^{ε/2}
`SampledGRR`          the other items and the dummies          [d+ℓ−1+ℓ(e^ε−1)]/(e^ε−1)²
`PrivSet`             the other items of a set                 `SampledGRR`'s at most, at best size
====================  =======================================  ====================================

The first two hide one item as if it were all that a person holds.  The other two gain from what it
is, a small part.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ldpnb.checks import SIZE_MAX, Limit, check_epsilon
from ldpnb.core import Example, Floats, Ints, Mechanism, Tally, Values
from ldpnb.oracles.base import (
    Support,
    rare_variance,
    support_chances,
    support_estimate,
    support_squares,
    support_variance,
)
from ldpnb.oracles.supported import counted_supporters, interval_of_supporters
from ldpnb.records import Records, check_records


@dataclass(frozen=True, kw_only=True)
class SetMechanism(Mechanism):
    """Base of the mechanisms for sets: a subclass adds its client, its server's count, and p and q.

    It gives `support`, `realised_epsilon`, `layout`, `_perturb` and `_count`; also `scale` if it
    does not draw one item, and `supporters` if its tallies do not count the supporters of each.

    Values are `Records`, of which the keys alone are used.

    Parameters
    ----------
    d : int, at least 1
        Number of items, 0, …, d − 1.
    ell : int, at least 1
        Padding length ℓ.
    epsilon : float
    """

    d: int
    ell: int
    epsilon: float
    limits: ClassVar[Mapping[str, Limit]] = {
        "d": (1, SIZE_MAX),
        "ell": (1, SIZE_MAX),
        "epsilon": check_epsilon,
    }
    tried = [
        {"d": 2, "ell": 1, "epsilon": 1.0},
        {"d": 3, "ell": 1, "epsilon": 4.0},
        {"d": 4, "ell": 2, "epsilon": 0.7},
    ]

    # ---------------------------------------------------------------- what a subclass must give

    @property
    @abstractmethod
    def support(self) -> Support:
        """(p, q): probability that a report supports the item that it is about, and any other."""

    @property
    def scale(self) -> int:
        """L, what estimates are multiplied by: ℓ, since one of ℓ items is drawn."""
        return self.ell

    @property
    def width(self) -> int:
        """Number of items, dummies included: d + ℓ."""
        return self.d + self.ell

    # ------------------------------------------------------------------------ values and target

    def _values(self, values: Values) -> Records:
        return check_records(values, d=self.d)

    def expected(self, values: Values) -> Floats:
        """min(1, ℓ/size) for the items that the person holds, zero for the others: (n, d)."""
        records = self._values(values)
        users = records.users
        each = self.ell / np.maximum(records.sizes, self.ell)
        found = np.zeros((len(records), self.d))
        found[users, records.keys] = each[users]
        return found

    # -------------------------------------------------------------------------------- the server

    def supporters(self, tally: Tally) -> Floats:
        """Count the reports that support each item, (…, d)."""
        return counted_supporters(tally)

    def _score(self, tally: Tally) -> Floats:
        """L (C/n − q)/(p − q): (…, d)."""
        return support_estimate(self.supporters(tally), tally.n, self.support, self.scale)

    def _squares(self, tally: Tally) -> Floats:
        return support_squares(self.supporters(tally), tally.n, self.support, self.scale)

    def interval(self, tally: Tally, z: float, *, people: bool = False) -> tuple[Floats, Floats]:
        """Return exact ends where few reports support an item, and score intervals elsewhere.

        See `ldpnb.oracles.supported.interval_of_supporters`.
        """
        return interval_of_supporters(self, tally, z, people=people)

    @property
    def chances(self) -> Support:
        """Chance of support by somebody who holds an item, q + (p − q)/L, and by anybody else."""
        return support_chances(self.support, self.scale)

    # ---------------------------------------------------------------------------------- variance

    def variance(self, values: Values) -> Floats:
        """L² P(1−P)/(p−q)² with P = hp + (1−h)q and h = t/L: (n, d)."""
        return support_variance(self.expected(values), self.support, self.scale)

    @property
    def rare_variance(self) -> float:
        """L² q(1−q)/(p−q)²: the variance of an item that the person does not hold."""
        return rare_variance(self.support, self.scale)

    def _example(self) -> Example:
        return Example(self, every_set(self.d), pairs=self.report_bits < 4)


SetSampling = SetMechanism  # its name in 1.0.0, though `PrivSet` does not sample


def count_items(reports: Ints, d: int, width: int) -> Ints:
    """Count the reports that have each of the d items, (d,); of `width` codes the rest is dummies.

    Parameters
    ----------
    reports : ndarray of int64 (n,) or (n, κ)
        Codes in [0, width).
    """
    return np.bincount(reports.ravel(), minlength=width)[:d]


def every_set(d: int) -> Records:
    """Return all sets of d items, one person each."""
    people = [set(np.flatnonzero(held).tolist()) for held in np.ndindex((2,) * d)]
    return Records.of(*people)
