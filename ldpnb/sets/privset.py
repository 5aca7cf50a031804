"""PrivSet: a person reports a set of items that is more likely if it meets the person's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import comb, perm
from operator import mul
from typing import ClassVar

import numpy as np

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, distinct, exact, inexact, odds, round_down
from ldpnb.checks import SIZE_MAX, Limit, apart, check_count, check_epsilon, out_of_range
from ldpnb.core import Ints, Layout, Reports, blocks
from ldpnb.exact.formulas import Budget
from ldpnb.records import Records, sample_entries
from ldpnb.sets.sampling import SetSampling

BLOCK = 2**13  # people treated at a time, so that what is being worked on stays in the cache
FEW_HITS = 100  # up to which coins are computed in milliseconds


@dataclass(frozen=True, kw_only=True)
class PrivSet(SetSampling):
    r"""A set of κ items that is e^ε times as likely if it meets the person's padded set as if it does not.

    With :math:`D = d + \ell`, :math:`\nu = \binom{d}{\kappa}/\binom{D}{\kappa}` the share of sets that miss, and
    :math:`\Omega = e^\varepsilon(1-\nu) + \nu`, an item is in the report with probability

    .. math:: p^* = \frac{\kappa}{D}\,\frac{e^\varepsilon}{\Omega}, \qquad
              q^* = \frac{e^\varepsilon(\kappa/D-\mu)+\mu}{\Omega}, \qquad \mu = \nu\kappa/d,

    if it is in the padded set, and if it is not.  From a set of more than ℓ items ℓ are drawn.  ε is attained whatever
    d and ℓ.  For κ = 1 the law is that of `SampledGRR`, for long sets too.

    The client draws how many items of its padded set the report has, by a chain of coins, and then which, all alike.
    Every coin is rounded down, the first one last, so that no set of the report's size shows more than ε; p* and q* are
    those of the rounded coins.  Where such a number is so rare that a chain of coins of 53 bits would give it another
    probability, as with large κ and ℓ in a small domain, a set would show more than ε: then `size` is refused.

    Source: Wang, Huang et al. 2018 (PrivSet).

    Reports are ascending items, dummies after the d items, int (n, κ).

    Parameters
    ----------
    size : int
        Items in a report, κ, from 1 to d; 0, the default, stands for the best one (see `set_size`).

    Examples
    --------
    >>> baskets = PrivSet(d=4, ell=2, epsilon=2.0)
    >>> people = Records.of(*[{0, 1}, {1}, {1, 3}] * 5000)
    >>> baskets.estimate(baskets.tally(baskets.perturb(people, rng=np.random.default_rng(0)))).round(2)
    array([ 0.34,  0.98, -0.  ,  0.35])
    """

    size: int = 0
    label = "PrivSet"
    chosen: ClassVar[Mapping[str, str]] = {"size": "set_size"}
    scale = 1  # a report speaks about the whole padded set
    limits: ClassVar[Mapping[str, Limit]] = {"size": (0, SIZE_MAX)}
    server_cost = "report and item"
    tried = [*({"d": d, "ell": d - 1, "epsilon": e, "size": 2} for d, e in ((2, 1.0), (3, 2.0))), *SetSampling.tried]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.size, 0, "size", self.d)  # a larger report always meets the padded set
        if self.size and min(self.size, self.ell) <= FEW_HITS and not isinstance(self.epsilon, Budget):
            _ = self.coins  # refuses a size at which they do not keep ε; of more hits, where they are first used

    @cached_property
    def set_size(self) -> int:
        """The number of items in a report, κ: `size`, or the one with the least `rare_variance`."""
        return self.size or best_report_size(self.d, self.ell, self.epsilon)

    @cached_property
    def ways(self) -> tuple[int, ...]:
        """How many reports have 0, 1, … items of the padded set, but for a factor of all: (min(κ, ℓ) + 1,)."""
        size, most = self.set_size, min(self.set_size, self.ell)  # C(ℓ, j) C(d, κ − j), without factorials of all d
        return tuple(comb(self.ell, j) * perm(size, j) * perm(self.d - size + most, most - j) for j in range(most + 1))

    @cached_property
    def coins(self) -> tuple[float, ...]:
        """Probability of one more item of the padded set, given that there are j already: j = 0, …, min(κ, ℓ) − 1.

        Raises
        ------
        ValueError
            If the coins, once they are rounded, do not keep ε.
        """
        left = [*accumulate(self.ways[:0:-1])][::-1]  # reports with at least 1, 2, … items of it
        more = [round_down(Fraction(after, before)) for before, after in pairwise(left)]
        most = max(p / ways for p, ways in zip(_stops(more), self.ways[1:], strict=True))
        ratio = odds(self.epsilon) / (self.ways[0] * most)  # of hit to miss
        coins = round_down(ratio / (1 + ratio)), *more
        if not isinstance(self.epsilon, Budget):
            self._check_coins(coins)
        return coins

    def _check_coins(self, coins: tuple[float, ...]) -> None:
        """Refuse coins that do not keep ε: some number of hits is too rare for the grid."""
        each = [p / ways for p, ways in zip(_stops(list(coins)), self.ways, strict=True)]
        ratio = max(each) / min(each)
        if ratio > odds(self.epsilon):
            stated, shown = apart(self.epsilon, chance.log(ratio))
            rule = f"size must be small enough for coins of 53 bits to keep epsilon = {stated}"
            got = f"{self.set_size}, with which a report shows {shown}"
            raise out_of_range(f"{rule}, got {got}: take a smaller size, or 0 for the best one")

    @cached_property
    def hits(self) -> tuple[Fraction, ...]:
        """Probability that a report has j items of the padded set, (min(κ, ℓ) + 1,)."""
        return tuple(_stops(list(self.coins)))

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*): the mean share of the padded set that is in a report, and that of the d other items."""
        inside = sum((j * p for j, p in enumerate(self.hits)), Fraction(0))
        return inside / self.ell, (self.set_size - inside) / self.d

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of the largest probability of a report over the smallest."""
        each = [p / ways for p, ways in zip(self.hits, self.ways, strict=True)]
        return chance.log(max(each) / min(each))

    @property
    def layout(self) -> Layout:
        """Items and dummies."""
        return {"": (np.int64, self.width, self.set_size)}

    @property
    def report_bits(self) -> int:
        """⌈log₂ C(d+ℓ, κ)⌉."""
        return (comb(self.width, self.set_size) - 1).bit_length()

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        reports = np.empty((len(values), self.set_size), np.int64)
        for block in blocks(len(values), BLOCK):
            records = values[block]
            at, real = sample_entries(records, self.ell, rng)
            padded = self.d + at - records.offsets[1:, None]
            padded[real] = records.keys[at[real]]
            reports[block] = self._sets(np.sort(padded, 1), rng)
        return reports

    def _reports(self, reports: Reports) -> Ints:
        codes = super()._reports(reports)
        wrong = codes[np.any(codes[:, 1:] <= codes[:, :-1], axis=1)]
        if wrong.size:
            raise ValueError(f"reports must be {self.set_size} ascending items each, got {wrong[0].tolist()}")
        return codes

    def _worst(self) -> Ints:
        """Name the first items."""
        return np.arange(self.set_size)[None]

    def _sets(self, padded: Ints, rng: Randomness) -> Ints:
        """Draw reports about padded sets, ascending ones: (n, ℓ)."""
        n, size = len(padded), self.set_size
        hits, on = np.zeros(n, np.int64), np.ones(n, np.bool_)
        for coin in self.coins:
            on &= bernoulli(coin, on.shape, rng, used=on)
            hits += on
        inside = distinct(np.full(n, self.ell), hits, min(size, self.ell), rng)
        outside = distinct(np.full(n, self.d), size - hits, size, rng)
        # the r-th of the items outside comes after as many of those inside as have at most r outside before them
        before = padded - np.arange(self.ell)
        outside += np.count_nonzero(before[:, None] <= outside[:, :, None], axis=2)
        found = np.concatenate([np.where(inside < 0, -1, np.take_along_axis(padded, inside, 1)), outside], 1)
        return np.sort(found[found >= 0].reshape(n, size), 1)


def best_report_size(d: int, ell: int, epsilon: float) -> int:
    """Return the size of the reports for which `PrivSet` has the least variance about an item that nobody holds.

    All sizes are tried, in O(d), with probabilities that are not rounded.

    Parameters
    ----------
    d, ell : int, at least 1
    epsilon : float
    """
    d, ell = check_count(d, 1, "d", SIZE_MAX), check_count(ell, 1, "ell", SIZE_MAX)
    e = inexact(odds(check_epsilon(epsilon)))
    size = np.arange(1, d + 1)
    miss = np.cumprod((d - size + 1) / (d + ell - size + 1))
    size, miss = size[miss > 1e-60], miss[miss > 1e-60]  # where nearly no set misses, little is learned
    with_item, miss_with = size / (d + ell), miss * size / d  # κ/D and μ
    told = e * (with_item - miss_with) + miss_with
    untold = e * (1 - miss - with_item + miss_with) + miss - miss_with
    return int(size[np.argmin(told * untold / np.square(miss_with))])


def _stops(coins: list[float]) -> list[Fraction]:
    """Where a chain of coins stops: after 0, 1, … heads."""
    on = accumulate(map(exact, coins), mul, initial=Fraction(1))
    return [more - less for more, less in pairwise([*on, Fraction(0)])]
