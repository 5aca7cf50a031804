"""One public set of attributes per person, and its value through any frequency oracle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import asked as people_asked
from ldpnb.asked import Asked
from ldpnb.attributes.records import Set, cell_of, every_record, one_hot, split
from ldpnb.chance import Randomness, uniform
from ldpnb.checks import SIZE_MAX, Limit, check_columns, check_count, check_sizes, shown
from ldpnb.core import Example, Floats, Ints, Mechanism, Reports, Tally
from ldpnb.oracles.asking import Asking
from ldpnb.oracles.base import FrequencyOracle
from ldpnb.oracles.designs import BlockDesign
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.oracles.unary import OUE


@dataclass(frozen=True, kw_only=True)
class DrawnAttributes(Asking):
    r"""One public set of `order` attributes, and its cell through an oracle with all of ε.

    The set is drawn uniformly.  Where only single attributes are asked about, or only pairs of
    them, nothing is spent on the others: about d times fewer people than with a part of ε for each
    attribute.  `HarmonyFrequency` is this with `HadamardBit`.

    Source: sampled marginals (Cormode, Kulkarni and Srivastava 2018).

    Values are records, int (n, d), attribute j in {0, …, κ_j−1}.  Reports have the field
    ``attributes`` (public; sets in lexicographic order) and the fields of the oracle's reports, or
    ``report`` where these have none, (n,).  Estimates are the shares of the cells of each set, set
    after set, the last attribute's values running fastest.  `estimate` divides by the number of
    people expected to be asked, `estimate_of_asked` by those who were: see `ldpnb.asked`.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j.
    order : int in [1, d]
        Attributes of a set.
    oracle : FrequencyOracle
        With unbiased shares (not `SHist`), over as many items as the largest set has cells.

    Examples
    --------
    >>> survey = DrawnAttributes.of((2, 3), OUE, 2.0)
    >>> people = np.tile([[0, 2], [1, 2]], (5000, 1))
    >>> tally = survey.tally(survey.perturb(people, rng=np.random.default_rng(0)))
    >>> survey.estimate(tally).round(1)
    array([ 0.5,  0.5,  0. , -0. ,  1. ])
    """

    sizes: tuple[int, ...]
    order: int = 1
    oracle: Mechanism
    label = "one public attribute"
    of_epsilon = "lambda e: replace(m, oracle=replace(m.oracle, epsilon=e))"
    question = "attributes"
    shares = True
    limits: ClassVar[Mapping[str, Limit]] = {"sizes": check_sizes, "order": (1, SIZE_MAX)}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.order, 1, "order", len(self.sizes))
        if not isinstance(self.oracle, FrequencyOracle) or not self.oracle.shares:
            rule = "oracle must be one of items with unbiased shares"
            raise ValueError(f"{rule}, got {shown(self.oracle, most=200)}")
        if self.oracle.k != max(self.cells):
            raise ValueError(f"oracle must have k = {max(self.cells)}, got {self.oracle.k}")

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        make: Callable[..., Mechanism],
        epsilon: float,
        order: int = 1,
    ) -> Self:
        """Make the oracle too: ``make(k=cells of the largest set, epsilon=epsilon)``."""
        checked = check_sizes(sizes, "sizes")
        most = prod(sorted(checked)[-order:])
        return cls(sizes=checked, order=order, oracle=make(k=most, epsilon=epsilon))

    # ------------------------------------------------------------------------ sets of attributes

    @cached_property
    def sets(self) -> tuple[Set, ...]:
        """All sets of `order` attributes."""
        return tuple(combinations(range(len(self.sizes)), self.order))

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """Number of cells of each set."""
        return tuple(prod(self._shape(s)) for s in self.sets)

    def _shape(self, s: Set) -> tuple[int, ...]:
        """Return the shape of a set's table."""
        return tuple(self.sizes[j] for j in s)

    @property
    def questions(self) -> int:
        """Number of sets."""
        return len(self.sets)

    @property
    def asked(self) -> float:
        """Chance that a person is asked about a set."""
        return 1 / self.questions

    def _values(self, values: ArrayLike) -> Ints:
        return check_columns(values, self.sizes)

    def _codes(self, values: Ints) -> Ints:
        """Return the number of each person's cell of each set: (sets, n)."""
        return np.stack([cell_of(values.T[[*s]], self._shape(s)) for s in self.sets])

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        asked = uniform(self.questions, (len(values),), rng)
        cell = self._codes(values)[asked, np.arange(len(values))]
        return self._asked(asked, self.oracle.perturb(cell, rng=rng))

    # -------------------------------------------------------------------------------- the server

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each cell of each set: (…, Σ cells)."""
        return self._flat(super()._score(tally))

    def _squares(self, tally: Tally) -> Floats:
        return self._flat(super()._squares(tally))

    def _flat(self, found: Floats) -> Floats:
        """Leave out, of (…, sets, k), what no set has: (…, Σ cells)."""
        parts = [found[..., i, :cells] for i, cells in enumerate(self.cells)]
        return np.concatenate(parts, -1)

    def table(self, tally: Tally, attributes: Sequence[int]) -> Floats:
        """Estimate the table of one set of attributes from those who were asked: (…, κ_a, …).

        Parameters
        ----------
        tally : Tally
        attributes : sequence of int
            `order` of them, in increasing order.

        Raises
        ------
        ValueError
            If it is not a set of `order` attributes, or nobody was asked about it.
        """
        s = tuple(attributes)
        if s not in self.sets:
            rule = f"attributes must be {self.order} of {len(self.sizes)}, in increasing order"
            raise ValueError(f"{rule}, got {s}")
        at = self.sets.index(s)
        found = split(self._mean_of_asked(self._own(tally)), self.cells)[at]
        if np.isnan(found).any():
            rule = "attributes must be a set that somebody was asked about"
            raise ValueError(f"{rule}, got {s}: collect more")
        return found.reshape(*found.shape[:-1], *self._shape(s))

    def _worst(self) -> Reports:
        """Answer about one set of each size: with many targets, a small set adds most.

        Fewer cells have fewer scores below zero.
        """
        one_of_each = {cells: at for at, cells in enumerate(self.cells)}
        reports = []
        for cells, at in one_of_each.items():
            reports.append(self._asked(at, _worst_about(self.oracle, cells)))
        return np.concatenate(reports)

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

    def _numbers_asked(self, tally: Tally) -> Ints:
        """Count the reports about the set of each cell: (…, Σ cells)."""
        return np.repeat(tally.counts[..., 0], self.cells, -1)

    def _questions_of(self, weights: Floats) -> Ints:
        return np.flatnonzero([np.any(w) for w in split(weights, self.cells)])

    def _contrast_parts(self, tally: Tally, weights: Floats) -> Asked:
        """By the oracle, from the reports about each set."""
        asked = tally.counts[..., 0]
        trials = asked.shape[:-1]
        sums = []
        squares = []
        own = []
        for at, w in enumerate(split(weights, self.cells)):
            counts = tally.counts[..., at, 1:].reshape(*trials, *self.oracle._one_trial)
            of_items = np.zeros(max(self.cells))
            of_items[: len(w)] = w
            total, square, of_people = _mean_parts(self.oracle, asked[..., at], counts, of_items)
            sums.append(total)
            squares.append(square)
            own.append(of_people)
        return Asked(asked, np.stack(sums, -1), np.stack(squares, -1), np.stack(own, -1))

    # ------------------------------------------------------------------- expectation and variance

    def expected(self, values: ArrayLike) -> Floats:
        """One for the person's cell of each set, zero for the others: (n, Σ cells)."""
        return one_hot(self._codes(self._values(values)), self.cells)

    def variance(self, values: ArrayLike) -> Floats:
        """Variance L (V + t²) − t² of every score, with V the oracle's: (n, Σ cells)."""
        t = self.expected(values)
        codes = self._codes(self._values(values))
        answers = np.stack([self.oracle.variance(cell) for cell in codes], 1)
        return np.asarray(self.questions * (self._flat(answers) + t) - t)

    @classmethod
    def example(cls) -> list[Example]:
        """Single attributes and pairs, through oracles of all kinds of reports."""
        made = [
            cls.of((2, 3), GRR, 1.0),
            cls.of((2, 2), HadamardBit, 0.5),
            cls.of((2, 2, 2), GRR, 2.0, order=2),
            cls.of((2, 2), OUE, 1.0),
        ]
        return [Example(m, every_record(m.sizes)[:6], pairs=m.order < 2) for m in made]


def _worst_about(oracle: Mechanism, cells: int) -> Reports:
    """Return reports one of which adds most to the first cells."""
    if isinstance(oracle, BlockDesign):
        return oracle._worst_of(cells)
    return oracle._worst()


def _mean_parts(
    oracle: Mechanism,
    asked: Ints,
    counts: Ints,
    weights: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Cut answers to one question into means, for each trial: (…) each.

    These are the weighted sum of shares, the mean squared sum of scores, and the mean squared
    weight; NaN where nobody was asked.
    """
    found = []
    trials = counts.reshape(-1, *oracle._one_trial)
    for number, one in zip(asked.ravel().tolist(), trials, strict=True):
        if number == 0:
            found.append((np.nan, np.nan, np.nan))
            continue
        tally = Tally(oracle, number, one)
        shares = oracle.estimate(tally)
        square = float(oracle._contrast_squares(tally, weights))
        found.append((float(shares @ weights), square, float(shares @ weights**2)))
    sums, squares, own = np.array(found).T.reshape(3, *asked.shape)
    return sums, squares, own
