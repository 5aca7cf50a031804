"""Strings in ye2018: what Bloom filters, cohorts and counting cost (RAPPOR, O-RAPPOR, O-RR)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sinh, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.core import Floats
from ldpnb.strings import one_time


class Hashed(Protocol):
    """A mechanism that hashes strings in cohorts."""

    @property
    def cohorts(self) -> int:
        """Their number."""

    def filters(self, strings: Sequence[str]) -> Any:
        """Bits that strings set: strings × cohorts × cells."""

    def variance(self, values: Any, items: Any) -> Floats:
        """Variance of the scores of one person: a row for each value, a column for each item."""


def pages(count: int, name: str = "page") -> list[str]:
    """Return so many different strings."""
    return [f"{name}{i}.example" for i in range(count)]


def unary_noise(eps: float) -> float:
    """Return the variance of one person's score for a rare item, with a bit for every item (SUE)."""
    return 1 / (4 * sinh(eps / 4) ** 2)


def rare_noise(mechanism: Hashed, items: Sequence[str], others: int = 20) -> float | None:
    """Return the same for a hashing mechanism and this list, which is decoded by least squares.

    Parameters
    ----------
    mechanism : Hashed
    items : sequence of str
        The list of candidates.
    others : int
        How many of them people have; the noise is that of the rest.

    Returns
    -------
    float or None
        None if the filters do not tell the candidates apart.
    """
    try:
        noise = mechanism.variance(items[:others], items)
    except ValueError:
        return None
    return float(noise[:, others:].mean())


def filtered_over_unary(bits: int, cohorts: int, hashes: int = 1, *, strings: int = 50, eps: float = 1.0) -> float:
    """Return the variance with a Bloom filter and one noise, over that with a bit for every string, at equal ε."""
    noise = rare_noise(one_time(bits=bits, hashes=hashes, cohorts=cohorts, epsilon=eps), pages(strings))
    return np.inf if noise is None else noise / unary_noise(eps)


def growth(make: Callable[[int], Hashed], sizes: Sequence[int] = (16, 48, 144)) -> float:
    """Return the power of the number of strings with which the sum of their standard errors grows.

    Parameters
    ----------
    make : callable
        A mechanism for so many strings.
    sizes : sequence of int

    Returns
    -------
    float
    """
    sums = [size * sqrt(rare_noise(make(size), pages(size), 8) or np.inf) for size in sizes]
    return float(np.polyfit(np.log(sizes), np.log(sums), 1)[0])


def twins(mechanism: Hashed, count: int) -> tuple[float, float] | None:
    """Look for two distributions over so many strings that have the same expected counts of bits.

    Returns
    -------
    tuple of float or None
        The largest difference in expected counts, per report, and the largest in shares; None if there are none.
    """
    filters = np.asarray(mechanism.filters(pages(count)), float).reshape(count, -1).T
    rows = np.vstack([filters, np.ones(count)])
    null = np.linalg.svd(rows)[2][-1]
    if np.abs(rows @ null).max() > 1e-9:
        return None
    step = 2 * null / np.abs(null).max() / count  # between equal shares plus and minus half of it
    return float(np.abs(filters @ step).max()), float(np.abs(step).max())


def counted_alone(mechanism: Hashed, shares: ArrayLike, chance: float) -> float:
    """Return the largest error of shares from the counts of each string's cells alone, with infinitely many people.

    Parameters
    ----------
    mechanism : Hashed
        With one hash function.
    shares : array-like
        Of the strings of `pages`.
    chance : float
        Probability that another string has the same cell, for which counts are corrected.

    Returns
    -------
    float
    """
    truth = np.asarray(shares, float)
    filters = np.asarray(mechanism.filters(pages(len(truth))), float).reshape(len(truth), -1)
    hits = filters @ (truth @ filters) / mechanism.cohorts
    return float(np.abs((hits - chance) / (1 - chance) - truth).max())


def collisions(slot: Callable[[str, int], int], count: int = 60_000) -> tuple[float, float, float]:
    """Hash so many strings in two cohorts, and count equal slots.

    Parameters
    ----------
    slot : callable
        Of a string and a cohort.
    count : int

    Returns
    -------
    tuple of float
        Shares of: one string with one slot in both cohorts; two strings with one slot in a cohort; in both.
    """
    slots = np.array([[slot(string, cohort) for cohort in range(2)] for string in pages(count)])
    same = slots[:-1] == slots[1:]
    return float(np.mean(slots[1:, 0] == slots[1:, 1])), float(same[:, 0].mean()), float(same.all(1).mean())
