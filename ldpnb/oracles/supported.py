"""What servers of sets do as those of oracles do: reports support items, several of one person."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ldpnb.checks import check_errors
from ldpnb.core import Floats, Mechanism, Tally, check_tally
from ldpnb.intervals import support_interval
from ldpnb.oracles.base import Supporting


class SupportingWithErrors(Supporting, Protocol):
    """A mechanism whose reports support items, and whose tallies tell how estimates scatter."""

    def standard_error(self, tally: Tally, *, people: bool = False) -> Floats:
        """Estimate the standard error of each entry of the estimate."""


def counted_supporters(tally: Tally) -> Floats:
    """Return the counts of a tally that counts the supporters of each item, (…, items)."""
    check_tally(tally, Mechanism, "a mechanism's reports")
    return tally.counts.astype(np.float64)


def interval_of_supporters(
    mechanism: SupportingWithErrors,
    tally: Tally,
    z: float,
    *,
    people: bool,
) -> tuple[Floats, Floats]:
    """Return exact ends where the supporters of an item scatter little, score intervals elsewhere.

    See `ldpnb.intervals`.  About these people, it is taken that nobody holds more items than a
    report speaks of.
    """
    z = check_errors(z)
    mechanism.standard_error(tally, people=people)  # refuses what has none
    own, other = mechanism.chances
    sampled = 0.0 if people else 1.0
    count = mechanism.supporters(tally)
    return support_interval(count, tally.n, own, other, z, sampled=sampled)
