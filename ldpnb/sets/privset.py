r"""PrivSet: report a set of items, with more probability if one of the person's own is among them.

A person's set is padded with dummies to ℓ items out of D = d + ℓ, the *padded set*.  A report is a
set of κ of these D items, own ones and others, real ones and dummies.  A *hit* is an item of the
report that is in the padded set.  All reports with a hit have one probability, e^ε times that of
each report without one.  Of every padded set as many reports miss, so that the two probabilities
are the same for all people: for a given report they differ by e^ε at most.

The client draws the number of hits first, by a chain of coins, then as many items of the padded
set, and the rest of the report from the other items, all equally likely.  The server counts the
reports that have an item: those of its holders have it with probability p, those of other people
with probability q < p.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import comb, perm
from typing import ClassVar

import numpy as np

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, distinct, exact, inexact, odds, round_down
from ldpnb.checks import SIZE_MAX, Limit, apart, check_count, check_epsilon, out_of_range
from ldpnb.core import Ints, Layout, Reports, blocks
from ldpnb.exact.formulas import Budget
from ldpnb.oracles.base import BLOCK, Support
from ldpnb.records import Records, sample_entries
from ldpnb.sets.base import SetMechanism, count_items

FEW_HITS = 100  # up to which coins are computed in milliseconds


@dataclass(frozen=True, kw_only=True)
class PrivSet(SetMechanism):
    r"""A set of κ items that is e^ε times as likely if it meets the person's padded set as if not.

    Let :math:`D = d + \ell`, :math:`\nu = \binom{d}{\kappa}/\binom{D}{\kappa}` the share of sets
    that miss, and :math:`\Omega = e^\varepsilon(1-\nu) + \nu`.  A set that meets the padded set is
    reported with probability :math:`e^\varepsilon/\{\Omega\binom{D}{\kappa}\}`, any other with
    :math:`1/\{\Omega\binom{D}{\kappa}\}`.  So an item is in the report with probability

    .. math:: p = \frac{\kappa}{D}\,\frac{e^\varepsilon}{\Omega}, \qquad
              q = \frac{e^\varepsilon(\kappa/D-\mu)+\mu}{\Omega}, \qquad \mu = \nu\kappa/d,

    if it is in the padded set, and if it is not, respectively; μ is the share of sets that have the
    item and miss the padded set.  With :math:`C_v` reports that have item v among n, the estimate
    is :math:`\hat f_v = (C_v/n - q)/(p-q)`.  Of an item in a share h of all padded sets, drawn anew
    for each person, its variance is :math:`P(1-P)/\{n(p-q)^2\}` with :math:`P = hp + (1-h)q`.

    From a set of more than ℓ items ℓ are drawn, so that :math:`\hat f_v` estimates the mean over
    people of min(1, ℓ / size of the set) where v is in it.  ε is attained whatever d and ℓ.  For
    κ = 1 the law is that of `SampledGRR`, for long sets too.

    The client draws how many items of its padded set the report has, by a chain of coins, and then
    which, all equally likely.  Every coin is rounded down, so that no set of the report's size
    shows more than ε; p and q are those of the rounded coins.  Where a number of hits is so rare
    that coins of 53 bits would give it another probability, as with large κ and ℓ in a small
    domain, a set would show more than ε: then `size` is refused.

    Source: Wang, Huang et al. 2018 (PrivSet).

    Reports are ascending items, dummies after the d items, int (n, κ).  Tallies count the reports
    that have each item, without dummies, (d,).

    Parameters
    ----------
    size : int
        Items in a report, κ, from 1 to d; 0, the default, stands for the best one (`set_size`).

    Examples
    --------
    >>> baskets = PrivSet(d=4, ell=2, epsilon=2.0)
    >>> people = Records.of(*[{0, 1}, {1}, {1, 3}] * 5000)
    >>> reports = baskets.perturb(people, rng=np.random.default_rng(0))
    >>> baskets.estimate(baskets.tally(reports)).round(2)
    array([ 0.34,  0.98, -0.  ,  0.35])
    """

    size: int = 0
    label = "PrivSet"
    limits: ClassVar[Mapping[str, Limit]] = {"size": (0, SIZE_MAX)}
    chosen: ClassVar[Mapping[str, str]] = {"size": "set_size"}
    server_cost = "report and item"
    scale = 1  # a report speaks of the whole padded set, not of one of its ℓ items
    tried = [
        {"d": 2, "ell": 1, "epsilon": 1.0, "size": 2},
        {"d": 3, "ell": 2, "epsilon": 2.0, "size": 2},
        *SetMechanism.tried,
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.size, 0, "size", self.d)  # a larger report always meets the padded set
        # a size at which the coins do not keep ε is refused here; of more hits, at the first use
        if 0 < self.size and self.most_hits <= FEW_HITS:
            _ = self.coins

    @cached_property
    def set_size(self) -> int:
        """Number of items in a report, κ: `size`, or the one with the least `rare_variance`."""
        return self.size or best_report_size(self.d, self.ell, self.epsilon)

    @property
    def most_hits(self) -> int:
        """How many items of the padded set a report can have: min(κ, ℓ)."""
        return min(self.set_size, self.ell)

    # ---------------------------------------------------------------- law of the number of hits

    @cached_property
    def ways(self) -> tuple[int, ...]:
        """How many reports have j = 0, 1, …, min(κ, ℓ) hits, but for one factor of all.

        C(ℓ, j) C(d, κ − j), times κ! (d − κ + min(κ, ℓ))!/d!, which spares the factorials of d.
        """
        kappa = self.set_size
        most = self.most_hits
        found = []
        for j in range(most + 1):
            inside = comb(self.ell, j)
            outside = perm(kappa, j) * perm(self.d - kappa + most, most - j)
            found.append(inside * outside)
        return tuple(found)

    @cached_property
    def coins(self) -> tuple[float, ...]:
        """Probability of one more hit, given that there are j already: j = 0, …, min(κ, ℓ) − 1.

        All reports with a hit are alike, so that the coins after the first hit are ratios of
        `ways`.  The first coin comes last: it makes the likeliest report with a hit, as the other
        coins were rounded, e^ε times as likely as one without.

        Raises
        ------
        ValueError
            If the coins, once they are rounded, do not keep ε.
        """
        at_least = _sums_from_the_end(self.ways)  # reports with at least j hits
        more = [round_down(Fraction(after, before)) for before, after in pairwise(at_least[1:])]
        of_a_hit = _stops(more)  # probability of 1, 2, … hits, given one
        likeliest = max(p / way for p, way in zip(of_a_hit, self.ways[1:], strict=True))
        hit_to_miss = odds(self.epsilon) / (self.ways[0] * likeliest)
        coins = round_down(hit_to_miss / (1 + hit_to_miss)), *more
        if not isinstance(self.epsilon, Budget):
            self._check_coins(coins)
        return coins

    def _largest_ratio(self, coins: Sequence[float]) -> Fraction:
        """Probability of the likeliest report over that of the rarest."""
        each = [p / way for p, way in zip(_stops(coins), self.ways, strict=True)]
        return max(each) / min(each)

    def _check_coins(self, coins: Sequence[float]) -> None:
        """Refuse coins that do not keep ε: some number of hits is too rare for the grid."""
        ratio = self._largest_ratio(coins)
        if ratio > odds(self.epsilon):
            stated, shown = apart(self.epsilon, chance.log(ratio))
            rule = f"size must be small enough for coins of 53 bits to keep epsilon = {stated}"
            got = f"{self.set_size}, with which a report shows {shown}"
            raise out_of_range(f"{rule}, got {got}: take a smaller size, or 0 for the best one")

    @cached_property
    def hits(self) -> tuple[Fraction, ...]:
        """Probability that a report has j = 0, 1, …, min(κ, ℓ) hits."""
        return tuple(_stops(self.coins))

    @cached_property
    def support(self) -> Support:
        """(p, q): p = E[hits]/ℓ, and q = (κ − E[hits])/d."""
        mean = sum((j * p for j, p in enumerate(self.hits)), Fraction(0))
        return mean / self.ell, (self.set_size - mean) / self.d

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of the largest probability of a report over the smallest."""
        return chance.log(self._largest_ratio(self.coins))

    @property
    def layout(self) -> Layout:
        """Items and dummies."""
        return {"": (np.int64, self.width, self.set_size)}

    @property
    def report_bits(self) -> int:
        """⌈log₂ C(d+ℓ, κ)⌉."""
        return (comb(self.width, self.set_size) - 1).bit_length()

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Ints:
        reports = np.empty((len(values), self.set_size), np.int64)
        for part in blocks(len(values), BLOCK):
            padded = self._padded(values[part], rng)
            reports[part] = self._draw_reports(padded, rng)
        return reports

    def _padded(self, records: Records, rng: Randomness) -> Ints:
        """Pad sets to ℓ items with dummies d, d + 1, …, or draw ℓ of more: ascending, (n, ℓ)."""
        places, real = sample_entries(records, self.ell, rng)
        padded = self.d + places - records.offsets[1:, None]  # past the end of a person's set
        padded[real] = records.keys[places[real]]
        return np.sort(padded, 1)

    def _draw_reports(self, padded: Ints, rng: Randomness) -> Ints:
        """Draw a report about each padded set: ascending items, (n, κ)."""
        n = len(padded)
        kappa = self.set_size
        hits = self._draw_hits(n, rng)
        ranks = distinct(np.full(n, self.ell), hits, self.most_hits, rng)  # −1 after the last one
        inside = np.where(ranks < 0, -1, np.take_along_axis(padded, ranks, 1))
        outside = distinct(np.full(n, self.d), kappa - hits, kappa, rng)
        # the r-th item outside comes after those inside that have at most r outside before them
        before = padded - np.arange(self.ell)
        outside += np.count_nonzero(before[:, None] <= outside[:, :, None], axis=2)
        found = np.concatenate([inside, outside], 1)
        return np.sort(found[found >= 0].reshape(n, kappa), 1)

    def _draw_hits(self, n: int, rng: Randomness) -> Ints:
        """Toss the chain of coins, for each person up to the first tail: numbers of hits, (n,)."""
        hits = np.zeros(n, np.int64)
        going_on = np.ones(n, np.bool_)
        for coin in self.coins:
            going_on &= bernoulli(coin, going_on.shape, rng, used=going_on)
            hits += going_on
        return hits

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Ints:
        codes = super()._reports(reports)
        not_ascending = np.any(codes[:, 1:] <= codes[:, :-1], axis=1)
        wrong = codes[not_ascending]
        if wrong.size:
            rule = f"reports must be {self.set_size} ascending items each"
            raise ValueError(f"{rule}, got {wrong[0].tolist()}")
        return codes

    def _count(self, reports: Ints) -> Ints:
        """Count the reports that have each item, (d,)."""
        return count_items(reports, self.d, self.width)

    def _worst(self) -> Ints:
        """Name the first items."""
        return np.arange(self.set_size)[None]


def best_report_size(d: int, ell: int, epsilon: float) -> int:
    """Return the size of reports for which `PrivSet` has the least variance of a rare item.

    That is an item that nobody holds.  All sizes are tried, in O(d), with probabilities that are
    not rounded.

    Parameters
    ----------
    d, ell : int, at least 1
    epsilon : float
    """
    d = check_count(d, 1, "d", SIZE_MAX)
    ell = check_count(ell, 1, "ell", SIZE_MAX)
    e = inexact(odds(check_epsilon(epsilon)))
    size = np.arange(1, d + 1)
    miss = np.cumprod((d - size + 1) / (d + ell - size + 1))  # ν
    enough = miss > 1e-60  # where nearly no set misses, little is learned
    size = size[enough]
    miss = miss[enough]
    with_item = size / (d + ell)  # κ/D
    miss_with = miss * size / d  # μ
    has = e * (with_item - miss_with) + miss_with  # q Ω
    has_not = e * (1 - miss - with_item + miss_with) + miss - miss_with  # (1 − q) Ω
    variances = has * has_not / np.square(miss_with)  # but for a factor of all sizes
    return int(size[np.argmin(variances)])


def _sums_from_the_end(numbers: Sequence[int]) -> list[int]:
    """Return for each place the sum of the numbers from there on."""
    return list(accumulate(reversed(numbers)))[::-1]


def _stops(coins: Sequence[float]) -> list[Fraction]:
    """Probability that a chain of coins stops after 0, 1, … heads."""
    still_on = [Fraction(1)]
    for coin in coins:
        still_on.append(still_on[-1] * exact(coin))
    stopped = [before - after for before, after in pairwise(still_on)]
    return [*stopped, still_on[-1]]
