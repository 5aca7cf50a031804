"""k-ary randomised response (k-RR): keep the item, or report one of the k items at random.

A person keeps the item with probability `keep`, and otherwise draws one of the k items, the own one
among them, each with the same probability.  So an item is reported with probability p by somebody
who holds it and with probability q by anybody else, and `keep` is such that p = e^ε q: no report is
more than e^ε times as likely from one item as from another.

The server counts the C_v reports of each item v among n.  What follows from p and q stands in
`ldpnb.oracles.base`:

    estimate     f̂_v = (C_v/n − q) / (p − q)
    variance     p(1−p)/(p−q)² for the person's own item, q(1−q)/(p−q)² for the others
"""

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
    report one of the k items, each with the same probability.  Then
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
        keep = exact(self.keep)  # a subclass may give a float
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
        r"""Variance of the weighted sum of scores of somebody with item x, for each x: (…, k).

        A report of item y has the sum :math:`(w_y - q \sum_v w_v)/(p-q)`.  Weights that are larger
        by a constant change it by a constant, whatever y, and its variance not at all.  So they are
        shifted to mean zero, and it is
        :math:`q \{\sum_v w_v^2 + k (p-q) w_x^2\} / (p-q)^2`.  See `ItemOracle.linear_variance`.
        """
        p, q = self.support
        w = check_weights(weights, self.k)
        squares = np.square(w - w.mean(-1, keepdims=True))
        total = squares.sum(-1, keepdims=True)
        return np.asarray(inexact(q / (p - q) ** 2) * (total + inexact(self.k * (p - q)) * squares))

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean over reports of the squared weighted sum of scores.

        A report of item y has the sum (w_y − q Σw)/(p − q), since each item v has the score
        (1 − q)/(p − q) if v = y, and −q/(p − q) otherwise.
        """
        p, q = self.support
        sums = (weights - inexact(q) * weights.sum()) / inexact(p - q)
        return np.asarray(tally.counts @ np.square(sums) / tally.n)

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population with this histogram, exact in their joint law: (trials, k).

        It draws how many people of each item keep it, and how the reports of all others fall on the
        k items, so that its time does not grow with n.
        """
        histogram = check_histogram(counts, self.k)
        shape = check_count(trials, 1, "trials"), self.k
        n = int(histogram.sum())
        kept_reports = binomial(histogram, inexact(self.keep), shape, rng)
        blind_reports = scatter(n - kept_reports.sum(-1), self.k, rng)
        return Tally(self, n, blind_reports + kept_reports)
