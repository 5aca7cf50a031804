"""One item per person, and an ε that each person chooses: personalised count estimation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
from ldpnb.chance import Randomness, inexact
from ldpnb.checks import SIZE_MAX, Limit, check_codes, check_epsilon, check_fields, shown
from ldpnb.core import Example, Floats, Ints, Layout, Mechanism, Reports, Tally, Values
from ldpnb.exact.questions import ascending
from ldpnb.kernels import fwht
from ldpnb.oracles.base import one_hot
from ldpnb.oracles.hadamard import count_signs, order, tell_signs, truthful

PEOPLE = np.dtype([("item", np.int64), ("level", np.int64)])


def people(items: ArrayLike, levels: ArrayLike) -> NDArray[np.void]:
    """Values of `PCE`: for each person an item, and the place of the personal ε among the levels.

    Returns
    -------
    structured ndarray (n,) with the fields ``item`` and ``level``
    """
    item = check_codes(items, None, "items")
    level = check_codes(levels, None, "levels")
    if item.shape != level.shape:
        found = f"{len(item)} and {len(level)}"
        raise ValueError(f"items and levels must have the same length, got {found}")
    values = np.empty(len(item), PEOPLE)
    values["item"] = item
    values["level"] = level
    return values


def _check_levels(levels: Any, name: str) -> tuple[float, ...]:
    if not isinstance(levels, tuple) or not levels:
        raise ValueError(f"{name} must be a tuple of at least one number, got {shown(levels)}")
    found = tuple(check_epsilon(x, f"{name}[{i}]") for i, x in enumerate(levels))
    if not ascending(found):
        raise ValueError(f"{name} must be distinct and ascending, got {found}")
    return found


@dataclass(frozen=True, kw_only=True)
class PCE(Mechanism):
    r"""Personalised count estimation: everybody chooses an ε from a public list.

    A person with item x and level l draws a public row j and reports the sign H[j, x] truthfully
    with probability :math:`p_l = e^{\varepsilon_l}/(e^{\varepsilon_l}+1)`.  The level is public:
    neighbours are two items at one level.  The estimate weighs all people alike, so it is unbiased
    even where the level depends on the item; where it does not, `estimate_pooled` makes more of
    the same reports.

    Values have the fields ``item`` and ``level`` (see `people`).  Reports have the fields
    ``level`` and ``row``, both public, and ``bit`` (True for a minus sign), (n,).  Tallies count
    the plus and minus signs of each level and row, (levels, m, 2).

    Source: Chen, Li, Qin, Kasiviswanathan and Jin 2016; ye2018 §4.1.1.  Orthogonal rows replace
    the random matrix, which is itself a source of error.

    Parameters
    ----------
    k : int, at least 2
        Size of the domain {0, …, k−1}.
    levels : tuple of float
        The values of ε on offer, ascending.

    Examples
    --------
    >>> oracle = PCE(k=3, levels=(0.5, 2.0))
    >>> values = people(np.tile([0, 0, 2], 4000), np.arange(12_000) % 2)
    >>> reports = oracle.perturb(values, rng=np.random.default_rng(0))
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.61, 0.01, 0.36])
    """

    k: int
    levels: tuple[float, ...]
    label = "PCE"
    of_epsilon = "lambda e: replace(m, levels=(e,))"
    limits: ClassVar[Mapping[str, Limit]] = {"k": (2, SIZE_MAX), "levels": _check_levels}
    public_fields = ("level", "row")
    tried = [
        {"k": 3, "levels": (0.5, 2.0)},
        {"k": 2, "levels": (0.1, 1.0)},
        {"k": 4, "levels": (1.0,)},
        {"k": 5, "levels": (0.3, 1.0, 20.0)},
    ]

    @property
    def epsilon(self) -> float:
        """The largest level."""
        return self.levels[-1]

    @property
    def m(self) -> int:
        """Number of rows: the least power of two that is not below k."""
        return order(self.k)

    @cached_property
    def truth(self) -> tuple[Fraction, ...]:
        """Probability p of the true sign at each level; rounded down."""
        return tuple(map(truthful, self.levels))

    @cached_property
    def scale(self) -> Floats:
        """The constant c at each level, 1/(2p − 1), (levels,)."""
        return np.array([inexact(1 / (2 * p - 1)) for p in self.truth])

    @property
    def realised_epsilon(self) -> float:
        """ln(p/(1−p)) at the largest level."""
        p = self.truth[-1]
        return chance.log(p / (1 - p))

    @property
    def layout(self) -> Layout:
        """A public level and row, and a sign."""
        return {
            "level": (np.int64, len(self.levels)),
            "row": (np.int64, self.m),
            "bit": (np.bool_, 2),
        }

    def _values(self, values: Values) -> NDArray[np.void]:
        found = check_fields(values, PEOPLE, "values")
        check_codes(found["item"], self.k, "item")
        check_codes(found["level"], len(self.levels), "level")
        return found

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: NDArray[np.void], rng: Randomness) -> Reports:
        reports = np.empty(len(values), self.dtype)
        reports["level"] = values["level"]
        truth = np.array([inexact(p) for p in self.truth])[values["level"]]
        return tell_signs(reports, self.m, values["item"], truth, rng)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports) -> Ints:
        """Count the plus and minus signs of each level and row: (levels, m, 2).

        The levels stay apart, so that an estimate which trusts some levels more can be computed
        from the same tally.
        """
        cells = reports["level"] * self.m + reports["row"]
        signs = count_signs(cells, reports["bit"], len(self.levels) * self.m)
        return signs.reshape(len(self.levels), self.m, 2)

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each item, in O(m log m) whatever n: (…, k)."""
        return self._decode(tally.counts, self.scale) / tally.n

    def _decode(self, counts: Ints, scale: Floats) -> Floats:
        """Sum over levels and rows of the signs of each item, times the scale of their level."""
        signs = np.einsum("l,...lj->...j", scale, counts[..., 0] - counts[..., 1])
        return np.asarray(fwht(signs)[..., : self.k], np.float64)

    def estimate_pooled(self, tally: Tally) -> Floats:
        r"""Estimate shares with people weighed by the inverse variance of their level: (…, k).

        With :math:`w = 1/c^2` it is

        .. math:: \hat f_v = \sum_i w_i\, c_i z_i H[j_i, v] \Big/ \sum_i w_i

        Given the public levels it is linear in the reports, and unbiased for the weighted share
        :math:`\sum_{x_i=v} w_i / \sum_i w_i`.  That is the share among everybody if the levels do
        not depend on the item, and only then: where people with a sensitive item ask for more
        protection, that item comes out too rare, however many people there are.  The variance is
        :math:`[\sum_i w_i - \sum_{x_i=v} w_i^2] / (\sum_i w_i)^2`.

        Source: inverse-variance weighting; not in Chen et al. 2016.
        """
        counts = self._own(tally).counts
        weight = np.asarray(counts.sum((-2, -1)) @ self.scale**-2.0)
        return np.asarray(self._decode(counts, 1 / self.scale) / weight[..., None])

    # ------------------------------------------------------------------------ target and variance

    def expected(self, values: Values) -> Floats:
        """One for the person's item, zero for the others: (n, k)."""
        return one_hot(self._values(values)["item"], self.k)

    def variance(self, values: Values) -> Floats:
        """c² − 1 for the person's item, c² for the others, at the person's c: (n, k).

        A score is ±c; its variance includes the draw of the public row.
        """
        c = self.scale[self._values(values)["level"]]
        return np.asarray(np.square(c)[:, None] - self.expected(values))

    def _example(self) -> Example:
        """Let levels alternate, so that two people are tried at different ones."""
        n = len(self.levels)
        inputs = people(np.repeat(np.arange(self.k), n), np.tile(np.arange(n), self.k))
        groups = tuple((slice(i, None, n), self.levels[i]) for i in range(n))
        return Example(self, inputs, groups=groups)
