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

from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness, bernoulli, inexact, uniform
from ldpnb.checks import check_numbers
from ldpnb.core import Floats, Ints, Tally

BLOCK = 2**13  # people treated at a time, so that what is worked on stays in the cache
Support = tuple[Fraction, Fraction]  # p and q


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
    """Keep each code with probability `keep`; otherwise draw any of `number` codes, all alike.

    This is the client of k-RR, for whatever the codes stand for.

    Parameters
    ----------
    codes : ndarray of int64 (n, …)
    keep : Fraction
        A multiple of 2⁻⁵³.
    number : int
        Of all codes, the own one among them.
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
