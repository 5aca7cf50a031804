"""k-ary randomised response: keep the item, or report any of the k items, all alike."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import chance
from ldpnb.chance import Randomness, binomial, exact, inexact, odds, round_down, scatter
from ldpnb.checks import check_count, check_histogram
from ldpnb.core import Floats, Ints, Layout, Tally
from ldpnb.oracles.base import ItemOracle, Support, check_weights, keep_or_blind


@dataclass(frozen=True, kw_only=True)
class GRR(ItemOracle):
    r"""k-ary randomized response (k-RR); for k = 2, Warner's randomized response (W-RR).

    Keep the item with probability :math:`(e^\varepsilon-1)/(e^\varepsilon+k-1)`, and otherwise
    report any of the k items, all alike.  Then
    :math:`p = e^\varepsilon/(e^\varepsilon+k-1)` and :math:`q = 1/(e^\varepsilon+k-1)`.

    Source: Warner 1965 (k = 2); Kairouz, Bonawitz and Ramage 2016; ye2018 §1.2.1 and §4.1.1.

    Reports are items, (n,).  Tallies count the reports of each item, (k,).

    Examples
    --------
    >>> oracle = GRR(k=3, epsilon=1.0)
    >>> people = np.repeat([0, 1, 2], [6000, 3000, 1000])
    >>> reports = oracle.perturb(people, rng=np.random.default_rng(0))
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.58, 0.33, 0.09])
    """

    label = "k-RR"

    @cached_property
    def keep(self) -> Fraction:
        """Probability of keeping the item, (e^ε − 1)/(e^ε + k − 1), rounded down."""
        more = odds(self.epsilon) - 1
        return exact(round_down(more / (more + self.k)))

    @property
    def support(self) -> Support:
        """(p, q): p = keep + (1 − keep)/k, and q = (1 − keep)/k."""
        keep = exact(self.keep)
        blind = (1 - keep) / self.k
        return keep + blind, blind

    @property
    def realised_epsilon(self) -> float:
        """ln(p/q)."""
        p, q = self.support
        return chance.log(p / q)

    @property
    def layout(self) -> Layout:
        """An item."""
        return {"": (np.int64, self.k)}

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Ints:
        return keep_or_blind(values, self.keep, self.k, rng)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Ints) -> Ints:
        """Count the reports of each item, (k,)."""
        return np.bincount(reports, minlength=self.k)

    # ------------------------------------------------------------------- variance and simulation

    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of the weight of the reported item: (…, k).  See `ItemOracle.linear_variance`.

        With weights shifted to mean zero, which changes nothing, since one item is reported, it is
        :math:`q \{\sum_v w_v^2 + k (p-q) w_x^2\} / (p-q)^2`.
        """
        p, q = self.support
        w = check_weights(weights, self.k)
        squares = np.square(w - w.mean(-1, keepdims=True))
        total = squares.sum(-1, keepdims=True)
        return np.asarray(inexact(q / (p - q) ** 2) * (total + inexact(self.k * (p - q)) * squares))

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean square of the score of each item that is reported, by how often it was."""
        p, q = self.support
        scores = (weights - inexact(q) * weights.sum()) / inexact(p - q)
        return np.asarray(tally.counts @ np.square(scores) / tally.n)

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population with this histogram, exact in their joint law: (trials, k).

        What is drawn blindly is drawn for all people at once, so that n may be large.
        """
        histogram = check_histogram(counts, self.k)
        shape = check_count(trials, 1, "trials"), self.k
        n = int(histogram.sum())
        kept = binomial(histogram, inexact(self.keep), shape, rng)
        blind = scatter(n - kept.sum(-1), self.k, rng)
        return Tally(self, n, blind + kept)
