"""What all mechanisms for means share: a public range, and scores of cells.

`Range` maps ages or prices of a public range to [−1, 1] and back.
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
from ldpnb.checks import SIZE_MAX, Limit, check_count, check_epsilon, check_numbers, in_full, shown
from ldpnb.core import Floats, Ints, Mechanism, Tally
from ldpnb.exact.formulas import Formula
from ldpnb.exact.questions import above_one

FINE = 2**64  # weights of a client are multiples of 1 / FINE


@dataclass(frozen=True, kw_only=True)
class Range:
    """A public range of raw numbers, known before anybody reports, and its map to [−1, 1].

    It must not come from the data: the largest value there is tells on who has it.

    Parameters
    ----------
    low, high : float or array_like of float (d,)
        Finite, low < high; one range for everything, or one an attribute.
    """

    low: Any
    high: Any

    def __post_init__(self) -> None:
        low, high = check_numbers(self.low, "low"), check_numbers(self.high, "high")
        if low.shape != high.shape or low.ndim > 1 or low.size == 0:
            raise ValueError(
                f"low and high must be numbers, or one an attribute, got {shown(self.low)} and {shown(self.high)}"
            )
        with np.errstate(over="ignore"):
            right = np.all((high - low) / 2 >= float_info.min) and np.all(np.isfinite(high - low))
        if not right:
            rule = f"low must be below high as floats, and high − low from {2 * float_info.min:.2g} to 1.8e308"
            raise ValueError(f"{rule}, got {shown(low.tolist())} and {shown(high.tolist())}")
        for name, given in (("low", low), ("high", high)):
            end = given + 0.0  # a negative zero is printed otherwise, and what is printed is an identity
            object.__setattr__(self, name, tuple(end.tolist()) if end.ndim else float(end))  # tuples can be compared

    @property
    def half(self) -> Floats:
        """Half the width: the raw size of 1, and the factor of standard errors."""
        return np.asarray((np.asarray(self.high) - np.asarray(self.low)) / 2)

    def to_unit(self, raw: ArrayLike) -> Floats:
        """Map raw numbers to [−1, 1]: (x − middle)/half, both ends exactly.

        Parameters
        ----------
        raw : array_like of float, (…), or (…, d) where there is a range an attribute

        Raises
        ------
        ValueError
            If a number is not in its range.  Nothing is clipped: that would move the mean.
        """
        numbers, low, high = self._each(raw, "raw")
        if (wrong := np.argwhere((numbers < low) | (numbers > high))).size:
            at = tuple(wrong[0])
            ends = f"[{in_full(low[at])}, {in_full(high[at])}]"
            raise ValueError(f"raw must be numbers in {ends}, got {in_full(numbers[at])}")
        return np.asarray(((numbers - low) - (high - numbers)) / (high - low))

    def cells(self, raw: ArrayLike, k: int) -> Ints:
        """Cut the range into k cells of one width, for `Hierarchy` or any oracle: the number of each number's cell.

        A number between two cells is in the upper one, the upper end of the range in the last.

        Parameters
        ----------
        raw : array_like of float, (…), or (…, d) where there is a range an attribute
        k : int, at least 2

        Raises
        ------
        ValueError
            If a number is not in its range.
        """
        k = check_count(k, 2, "k", SIZE_MAX)
        self.to_unit(raw)  # checks them
        numbers, low, high = self._each(raw, "raw")
        return np.minimum(np.floor((numbers - low) * k / (high - low)), k - 1).astype(np.int64)

    def from_unit(self, mean: ArrayLike) -> Floats:
        """Map means back to raw units; an estimate outside [−1, 1] comes out outside the range."""
        numbers, low, high = self._each(mean, "mean")
        return np.asarray((1 + numbers) / 2 * high + (1 - numbers) / 2 * low)

    def _each(self, numbers: ArrayLike, name: str) -> tuple[Floats, ...]:
        found, d = check_numbers(numbers, name), np.size(self.low)
        if np.ndim(self.low) and (found.ndim == 0 or found.shape[-1] != d):
            raise ValueError(f"{name} must have a last axis of d = {d} attributes, got shape {found.shape}")
        return found, np.broadcast_to(self.low, found.shape), np.broadcast_to(self.high, found.shape)


@dataclass(frozen=True, kw_only=True)
class MeanMechanism(Mechanism):
    """What all mechanisms for means share: a score a cell, what it does to a number, and errors read off the reports.

    Parameters
    ----------
    epsilon : float
    """

    epsilon: float
    limits: ClassVar[Mapping[str, Limit]] = {"epsilon": check_epsilon}
    needs_list = False

    @property
    def ratio(self) -> Fraction:
        """How much likelier a report is from one value than from another, at most: e^ε, rounded down."""
        return exp_down(exact(self.epsilon))

    @property
    @abstractmethod
    def scores(self) -> Floats:
        """What an answer about a number is worth, for each cell it may name: (m,)."""

    @property
    @abstractmethod
    def second_moments(self) -> Floats:
        """Mean squared score of a number at each of some equidistant points of [−1, 1]; it is linear in between."""

    def _cells(self, tally: Tally) -> Ints:
        """Count the answers in each cell, (…, t, m)."""
        return tally.counts

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of `ratio`."""
        return log(self.ratio)

    @property
    def worst_variance(self) -> float:
        """Largest variance of a score over all numbers in [−1, 1], between the points as well."""
        points = np.linspace(-1, 1, len(self.second_moments))
        slopes = np.diff(self.second_moments) / np.diff(points)
        return float(np.max(self._variance(np.append(np.clip(slopes / 2, points[:-1], points[1:]), 1))))

    def _variance(self, t: Floats) -> Floats:
        last = len(self.second_moments) - 1
        place = (1 + t) / 2 * last
        below = np.minimum(place.astype(np.int64), last - 1)
        low, high = self.second_moments[below], self.second_moments[below + 1]
        return np.asarray(low + (place - below) * (high - low) - t**2)

    def _score(self, tally: Tally) -> Floats:
        """Return the mean score of a person, (…, t)."""
        return np.asarray(self._cells(tally) @ self.scores / tally.n)

    def expected(self, values: ArrayLike) -> Floats:
        """Return the values, (n, t); the client's rounding to points keeps them to within 2**-51."""
        return np.asarray(self._values(values))

    def variance(self, values: ArrayLike) -> Floats:
        """Variance E[score² | t] − t²: (n, t)."""
        return self._variance(self._values(values))

    def _squares(self, tally: Tally) -> Floats:
        return np.asarray(self._cells(tally) @ self.scores**2 / tally.n)


def exp_down(epsilon: Fraction) -> Fraction:
    """Return e^ε, rounded down to a multiple of 1 / FINE."""
    e = odds(epsilon)
    return above_one(e) if isinstance(e, Formula) else Fraction(floor(e * FINE), FINE)
