"""One private bit a person: a public row of the Hadamard matrix, and the person's entry of it, perturbed.

With H[j, v] = ±1 Sylvester's m × m matrix, j drawn uniformly and z = ±1 the reported sign,

    E[c z H[j, v]] = Σ_j H[j, x] H[j, v] / m = 1 if v = x, else 0,      c = 1/(2p − 1) = (e^ε + 1)/(e^ε − 1).

Two things keep this exact: rows are drawn from all m, so that columns are orthogonal, and m is at least k, so that each
item has a column of its own.  Nothing more is needed: column 0 and row 0 are constant, and may be used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, odds, round_down, uniform
from ldpnb.core import Mechanism, Reports, Tally, check_codes, check_count, check_epsilon, check_people
from ldpnb.kernels import fwht


def people(items: ArrayLike, levels: ArrayLike) -> NDArray[np.void]:
    """Values of `PCE`: for each person an item and the position of the personal ε among the levels.

    Returns
    -------
    structured ndarray (n,) with the fields ``item`` and ``level``
    """
    item, level = check_codes(items, None, "items"), check_codes(levels, None, "levels")
    if item.shape != level.shape:
        raise ValueError(f"items and levels must have the same length, got {len(item)} and {len(level)}")
    found = np.empty(len(item), [("item", np.int64), ("level", np.int64)])
    found["item"], found["level"] = item, level
    return found


def parity(rows: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether Sylvester's H[row, item] is −1: whether row & item has an odd number of ones."""
    return np.asarray(np.bitwise_count(rows & items) & 1, np.bool_)


@dataclass(frozen=True, kw_only=True)
class PCE(Mechanism):
    r"""Personalised count estimation: everybody chooses an ε from a public list.

    A person with item x and level l draws a public row j and reports the sign H[j, x] truthfully with probability
    :math:`p_l = e^{\varepsilon_l}/(e^{\varepsilon_l}+1)`.  The level is public: neighbours are two items at one level.
    The estimate weighs all people alike, so it is unbiased even where the level depends on the item.

    Source: Chen, Li, Qin, Kasiviswanathan and Jin 2016; ye2018 §4.1.1.  Orthogonal rows replace the random matrix,
    which is itself a source of error.

    Parameters
    ----------
    k : int, at least 2
        Size of the domain {0, …, k−1}.
    levels : tuple of float
        The values of ε on offer, ascending.

    Values have the fields ``item`` and ``level`` (see `people`).  Reports have the fields ``level`` and ``row``, both
    public, and ``bit`` (1 for a minus sign), (n,).
    """

    k: int
    levels: tuple[float, ...]
    public_fields: ClassVar[tuple[str, ...]] = ("level", "row")

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_count(self.k, 2, "k"))
        if not isinstance(self.levels, tuple) or not self.levels:
            raise ValueError(f"levels must be a tuple of at least one number, got {self.levels!r}")
        levels = tuple(check_epsilon(x, f"levels[{i}]") for i, x in enumerate(self.levels))
        if list(levels) != sorted(set(levels)):
            raise ValueError(f"levels must be distinct and ascending, got {levels}")
        object.__setattr__(self, "levels", levels)

    @property
    def epsilon(self) -> float:
        """The largest level."""
        return self.levels[-1]

    @property
    def m(self) -> int:
        """Number of rows: the least power of two that is not below k."""
        return 1 << (self.k - 1).bit_length()

    @cached_property
    def truth(self) -> tuple[Fraction, ...]:
        """Probability of the true sign at each level; rounded down."""
        return tuple(Fraction(round_down(e / (e + 1))) for e in map(odds, self.levels))

    @cached_property
    def scale(self) -> NDArray[np.float64]:
        """The constant c at each level, 1/(2p − 1), (levels,)."""
        return np.array([float(1 / (2 * p - 1)) for p in self.truth])

    @property
    def realised_epsilon(self) -> float:
        """ln(p/(1−p)) at the largest level."""
        return chance.log(self.truth[-1] / (1 - self.truth[-1]))

    @property
    def report_bits(self) -> int:
        """One; row and level are public."""
        return 1

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""
        return np.dtype([("level", np.int64), ("row", np.int64), ("bit", np.bool_)])

    def perturb(self, values: ArrayLike, *, rng: Randomness) -> Reports:
        """Draw reports: (n,) with fields ``level``, ``row`` and ``bit``."""
        item, level = self._people(values)
        check_people(item)
        reports = np.empty(len(item), self.dtype)
        reports["level"] = level
        reports["row"] = uniform(self.m, item.shape, rng)
        honest = bernoulli(np.array([float(p) for p in self.truth])[level], item.shape, rng)
        reports["bit"] = parity(reports["row"], item) == honest
        return reports

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the plus and minus signs of each level and row: (levels, m, 2).

        The levels stay apart, so that an estimate which trusts some levels more can be computed from the same tally.
        """
        found = np.asarray(reports)
        if found.dtype != self.dtype or found.ndim != 1:
            raise ValueError(
                f"reports must have the fields level, row and bit, (n,), got {found.dtype} of shape {found.shape}"
            )
        level, row = check_codes(found["level"], len(self.levels), "level"), check_codes(found["row"], self.m, "row")
        shape = (len(self.levels), self.m, 2)
        cell = np.ravel_multi_index((level, row, found["bit"].astype(np.int64)), shape)
        return Tally(self, len(found), np.bincount(cell, minlength=2 * self.m * len(self.levels)).reshape(shape))

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the share of each item, in O(m log m) whatever n: (…, k)."""
        counts = self._own(tally).counts
        signs = np.einsum("l,...lj->...j", self.scale, counts[..., 0] - counts[..., 1])
        return np.asarray(fwht(signs)[..., : self.k] / tally.n, np.float64)

    def target(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """One for the person's item, zero for the others: (n, k)."""
        return np.equal.outer(self._people(values)[0], np.arange(self.k)).astype(np.float64)

    def noise(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Variance c² − 1 for the person's item, c² for the others, at the person's c: (n, k).

        A score is ±c; its variance includes the draw of the public row.
        """
        return np.square(self.scale[self._people(values)[1]])[:, None] - self.target(values)

    def _people(self, values: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        found = np.asarray(values)
        if found.dtype.names != ("item", "level"):
            raise ValueError(f"values must have the fields item and level, got {found.dtype} values")
        return check_codes(found["item"], self.k, "item"), check_codes(found["level"], len(self.levels), "level")
