"""Local hashing: each person hashes the k items into a few slots, and reports a slot by k-RR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness, odds
from ldpnb.checks import Limit, check_count
from ldpnb.core import Example, Floats, Ints, Layout, Reports, blocks
from ldpnb.hashing import PRIME, Quadratic, check_prime
from ldpnb.oracles.base import BLOCK, ItemOracle, Support, check_weights
from ldpnb.oracles.grr import GRR


@dataclass(frozen=True, kw_only=True)
class OLH(ItemOracle):
    r"""Local hashing: a public hash of each person's own into g slots, then k-RR over the slots.

    A report supports every item whose slot it names.  With :math:`g = e^\varepsilon + 1` slots
    (rounded) the error is that of `OUE`, and a report is only a slot.  Under the hash,
    `Quadratic`, any three items are independent, so that sums over items have the error of `OUE`,
    too.

    The default is so many slots, but at most k.  Where k is fewer, the error is larger than that of
    `OUE`: about an item that nobody holds, more slots have less variance, and `GRR` has less than
    any number of slots.

    Source: Wang, Blocki, Li and Jha 2017.

    Reports have the fields ``seed`` (three numbers below `prime`, public) and ``slot``, (n,).
    Tallies count the supporters of each item, (k,), which takes time in proportion to n k.

    Parameters
    ----------
    g : int
        Number of slots; 0, the default, stands for the integer nearest to e^ε + 1, but at most k
        (see `slot_count`).
    prime : int
        Of the hash: a prime number of at least 5, k and g.  With a small one, all seeds can be
        enumerated.

    Notes
    -----
    `g` stays what it was given as, so that ``replace(mechanism, epsilon=…)`` finds the number of
    slots anew.  For the same reason a mechanism that chose 4 slots itself is not equal to one that was
    told to take 4.

    Examples
    --------
    >>> oracle = OLH(k=1000, epsilon=1.0)
    >>> people = np.repeat([0, 999], [6000, 4000])
    >>> reports = oracle.perturb(people, rng=np.random.default_rng(0))
    >>> oracle.estimate(oracle.tally(reports))[[0, 1, 999]].round(2)
    array([ 0.56, -0.02,  0.37])
    """

    g: int = 0
    prime: int = PRIME
    label = "OLH"
    limits: ClassVar[Mapping[str, Limit]] = {"prime": check_prime, "g": (0, PRIME)}
    public_fields = ("seed",)
    server_cost = "report and item"
    chosen: ClassVar[Mapping[str, str]] = {"g": "slot_count"}
    tried = [  # so small that all seeds can be listed
        {"k": 3, "epsilon": 1.0, "prime": 5},
        {"k": 4, "epsilon": 0.5, "g": 3, "prime": 5},
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.k, 2, "k", self.prime)
        if check_count(self.g, 0, "g", self.prime) == 1:
            raise ValueError("g must be 0 or an integer, at least 2, got 1")

    # ----------------------------------------------------------------------- hash, slots, p and q

    @cached_property
    def slot_count(self) -> int:
        """Number of slots in use: g, or the integer nearest to e^ε + 1, but at most k."""
        if self.g:
            return self.g
        return min(round(odds(self.epsilon)) + 1, self.k)

    @cached_property
    def hash(self) -> Quadratic:
        """The public hash family."""
        return Quadratic(keys=self.k, slots=self.slot_count, prime=self.prime)

    @cached_property
    def slots(self) -> GRR:
        """The k-RR over slots, which alone protects the report."""
        return GRR(k=self.slot_count, epsilon=self.epsilon)

    @cached_property
    def support(self) -> Support:
        """(p, q): p is that of the slots; q = cp + (1 − c)q', with q' theirs, c = P(collision).

        Another item is supported if its slot collides with the person's and that slot is kept, or
        if its slot is another one and the report moves there.
        """
        kept, moved = self.slots.support
        collision = self.hash.collision
        return kept, collision * kept + (1 - collision) * moved

    @property
    def realised_epsilon(self) -> float:
        """That of the k-RR, for every seed under which two values have different slots."""
        return self.slots.realised_epsilon

    @property
    def layout(self) -> Layout:
        """A public seed, and a slot."""
        return {
            "seed": (np.uint32, self.prime, self.hash.words),
            "slot": (np.int64, self.slot_count),
        }

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        reports = np.empty(len(values), self.dtype)
        reports["seed"] = self.hash.seeds(len(values), rng)
        own = self.hash(reports["seed"], values)
        reports["slot"] = self.slots.perturb(own, rng=rng)
        return reports

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports) -> Ints:
        """Count for each item the reports that name its slot under their own hash, (k,)."""
        counts = np.zeros(self.k, np.int64)
        for part in blocks(len(reports), BLOCK):
            counts += self.hash.count(reports["seed"][part], reports["slot"][part])
        return counts

    # ---------------------------------------------------------------------------------- variance

    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of the weights of the supported items: (…, k).

        Let W and :math:`W_2` be the sums of :math:`w_v` and :math:`w_v^2` over all items but x,
        P and Q the probabilities of the person's own slot and of any other, and :math:`C_2` and
        :math:`C_3` those that two and three items share a slot.  Two wrong items are both
        supported with probability :math:`r = C_3 P + (C_2-C_3) Q`: all three share a slot, which
        is kept, or these two share one without x, to which the report moves.  So it is
        :math:`(p-q)^{-2}` times

        .. math:: w_x^2 p(1-p) + W_2 q(1-q) + (W^2-W_2)(r-q^2) + 2 w_x W p (C_2-q).

        The last two terms are of the order of g/prime²; under an ideal hash they vanish, as for
        independent bits.  See `ItemOracle.linear_variance`.
        """
        w = check_weights(weights, self.k)
        squares = np.square(w)
        others = w.sum(-1, keepdims=True) - w
        other_squares = squares.sum(-1, keepdims=True) - squares
        products = np.square(others) - other_squares
        own, other, two_others, own_and_other = (float(x) for x in self._terms)
        found = own * squares + other * other_squares
        found += two_others * products
        found += own_and_other * w * others
        return np.asarray(found)

    def _linear_variance_of_nobody(self, weights: Floats) -> float:
        _, other, two_others, _ = (float(x) for x in self._terms)
        squares = float(np.square(weights).sum())
        products = float(weights.sum()) ** 2 - squares
        return other * squares + two_others * products

    @cached_property
    def _terms(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """In `linear_variance`, the factors of w_x², W₂, W² − W₂ and w_x W."""
        p, q = self.support
        kept, moved = self.slots.support
        two = self.hash.collision
        three = self.hash.triple
        both = three * kept + (two - three) * moved
        gap = (p - q) ** 2
        return (
            p * (1 - p) / gap,
            q * (1 - q) / gap,
            (both - q * q) / gap,
            2 * kept * (two - q) / gap,
        )

    def _example(self) -> Example:
        return Example(self, np.arange(self.k), histogram=True, pairs=False)
