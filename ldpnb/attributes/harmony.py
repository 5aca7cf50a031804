"""Harmony for frequencies: one public attribute per person, and one sign about its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import asked as people_asked, chance
from ldpnb.asked import Asked
from ldpnb.attributes.records import RecordMechanism, check_below, one_hot, split
from ldpnb.chance import Randomness, inexact, uniform
from ldpnb.checks import Limit, check_epsilon
from ldpnb.core import Floats, Ints, Layout, Reports, Tally
from ldpnb.kernels import fwht
from ldpnb.oracles.hadamard import count_signs, order, tell_signs, truthful


@dataclass(frozen=True, kw_only=True)
class HarmonyFrequency(RecordMechanism):
    r"""Harmony for frequencies: one of d attributes, and `HadamardBit` on its value with all of ε.

    The attribute is drawn publicly, all alike, and nothing is said about the others.  With p the
    probability of the true sign and c = 1/(2p − 1), the score of a value of the drawn attribute is
    ±dc, all others are 0.  A record is protected by :math:`\varepsilon = \ln\frac{p}{1-p}`,
    whatever d.  `estimate_of_asked` divides by the number of people who drew the attribute
    instead (`ldpnb.asked`).

    Source: Nguyên et al. 2016, for categorical attributes; ye2018 §4.1.2.

    Values are records, int (n, d), attribute j in {0, …, κ_j−1}; estimates are shares, attribute
    after attribute (see `slices`).  Reports have the fields ``attribute`` and ``row``, both public,
    and ``bit`` (True for a minus sign), (n,).  Tallies count the plus and minus signs of each row,
    attribute after attribute: (Σ m_j, 2).

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j.
    epsilon : float

    Examples
    --------
    >>> survey = HarmonyFrequency(sizes=(2, 3), epsilon=2.0)
    >>> people = np.tile([[0, 2], [1, 2]], (5000, 1))
    >>> reports = survey.perturb(people, rng=np.random.default_rng(0))
    >>> survey.estimate(survey.tally(reports)).round(2)
    array([ 0.47,  0.52,  0.01, -0.  ,  1.01])
    """

    epsilon: float
    label = "Harmony"
    shares = True
    tried = [
        {"sizes": (2, 3), "epsilon": 1.0},
        {"sizes": (3,), "epsilon": 0.3},
        {"sizes": (2, 2, 2), "epsilon": 2.0},
    ]
    limits: ClassVar[Mapping[str, Limit]] = {"epsilon": check_epsilon}
    public_fields: ClassVar[tuple[str, ...]] = ("attribute", "row")

    @property
    def slices(self) -> tuple[slice, ...]:
        """Where to find each attribute in an estimate, (d,)."""
        ends = accumulate(self.sizes, initial=0)
        return tuple(slice(start, stop) for start, stop in pairwise(ends))

    @cached_property
    def m(self) -> Ints:
        """Number of rows of each attribute, those of its `HadamardBit`: (d,)."""
        return np.array([order(size) for size in self.sizes])

    @cached_property
    def truth(self) -> Fraction:
        """Probability p of the true sign, e^ε/(e^ε + 1), rounded down."""
        return truthful(self.epsilon)

    @property
    def realised_epsilon(self) -> float:
        """ln(p/(1−p))."""
        return chance.log(self.truth / (1 - self.truth))

    @property
    def asked(self) -> float:
        """1/d."""
        return 1 / len(self.sizes)

    @property
    def layout(self) -> Layout:
        """The attribute, one of its rows, and a sign."""
        return {
            "attribute": (np.int64, len(self.sizes)),
            "row": (np.int64, self.m.max()),
            "bit": (np.bool_, 2),
        }

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        reports = np.empty(len(values), self.dtype)
        asked = uniform(len(self.sizes), reports.shape, rng)
        reports["attribute"] = asked
        held = values[np.arange(len(values)), asked]
        return tell_signs(reports, self.m[asked], held, inexact(self.truth), rng)

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Reports:
        found = super()._reports(reports)
        return check_below(found, "row", self.m[found["attribute"]], "rows of its attribute")

    @property
    def _first_rows(self) -> Ints:
        """Where the rows of each attribute begin in a tally, (d,)."""
        return np.cumsum(self.m) - self.m

    def _count(self, reports: Reports) -> Ints:
        """Count the plus and minus signs of each row, attribute after attribute: (Σ m_j, 2)."""
        cells = self._first_rows[reports["attribute"]] + reports["row"]
        return count_signs(cells, reports["bit"], int(self.m.sum()))

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each value of each attribute: (…, Σκ_j).

        It takes O(Σ m_j log m_j), whatever n.
        """
        signs = tally.counts[..., 0] - tally.counts[..., 1]
        balances = []
        for rows, size in zip(split(signs, self.m), self.sizes, strict=True):
            balances.append(fwht(rows)[..., :size])
        scale = len(self.sizes) * inexact(1 / (2 * self.truth - 1)) / tally.n
        return np.asarray(np.concatenate(balances, -1) * scale)

    def _squares(self, tally: Tally) -> Floats:
        """Mean of (dc)² for the values of the attribute that was asked about, 0 for others."""
        square = inexact((len(self.sizes) / (2 * self.truth - 1)) ** 2)
        return np.asarray(self._numbers_asked(tally) * (square / tally.n))

    def _worst(self) -> NDArray[np.void]:
        """Support all values of the attribute with most of them."""
        return np.array([(np.argmax(self.sizes), 0, False)], self.dtype)

    # ---------------------------------------------------------------------- those who were asked

    numbers_asked = people_asked.numbers_asked
    estimate_of_asked = people_asked.estimate_of_asked
    standard_error_of_asked = people_asked.standard_error_of_asked
    interval_of_asked = people_asked.interval_of_asked
    variance_of_asked = people_asked.variance_of_asked
    contrast_variance_of_asked = people_asked.contrast_variance_of_asked
    _mean_of_asked = people_asked._mean_of_asked
    _error_of_asked = people_asked._error_of_asked
    _contrast_squares = people_asked._contrast_squares
    _contrast_of_people = people_asked._contrast_of_people

    def _people_asked(self, tally: Tally) -> Ints:
        """Count the reports about each attribute: (…, d)."""
        return np.asarray(np.add.reduceat(tally.counts.sum(-1), self._first_rows, axis=-1))

    def _numbers_asked(self, tally: Tally) -> Ints:
        """Count the reports about the attribute of each value: (…, Σκ_j)."""
        return np.repeat(self._people_asked(tally), self.sizes, axis=-1)

    def _questions_of(self, weights: Floats) -> Ints:
        return np.flatnonzero([np.any(weights[one]) for one in self.slices])

    def _contrast_parts(self, tally: Tally, weights: Floats) -> Asked:
        """Of signs c times the row's sum of weights: over all rows, its mean square is c² Σ w²."""
        numbers = self._people_asked(tally)
        each = self.estimate(tally) * tally.n / len(self.sizes)
        sums = []
        own = []
        squares = []
        for one in self.slices:
            w = weights[one]
            sums.append(each[..., one] @ w)
            own.append(each[..., one] @ w**2)
            squares.append(np.square(w).sum())
        square = inexact(1 / (2 * self.truth - 1) ** 2) * np.array(squares)
        with np.errstate(invalid="ignore", divide="ignore"):  # where nobody was asked
            return Asked(
                numbers,
                sums=np.stack(sums, -1) / numbers,
                squares=np.broadcast_to(square, numbers.shape),
                own=np.stack(own, -1) / numbers,
            )

    # ------------------------------------------------------------------- expectation and variance

    def expected(self, values: ArrayLike) -> Floats:
        """One for the person's value of each attribute, zero for the others: (n, Σκ_j)."""
        return one_hot(self._values(values).T, self.sizes)

    def variance(self, values: ArrayLike) -> Floats:
        """Variance d c² − 1 for the person's values, d c² for the others: (n, Σκ_j)."""
        square = len(self.sizes) * inexact(1 / (2 * self.truth - 1) ** 2)
        return square - self.expected(values)
