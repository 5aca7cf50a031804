"""Unary encodings: one bit for each item, each flipped by a coin of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import chance
from ldpnb.chance import (
    Randomness,
    bernoulli,
    exact,
    inexact,
    odds,
    packed_bernoulli,
    round_down,
    round_up,
)
from ldpnb.checks import Limit, check_flag
from ldpnb.core import Floats, Ints, Layout, Reports, Tally
from ldpnb.oracles.base import ItemOracle, Support, check_weights
from ldpnb.oracles.bits import (
    Bits,
    bit_layout,
    check_bit_reports,
    count_bits,
    first_items,
    put_own,
)


@dataclass(frozen=True, kw_only=True)
class UnaryEncoding(ItemOracle):
    r"""Base of `SUE` and `OUE`, which differ in p and q alone.

    A report has a bit for each item.  The bit of the person's own item is set with probability p,
    any other with probability q, all independently.  Two values differ in two bits, so that
    :math:`\varepsilon = \ln\frac{p(1-q)}{q(1-p)}`, whatever k.

    Reports are bool (n, k), or packed, uint8 (n, ⌈k/8⌉), see `ldpnb.oracles.bits`.  Both have the
    same law, but are not drawn from the same random numbers.  Tallies count the ones, (k,).

    Parameters
    ----------
    packed : bool
        Whether reports are packed, eight items to a byte.
    """

    packed: bool = False
    limits: ClassVar[Mapping[str, Limit]] = {"packed": check_flag}
    server_cost = "report and item"

    @property
    def realised_epsilon(self) -> float:
        """ln[p(1−q) / (q(1−p))]."""
        p, q = self.support
        return chance.log(p * (1 - q) / (q * (1 - p)))

    @property
    def layout(self) -> Layout:
        """Bits, or bytes."""
        return bit_layout(self.k, self.packed)

    @property
    def report_bits(self) -> int:
        """k, even if the last byte has bits left over."""
        return self.k

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Bits:
        p, q = self.support
        shape = len(values), self.k
        if self.packed:
            packed = packed_bernoulli(inexact(q), shape, rng)
            put_own(packed, values, bernoulli(inexact(p), values.shape, rng))
            return packed
        bits = bernoulli(inexact(q), shape, rng)
        rows = np.arange(len(values))
        bits[rows, values] = bernoulli(inexact(p), values.shape, rng)
        return bits

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Bits:
        return check_bit_reports(reports, self.layout)

    def _count(self, reports: Bits) -> Ints:
        return count_bits(reports, self.k, self.packed)

    def _worst(self) -> Bits:
        """Support all items."""
        return first_items(self.k, self.k, self.packed)

    # ------------------------------------------------------------------- variance and simulation

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """Σ_v w_v² Var s_v, since bits are independent: (…, k).

        See `ItemOracle.linear_variance`.
        """
        p, q = self.support
        own = inexact(p * (1 - p) / (p - q) ** 2)
        other = inexact(q * (1 - q) / (p - q) ** 2)
        squares = np.square(check_weights(weights, self.k))
        return np.asarray(other * squares.sum(-1, keepdims=True) + (own - other) * squares)

    def _linear_variance_of_nobody(self, weights: Floats) -> float:
        p, q = self.support
        return inexact(q * (1 - q) / (p - q) ** 2) * float(np.square(weights).sum())

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population with this histogram, exact in their joint law, in O(k).

        Bits are independent, so that each item can be drawn alone.
        """
        return self.simulate_marginals(counts, trials=trials, rng=rng)


@dataclass(frozen=True, kw_only=True)
class SUE(UnaryEncoding):
    r"""Symmetric unary encoding: :math:`p = e^{\varepsilon/2}/(e^{\varepsilon/2}+1) = 1 - q`.

    This is basic one-time RAPPOR.

    Source: Erlingsson, Pihur and Korolova 2014; sun2021 §2.1; zhang2018 eq. (2-16).

    Examples
    --------
    >>> oracle = SUE(k=3, epsilon=1.0)
    >>> people = np.repeat([0, 1, 2], [6000, 3000, 1000])
    >>> reports = oracle.perturb(people, rng=np.random.default_rng(0))
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.58, 0.29, 0.09])
    """

    label = "SUE"

    @cached_property
    def support(self) -> Support:
        """(p, q): p = s/(s + 1) with s = e^(ε/2), rounded down, and q = 1 − p."""
        s = odds(self.epsilon / 2)
        p = exact(round_down(s / (s + 1)))
        return p, 1 - p


@dataclass(frozen=True, kw_only=True)
class OUE(UnaryEncoding):
    r"""Optimised unary encoding: :math:`p = 1/2`, :math:`q = 1/(e^\varepsilon+1)`.

    Of all p and q with this ε, these have the least variance of an item that nobody holds.

    Source: Wang, Blocki, Li and Jha 2017; sun2021 §2.1.

    Examples
    --------
    >>> oracle = OUE(k=3, epsilon=1.0, packed=True)
    >>> people = np.repeat([0, 1, 2], [6000, 3000, 1000])
    >>> reports = oracle.perturb(people, rng=np.random.default_rng(0))
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.57, 0.3 , 0.05])
    """

    label = "OUE"

    @cached_property
    def support(self) -> Support:
        """(p, q): p = 1/2, and q = 1/(e^ε + 1), rounded up."""
        return Fraction(1, 2), exact(round_up(1 / (odds(self.epsilon) + 1)))
