"""Means of numbers in [−1, 1]: a public range, and what follows from the scores of cells.

`Range` maps ages or prices of a public range to [−1, 1] and back.

A report names a cell for each number that it is about, and each cell has a score whose mean is the
number.  So everything that the server needs follows from the scores s_y and from the mean squared
score of a person with number t, E[s² | t], which is linear in t between some equidistant points:

    estimate            Σ_y C_y s_y / n, for C_y answers in cell y
    variance            E[s² | t] − t² for a person with number t
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from sys import float_info
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import exact, log, odds
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_count,
    check_epsilon,
    check_numbers,
    in_full,
    shown,
)
from ldpnb.core import Floats, Ints, Mechanism, Tally, Values
from ldpnb.exact.formulas import Formula
from ldpnb.exact.questions import above_one

FINE = 2**64  # weights of a client are multiples of 1 / FINE


@dataclass(frozen=True, kw_only=True)
class Range:
    """A public range of raw numbers, known before anybody reports, and its map to [−1, 1].

    It must not come from the data: the largest value there tells on the person who has it.

    Parameters
    ----------
    low, high : float or array_like of float (d,)
        Finite, low < high; one range for everything, or one for each attribute.

    Examples
    --------
    >>> age = Range(low=0, high=120)
    >>> age.to_unit([0, 30, 120]), age.from_unit(-0.5)
    (array([-1. , -0.5,  1. ]), array(30.))
    """

    # given as anything that numpy takes; a float or a tuple of floats from then on
    low: Any
    high: Any

    def __post_init__(self) -> None:
        low = check_numbers(self.low, "low")
        high = check_numbers(self.high, "high")
        if low.shape != high.shape or low.ndim > 1 or low.size == 0:
            got = f"{shown(self.low)} and {shown(self.high)}"
            raise ValueError(f"low and high must be numbers, or one for each attribute, got {got}")
        with np.errstate(over="ignore"):
            wide = np.all((high - low) / 2 >= float_info.min)
            finite = np.all(np.isfinite(high - low))
        if not (wide and finite):
            width = f"high − low from {2 * float_info.min:.2g} to 1.8e308"
            got = f"{shown(low.tolist())} and {shown(high.tolist())}"
            raise ValueError(f"low must be below high as floats, and {width}, got {got}")
        object.__setattr__(self, "low", _comparable(low))
        object.__setattr__(self, "high", _comparable(high))

    @property
    def half(self) -> Floats:
        """Half the width: the raw size of 1, and the factor of standard errors."""
        return np.asarray((np.asarray(self.high) - np.asarray(self.low)) / 2)

    def to_unit(self, raw: ArrayLike) -> Floats:
        """Map raw numbers to [−1, 1]: (x − middle)/half, both ends exactly.

        Parameters
        ----------
        raw : array_like of float, (…), or (…, d) where each attribute has a range

        Returns
        -------
        ndarray of float64, of the shape of `raw`

        Raises
        ------
        ValueError
            If a number is not in its range.  Nothing is clipped: that would move the mean.
        """
        numbers, low, high = self._with_ends(raw, "raw")
        wrong = np.argwhere((numbers < low) | (numbers > high))
        if wrong.size:
            at = tuple(wrong[0])
            ends = f"[{in_full(low[at])}, {in_full(high[at])}]"
            raise ValueError(f"raw must be numbers in {ends}, got {in_full(numbers[at])}")
        return np.asarray(((numbers - low) - (high - numbers)) / (high - low))

    def cells(self, raw: ArrayLike, k: int) -> Ints:
        """Return the cell of each number, where the range is cut into k cells of one width.

        They are the values of `Hierarchy` or of any oracle.  A number between two cells is in the
        upper one, and the upper end of the range in the last.

        Parameters
        ----------
        raw : array_like of float, (…), or (…, d) where each attribute has a range
        k : int, at least 2

        Returns
        -------
        ndarray of int64, of the shape of `raw`

        Raises
        ------
        ValueError
            If a number is not in its range.
        """
        k = check_count(k, 2, "k", SIZE_MAX)
        self.to_unit(raw)  # checks them
        numbers, low, high = self._with_ends(raw, "raw")
        cell = np.floor((numbers - low) * k / (high - low))
        return np.minimum(cell, k - 1).astype(np.int64)

    def from_unit(self, mean: ArrayLike) -> Floats:
        """Map means back to raw units; an estimate outside [−1, 1] ends up outside the range.

        Parameters
        ----------
        mean : array_like of float, (…), or (…, d) where each attribute has a range
        """
        numbers, low, high = self._with_ends(mean, "mean")
        return np.asarray((1 + numbers) / 2 * high + (1 - numbers) / 2 * low)

    def _with_ends(self, numbers: ArrayLike, name: str) -> tuple[Floats, Floats, Floats]:
        """Return numbers that were checked, and the ends of the range of each of them."""
        found = check_numbers(numbers, name)
        d = np.size(self.low)
        if np.ndim(self.low) and (found.ndim == 0 or found.shape[-1] != d):
            rule = f"{name} must have a last axis of d = {d} attributes"
            raise ValueError(f"{rule}, got shape {found.shape}")
        low = np.broadcast_to(self.low, found.shape)
        high = np.broadcast_to(self.high, found.shape)
        return found, low, high


def _comparable(end: Floats) -> float | tuple[float, ...]:
    """Return an end of a range as what can be compared and printed, without −0.0."""
    plain = end + 0.0
    if plain.ndim:
        return tuple(plain.tolist())
    return float(plain)


# ------------------------------------------------------------------------- the base of the family


@dataclass(frozen=True, kw_only=True)
class MeanMechanism(Mechanism):
    """Base of mechanisms for means: a subclass adds its client, its server's count, and scores.

    It gives `scores`, `second_moments`, `layout`, `_values`, `_perturb` and `_count`.  If its
    tallies are not the numbers of answers in each cell, it gives `_cells`, too; if the odds of a
    report are not e^ε, `ratio`.

    Parameters
    ----------
    epsilon : float
    """

    epsilon: float
    limits: ClassVar[Mapping[str, Limit]] = {"epsilon": check_epsilon}
    needs_list = False

    # ---------------------------------------------------------------- what a subclass must give

    @property
    @abstractmethod
    def scores(self) -> Floats:
        """What an answer about a number is worth, for each cell that it may name: (m,)."""

    @property
    @abstractmethod
    def second_moments(self) -> Floats:
        """Mean squared score of a number at each of some equidistant points of [−1, 1].

        It is linear in between.
        """

    def _cells(self, tally: Tally) -> Ints:
        """Count the answers in each cell, (…, t, m)."""
        return tally.counts

    # ----------------------------------------------------------------------------------- privacy

    @property
    def ratio(self) -> Fraction:
        """How much likelier a report is from one value than from another, at most.

        It is e^ε, rounded down.
        """
        return exp_down(exact(self.epsilon))

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of `ratio`."""
        return log(self.ratio)

    # ------------------------------------------------------------------- target and the server

    def expected(self, values: Values) -> Floats:
        """Return the values, (n, t); rounding to points keeps them on average, to within 2**-51."""
        return np.asarray(self._values(values))

    def _score(self, tally: Tally) -> Floats:
        """Return the mean score of a person, (…, t)."""
        return np.asarray(self._cells(tally) @ self.scores / tally.n)

    def _squares(self, tally: Tally) -> Floats:
        return np.asarray(self._cells(tally) @ self.scores**2 / tally.n)

    # ---------------------------------------------------------------------------------- variance

    def variance(self, values: Values) -> Floats:
        """Variance E[s² | t] − t²: (n, t)."""
        return self._variance(self._values(values))

    @property
    def worst_variance(self) -> float:
        """Largest variance of a score over all numbers in [−1, 1], between the points as well.

        Between two points, with slope b of E[s² | t], it is largest at b/2, or at one of the two.
        """
        points = np.linspace(-1, 1, len(self.second_moments))
        slopes = np.diff(self.second_moments) / np.diff(points)
        tops = np.clip(slopes / 2, points[:-1], points[1:])
        return float(np.max(self._variance(np.append(tops, 1))))

    def _variance(self, t: Floats) -> Floats:
        """Return E[s² | t] − t², of checked numbers."""
        last = len(self.second_moments) - 1
        place = (1 + t) / 2 * last
        below = np.minimum(place.astype(np.int64), last - 1)
        low = self.second_moments[below]
        high = self.second_moments[below + 1]
        return np.asarray(low + (place - below) * (high - low) - t**2)


def exp_down(epsilon: Fraction) -> Fraction:
    """Return e^ε, rounded down to a multiple of 1 / FINE."""
    e = odds(epsilon)
    if isinstance(e, Formula):
        return above_one(e)
    return Fraction(floor(e * FINE), FINE)
