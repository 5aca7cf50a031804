"""One item per person: what follows for every oracle from two probabilities, p and q.

A report *supports* some of the k items.  It supports the person's own item with probability p,
and each other item with probability q: a pure protocol, with p* and q*, of Wang, Blocki, Li and
Jha 2017.  Everything that the server needs follows from p, q and C_v, the number of reports that
support item v, among n:

    estimate            f̂_v = (C_v/n − q) / (p − q)
    score               a report adds (1−q)/(p−q) to an item that it supports, −q/(p−q) to others
    variance            p(1−p)/(p−q)² for the person's own item, q(1−q)/(p−q)² for the others

The functions below take numbers, so that other families whose reports support items (sets, the
Wheel) use them without inheriting anything.  There, a report is about a person's item only with
probability h, and scores are multiplied by a scale L.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, bernoulli, binomial, inexact, uniform
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_codes,
    check_count,
    check_epsilon,
    check_errors,
    check_histogram,
    check_numbers,
)
from ldpnb.core import Example, Floats, Ints, Mechanism, Tally, Values, check_tally
from ldpnb.intervals import support_interval

BLOCK = 2**13  # people treated at a time, so that what is worked on stays in the cache
Support = tuple[Fraction, Fraction]  # p and q


class FrequencyOracle(ABC):
    """Any mechanism for one of k items per person, also one that is no pure protocol.

    `isinstance` tells, by the mechanism's `takes`; nothing inherits it.
    """

    k: int

    @classmethod
    def __subclasshook__(cls, kind: type[Any]) -> bool:
        return getattr(kind, "takes", "") == "item"


@dataclass(frozen=True, kw_only=True)
class ItemOracle(Mechanism):
    """Base of the pure protocols: a subclass adds its client, its server's count, and p and q.

    It gives `support`, `realised_epsilon`, `layout`, `_perturb`, `_count` and `linear_variance`.
    If its tallies do not count the supporters of each item, it gives `_supporters`, too, and
    ``counts_items = False``; if its estimated shares do not always sum to 1,
    `_linear_variance_of_nobody`.

    Parameters
    ----------
    k : int, at least 2
        Size of the domain {0, …, k−1}.
    epsilon : float
    """

    k: int
    epsilon: float
    takes = "item"
    shares = True
    counts_items: ClassVar[bool] = True  # whether a tally counts the supporters of each item
    limits: ClassVar[Mapping[str, Limit]] = {"k": (2, SIZE_MAX), "epsilon": check_epsilon}
    tried = [{"k": 2, "epsilon": 1.0}, {"k": 3, "epsilon": 0.1}, {"k": 4, "epsilon": 3.0}]

    # ---------------------------------------------------------------- what a subclass must give

    @property
    @abstractmethod
    def support(self) -> Support:
        """(p, q): probability that a report supports the person's own item, and any other one."""

    @abstractmethod
    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of a weighted sum of one person's scores, for each item the person may hold.

        `variance` is about each item alone; the error of a sum, a difference or a ratio of shares
        needs the joint law of a report.  With :math:`s_v` the score of item v, entry x is
        :math:`\operatorname{Var}[\sum_v w_v s_v \mid x]`.

        Parameters
        ----------
        weights : array_like of float (…, k)
            A weight for each item; leading axes run over sums.

        Returns
        -------
        ndarray of float64 (…, k)

        Raises
        ------
        ValueError
            If there are not k weights, or one is not a finite number.
        """

    def _supporters(self, tally: Tally) -> NDArray[Any]:
        """Count the reports that support each item, (…, k)."""
        return tally.counts

    # ------------------------------------------------------------------------ values and target

    def _values(self, values: Values) -> Ints:
        return check_codes(values, self.k)

    def expected(self, values: Values) -> Floats:
        """One for the person's item, zero for the others: (n, k)."""
        return one_hot(self._values(values), self.k)

    # -------------------------------------------------------------------------------- the server

    def supporters(self, tally: Tally) -> Floats:
        """Count the reports that support each item, (…, k).

        What `simulate_marginals` returns are supporters already.
        """
        check_tally(tally, Mechanism, "a mechanism's reports")
        found = tally.counts
        if not tally.marginal:
            found = self._supporters(tally)
        return found.astype(np.float64)

    def _score(self, tally: Tally) -> Floats:
        """f̂ = (C/n − q)/(p − q): (…, k)."""
        return support_estimate(self.supporters(tally), tally.n, self.support)

    def _squares(self, tally: Tally) -> Floats:
        return support_squares(self.supporters(tally), tally.n, self.support)

    def interval(self, tally: Tally, z: float, *, people: bool = False) -> tuple[Floats, Floats]:
        """Return exact ends where few reports support an item, and score intervals elsewhere.

        See `ldpnb.intervals`.
        """
        z = check_errors(z)
        self.standard_error(tally, people=people)  # refuses what has none
        p, q = self.support
        sampled = 0.0 if people else 1.0
        return support_interval(self.supporters(tally), tally.n, p, q, z, sampled=sampled)

    @property
    def chances(self) -> Support:
        """Chance that a report supports an item, of somebody who holds it, and of anybody else."""
        return support_chances(self.support)

    # ---------------------------------------------------------------------------------- variance

    def variance(self, values: Values) -> Floats:
        """p(1−p)/(p−q)² for the person's item, q(1−q)/(p−q)² for the others: (n, k)."""
        p, q = self.support
        own = inexact(p * (1 - p) / (p - q) ** 2)
        other = inexact(q * (1 - q) / (p - q) ** 2)
        return np.where(self.expected(values) == 1, own, other)

    @property
    def rare_variance(self) -> float:
        """q(1−q)/(p−q)²: the variance of one person's score of an item that nobody holds."""
        return rare_variance(self.support)

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        r"""Mean squared weighted sum of scores: (…).

        Somebody with item x adds :math:`V_x + w_x^2`, and V is linear in who has which item.
        Estimated shares need not sum to 1, so what everybody adds, whatever the item, is taken
        out first and counted once.
        """
        everybody = self._linear_variance_of_nobody(weights)
        more = self.linear_variance(weights) + np.square(weights) - everybody
        return np.asarray(everybody + self.estimate(tally) @ more)

    def _linear_variance_of_nobody(self, weights: Floats) -> float:
        """Variance of the weighted sum for somebody whose item has weight 0.

        Where estimated shares sum to 1 in every survey it makes no difference, and 0 will do.
        """
        return 0.0

    # -------------------------------------------------------------------------------- simulation

    def simulate_marginals(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population, exact for each item alone.

        They are good for mean-square errors, and wrong for top lists and maxima.

        Parameters
        ----------
        counts : array_like of int (k,)
            How many people hold each item.
        trials : int
        rng : numpy.random.Generator or Paths

        Returns
        -------
        Tally
            Counts (trials, k); marked as marginal where reports are counted otherwise.
        """
        histogram = check_histogram(counts, self.k)
        shape = check_count(trials, 1, "trials"), self.k
        n = int(histogram.sum())
        p, q = self.support
        holders = binomial(histogram, inexact(p), shape, rng)
        others = binomial(n - histogram, inexact(q), shape, rng)
        return Tally(self, n, holders + others, marginal=not self.counts_items)

    def _example(self) -> Example:
        return Example(self, np.arange(self.k), histogram=self.counts_items)


# --------------------------------------------------- what p and q give, as functions of numbers


@runtime_checkable
class Supporting(Protocol):
    """A mechanism whose reports support items, whichever family it is of.

    `isinstance` tells; nothing inherits it.
    """

    @property
    def chances(self) -> Support:
        """Chance that a report supports an item, of somebody who holds it, and of anybody else."""

    def supporters(self, tally: Tally) -> Floats:
        """Count the reports that support each item, (…, k)."""


def support_estimate(supporters: Floats, n: int, support: Support, scale: int = 1) -> Floats:
    """L (C/n − q)/(p − q), with the scale L."""
    p, q = support
    return (supporters / n - inexact(q)) / inexact((p - q) / scale)


def support_squares(supporters: Floats, n: int, support: Support, scale: int = 1) -> Floats:
    """Mean square of scores that have two values: a report supports an item, or it does not."""
    p, q = support
    yes = inexact(scale * (1 - q) / (p - q))
    no = inexact(-scale * q / (p - q))
    return np.asarray(no**2 + supporters / n * (yes**2 - no**2))


def support_variance(expected: Floats, support: Support, scale: int = 1) -> Floats:
    """L² P(1−P)/(p−q)² with P = hp + (1−h)q.

    h is the chance that a report is about the item, ``expected / scale``.
    """
    p, q = support
    drawn = expected / scale
    yes = drawn * inexact(p) + (1 - drawn) * inexact(q)
    no = drawn * inexact(1 - p) + (1 - drawn) * inexact(1 - q)  # 1 − yes loses digits near p = 1
    return np.asarray(yes * no * inexact(scale**2 / (p - q) ** 2))


def support_chances(support: Support, scale: int = 1) -> Support:
    """Chance of support by somebody who holds an item, q + (p − q)/L, and by anybody else, q."""
    p, q = support
    return q + (p - q) / scale, q


def rare_variance(support: Support, scale: int = 1) -> float:
    """L² q(1−q)/(p−q)²: the variance of an item that the person does not hold."""
    p, q = support
    return inexact(scale**2 * q * (1 - q) / (p - q) ** 2)


# -------------------------------------------------------------------- what many clients share


def keep_or_blind(codes: Ints, keep: Fraction, number: int, rng: Randomness) -> Ints:
    """Keep each code with probability `keep`; otherwise draw one of `number` codes at random.

    Each of these has the same probability, the person's own code, too.  This is the client of k-RR,
    for whatever the codes stand for.

    Parameters
    ----------
    codes : ndarray of int64 (n, …)
    keep : Fraction
        A multiple of 2⁻⁵³.
    number : int
        Of all codes.
    rng : Generator, SystemRandom or Paths
    """
    kept = bernoulli(inexact(keep), codes.shape, rng)
    blind = uniform(number, codes.shape, rng)
    return np.where(kept, codes, blind)


def one_hot(codes: Ints, k: int) -> Floats:
    """One for each person's item, zero for the others: (n, k)."""
    return np.equal.outer(codes, np.arange(k)).astype(np.float64)


def check_weights(weights: ArrayLike, k: int, name: str = "weights") -> Floats:
    """Return weights, or other numbers, of k items as a float64 array, (…, k)."""
    found = check_numbers(weights, name)
    if found.ndim == 0 or found.shape[-1] != k:
        rule = f"{name} must have k = {k} entries along the last axis"
        raise ValueError(f"{rule}, got shape {found.shape}")
    return found
