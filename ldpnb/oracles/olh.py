"""Local hashing: each person hashes the k items into g slots, and reports a slot by k-RR.

Each person's hash is drawn at random, in public, whatever the item; it puts the item into a slot.
k-RR over the g slots alone protects the report.  The letters are

    P, Q      probability that k-RR reports the person's slot, and that it reports another one
    C₂, C₃    probability over the hashes that two items share a slot, and that three do

P = e^ε Q, so that no report is more than e^ε times as likely from one item as from another.  C₂ and
C₃ are nearly 1/g and 1/g².

A report supports all items whose slot it names: the person's own item with probability p = P, any
other one with probability q = C₂ P + (1 − C₂) Q.  With C_v reports that support item v among n,
what follows from p and q stands in `ldpnb.oracles.base`:

    estimate     f̂_v = (C_v/n − q) / (p − q)
    variance     p(1−p)/(p−q)² for the person's own item, q(1−q)/(p−q)² for the others
"""

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
    r"""Local hashing: each person's own public hash into g slots, then k-RR over the slots.

    A report supports every item whose slot it names.  With :math:`g = e^\varepsilon + 1` slots
    (rounded) the error is that of `OUE`, and a report is a slot and three numbers, whatever k.
    Under the hash, `Quadratic`, any three items are independent, so that sums over items have the
    error of `OUE`, too.

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
    `g` stays 0 if it was 0, so that ``replace(mechanism, epsilon=…)`` finds the number of slots
    anew.  So a mechanism that chose 4 slots itself is not equal to one of ``g=4``.

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
    # g is at most the prime, too
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
        """The k-RR over slots, whose (p, q) are P and Q; it alone protects the report."""
        return GRR(k=self.slot_count, epsilon=self.epsilon)

    @cached_property
    def support(self) -> Support:
        """(p, q): p = P, and q = C₂ P + (1 − C₂) Q.

        Another item is supported if it shares the person's slot and that one is reported, or if it
        is in another slot and that one is reported.
        """
        own_slot, other_slot = self.slots.support
        two = self.hash.collision
        return own_slot, two * own_slot + (1 - two) * other_slot

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
        own_slots = self.hash(reports["seed"], values)
        reports["slot"] = self.slots.perturb(own_slots, rng=rng)
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
        r"""Variance of the weighted sum of scores of somebody with item x, for each x: (…, k).

        Let W and :math:`W_2` be the sums of :math:`w_v` and :math:`w_v^2` over all items but x.
        Two of these are both supported with probability :math:`r = C_3 P + (C_2-C_3) Q`: they share
        the slot of x, which is reported, or another slot, which is.  The variance is

        .. math:: \frac{w_x^2 p(1-p) + W_2 q(1-q) + (W^2-W_2)(r-q^2) + 2 w_x W p (C_2-q)}{(p-q)^2}.

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
        own_slot, other_slot = self.slots.support
        two = self.hash.collision
        three = self.hash.triple
        both = three * own_slot + (two - three) * other_slot
        gap = (p - q) ** 2
        return (
            p * (1 - p) / gap,
            q * (1 - q) / gap,
            (both - q * q) / gap,
            2 * p * (two - q) / gap,
        )

    def _example(self) -> Example:
        return Example(self, np.arange(self.k), histogram=True, pairs=False)
