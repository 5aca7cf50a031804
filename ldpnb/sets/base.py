r"""Sets of items: one item of a padded set is drawn and reported; what all mechanisms for sets share.

A set is padded to ℓ items with dummies.  Of a set of more than ℓ items each counts as ℓ/size only: t_i, the `expected`
of an item, is min(1, ℓ/size) for the items of the person and 0 for the others.  Every mechanism for sets is a pure
protocol about something that holds the item with probability t_i/L: a report supports the item with probability p* if
so, and q* otherwise.  With C_v supporting reports,

    f̂_v = L (C_v/n − q*)/(p* − q*),      n² Var f̂_v = Σ_i L² P_i (1 − P_i)/(p* − q*)²,      P_i = q* + (p* − q*) t_i/L.

Three mechanisms draw one of the ℓ items, L = ℓ; `PrivSet` speaks about all of them at once, L = 1.

====================  =======================================  ==============================================
mechanism             what hides the item                      n Var of an item that nobody holds
====================  =======================================  ==============================================
`SampledHadamardBit`  one sign of its column of Sylvester's H  ℓ² c²,  c = (e^ε+1)/(e^ε−1)
`SampledSUE`          a bit for each item                      ℓ² s/(s−1)²,  s = e^{ε/2}
`SampledGRR`          the other items and the dummies          [d+ℓ−1+ℓ(e^ε−1)]/(e^ε−1)²
`PrivSet`             the other items of a set                 at most that of `SampledGRR`, at its best size
====================  =======================================  ==============================================

The first two hide one item as if it were all that a person holds.  The other two gain from what it is, a small part.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldpnb.checks import SIZE_MAX, Limit, check_epsilon, check_errors
from ldpnb.core import Example, Floats, Ints, Mechanism, Tally, check_tally
from ldpnb.intervals import support_interval
from ldpnb.oracles.base import (
    Support,
    rare_variance,
    support_chances,
    support_estimate,
    support_squares,
    support_variance,
)
from ldpnb.records import Records, check_records


@dataclass(frozen=True, kw_only=True)
class SetMechanism(Mechanism):
    """What all mechanisms for sets share; a subclass adds its client and its two support probabilities.

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
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, SIZE_MAX), "ell": (1, SIZE_MAX), "epsilon": check_epsilon}
    tried = [{"d": d, "ell": ell, "epsilon": e} for d, ell, e in ((2, 1, 1.0), (3, 1, 4.0), (4, 2, 0.7))]

    @property
    def width(self) -> int:
        """Number of items, dummies included: d + ℓ."""
        return self.d + self.ell

    @property
    @abstractmethod
    def support(self) -> Support:
        """(p*, q*): probability that a report supports the item that it is about, and any other."""

    @property
    def scale(self) -> int:
        """What estimates are multiplied by: ℓ, since one of ℓ items is drawn."""
        return self.ell

    @property
    def chances(self) -> Support:
        """Chance of support by somebody who holds an item, the draw of one of ℓ included, and by anybody else."""
        return support_chances(self.support, self.scale)

    @property
    def rare_variance(self) -> float:
        """Variance of one person's score of an item that the person does not hold: L² q*(1−q*)/(p*−q*)²."""
        return rare_variance(self.support, self.scale)

    def _values(self, values: Records) -> Records:
        return check_records(values, d=self.d)

    def _count(self, reports: NDArray[Any]) -> Ints:
        """Count the reports that have each item, dummies left out, (d,)."""
        return np.bincount(reports.ravel(), minlength=self.width)[: self.d]

    def expected(self, values: Records) -> Floats:
        """Return min(1, ℓ/size) for the items that the person holds, zero for the others: (n, d)."""
        records = self._values(values)
        found, users = np.zeros((len(records), self.d)), records.users
        found[users, records.keys] = (self.ell / np.maximum(records.sizes, self.ell))[users]
        return found

    def variance(self, values: Records) -> Floats:
        """Variance L² P(1−P)/(p*−q*)² with P = h p* + (1−h) q*, h being the chance that the item is drawn: (n, d)."""
        return support_variance(self.expected(values), self.support, self.scale)

    def supporters(self, tally: Tally) -> Floats:
        """How many reports support each item, (…, d)."""
        check_tally(tally, Mechanism, "a mechanism's reports")
        return tally.counts.astype(np.float64)

    def _score(self, tally: Tally) -> Floats:
        return support_estimate(self.supporters(tally), tally.n, self.support, self.scale)

    def _squares(self, tally: Tally) -> Floats:
        return support_squares(self.supporters(tally), tally.n, self.support, self.scale)

    def interval(self, tally: Tally, z: float, *, people: bool = False) -> tuple[Floats, Floats]:
        """Return exact ends where the number of supporters scatters little, score intervals elsewhere.

        See `ldpnb.intervals`.  About these people, it is taken that nobody holds more than a report speaks of.
        """
        z = check_errors(z)
        self.standard_error(tally, people=people)  # refuses what has none
        own, other = self.chances
        sampled = 0.0 if people else 1.0
        return support_interval(self.supporters(tally), tally.n, own, other, z, sampled=sampled)

    def _example(self) -> Example:
        return Example(self, every_set(self.d), pairs=self.report_bits < 4)


SetSampling = SetMechanism  # its name in 1.0.0, though `PrivSet` does not sample


def every_set(d: int) -> Records:
    """Return all sets of d items, one person each."""
    return Records.of(*(set(np.flatnonzero(held).tolist()) for held in np.ndindex((2,) * d)))
