"""The contract that every mechanism keeps: one abstract class, and the tallies that it makes.

The picture in code:

.. code-block:: text

    a person's value ──perturb──▶ report ──tally──▶ counts ──estimate──▶ estimate
       (client, private)          (public)    (server, additive)      (unbiased)

Why the contract is as it is:

- **A report carries its public part.** Seeds, cohorts, sampled attributes and personal budgets
  are fields of the report, named in `public_fields`.  Their law does not depend on the person's
  value, so the exact ε of the whole report is the largest ε over all values of the public part.
  A public part that does depend on the value is caught by the same number.
- **Probabilities are rounded first and used everywhere.** A mechanism rounds its probabilities
  to multiples of 2⁻⁵³, toward privacy, when it is made; client and estimator use the same rounded
  numbers.  So `realised_epsilon` is never above `epsilon`, and estimates are exactly unbiased for
  what the client really does.
- **Neighbours are two values with the same public part.** Where people have public attributes (a
  personal ε), the stated ε belongs to that part, and `epsilon` is the largest.
- **ε may follow from other parameters** (a flip probability, a matrix).  Then `epsilon` is a
  property, rounded up to a float (`chance.log_up`: the float nearest to ln 2 is below it), and
  the bound `EPSILON_MAX`, which is about a single decision, does not apply to the sum.  On an open
  domain it is a bound that some pairs of values attain.
- **Open domains name their candidates when reports are counted**: `tally`, `expected` and
  `variance` of an `OpenMechanism`, and of no other, take `items`.
- **State that a client keeps** is an explicit value, `Kept`, which names its mechanism: `memoise`
  makes it, `respond` draws reports from it, and `perturb` of such a mechanism is one report from a
  fresh state.
- **Draws do not depend on the value.** Which functions of `chance` a client calls, and for how
  many draws, tells nothing that the report does not.  The time they take is not promised to be
  constant.
- **Estimates are linear**: the mean of one score per report.  Ratios, clipping and projections
  are functions elsewhere.  Where a draw in public says what each person is asked about,
  mechanisms also divide by the number of people who were asked (`ldpnb.asked`): that is a ratio,
  with methods of its own, and the one that surveys publish.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ldpnb.chance import Randomness
from ldpnb.checks import (
    Limit,
    check_count,
    check_errors,
    check_fields,
    check_flag,
    check_numbers,
    check_part,
    check_people,
    check_wave,
    is_pooled,
    shown,
    within,
)
from ldpnb.records import (  # where 1.0.0 had them
    Records as Records,
    check_records as check_records,
    pad_and_sample as pad_and_sample,
    sample_entries as sample_entries,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# What these hold is up to the mechanism.
Values = Any  # as handed in: an array whose first axis runs over people, or Records
Checked = Any  # the same after `_values`: an array, Records, a list of texts
Reports = NDArray[Any]  # the first axis runs over people; structured where a report has fields
Items = Any  # the candidates of an open domain, as handed in; None elsewhere
Layout = Mapping[str, tuple[Any, ...]]  # field -> type, number of values, axes


class Untold(ValueError):
    """What a tally does not tell is asked for."""


class Mechanism(ABC):
    """A way to collect one kind of data under ε-local differential privacy.

    Subclasses are frozen dataclasses with keyword-only fields; two mechanisms are the same if
    their fields are.

    **What a subclass must give**, in the order in which its file is read:

    ==================  =====================================================================
    `epsilon`           the ε that is stated: a field, or a property if it follows from others
    `limits`            for its fields: least and largest integer, or a check of `ldpnb.checks`
    `realised_epsilon`  the exact ε of the client with its rounded probabilities
    `layout`            what a report holds
    `_values`           checks what people hold
    `_perturb`          the client
    `_count`            the server's count of checked reports
    `_score`            the estimate from a count
    `expected`          what each person adds to the estimate on average
    `variance`          variance of each person's score
    ==================  =====================================================================

    **What it may give**:

    ===================  ====================================================================
    `label`              its name in the book; a class without one is not listed
    `takes`              ``"item"``, if a person holds one of k items
    `public_fields`      which fields of a report are public
    `shares`             whether each entry of `expected` is 0 or 1
    `server_cost`        ``"report and item"``, if the server's work grows with items, too
    `needs_list`         False, if the client does not know all items beforehand
    `chosen`             the fields that 0 leaves to ε
    `of_epsilon`         a mechanism as a function of ε, where ε is no field
    `report_bits`        if a report takes fewer bits than its layout says
    `_reports`           checks reports, if they must obey more than the layout
    `_squares`           mean squared scores, for standard errors
    `errors`             where standard errors come from, if the tally does not tell them
    `_contrast_squares`  mean squared sums of scores, for differences and other contrasts
    `_worst`             which reports add most to an estimate, for `influence`
    `tried`, `_example`  small instances with all inputs worth trying; or `example` itself
    ===================  ====================================================================

    Everything is checked before the hooks with an underscore are called.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> oracle = GRR(k=3, epsilon=1.0)
    >>> rng = np.random.default_rng(0)
    >>> reports = oracle.perturb([0, 2, 2, 1], rng=rng)  # each on a device of its own
    >>> tally = oracle.tally(reports[:2]) + oracle.tally(reports[2:])
    >>> shares = oracle.estimate(tally)
    >>> errors = np.sqrt(oracle.variance([0, 2, 2, 1]).sum(0)) / 4
    >>> shares.shape, errors.shape, oracle.realised_epsilon <= oracle.epsilon
    ((3,), (3,), True)
    """

    # ------------------------------------------------------------------------- facts of a class

    label: ClassVar[str] = ""
    takes: ClassVar[str] = ""
    limits: ClassVar[Mapping[str, Limit]] = {}  # of fields, beside those of the bases
    public_fields: ClassVar[tuple[str, ...]] = ()  # whose law does not depend on the value
    server_cost: ClassVar[str] = "report"
    shares: ClassVar[bool] = False
    needs_list: ClassVar[bool] = True
    errors: ClassVar[str] = ""
    chosen: ClassVar[Mapping[str, str]] = {}  # field -> the attribute that has what is in use
    tried: ClassVar[Sequence[Mapping[str, Any]]] = ()  # fields of small instances
    of_epsilon: ClassVar[str] = ""  # source of a function of ε, of a mechanism m: for `prove`

    if TYPE_CHECKING:  # a field of most mechanisms, and fields cannot override properties

        @property
        def epsilon(self) -> float:
            """The ε that is stated."""

    def __post_init__(self) -> None:
        for kind in reversed(type(self).__mro__):
            for name, limit in vars(kind).get("limits", {}).items():
                value = within(limit, getattr(self, name), name)
                if isinstance(value, float):
                    value += 0.0  # no −0.0: what is printed is the mechanism's identity
                object.__setattr__(self, name, value)  # the class is frozen

    # ---------------------------------------------------------------- what a subclass must give

    @property
    @abstractmethod
    def realised_epsilon(self) -> float:
        """The exact ε of the client with its rounded probabilities; at most `epsilon`."""

    @property
    @abstractmethod
    def layout(self) -> Layout:
        """What a report holds: for each field the type, the number of values, and axes, if any.

        A report without fields is one that has no name, ``{"": (np.int64, k)}``.  Integers are
        checked to be below their number of values, entries of another type to be of this type.
        """

    @abstractmethod
    def _values(self, values: Values) -> Checked:
        """Return values that were checked, one per person."""

    @abstractmethod
    def _perturb(self, values: Checked, rng: Randomness) -> Reports:
        """Draw the reports of checked values, (n, …)."""

    @abstractmethod
    def _count(self, reports: Reports) -> Ints:
        """Count checked reports; the counts of two parts add up to those of the whole."""

    @abstractmethod
    def _score(self, tally: Tally) -> Floats:
        """Estimate from a tally of this mechanism that holds at least one report."""

    @abstractmethod
    def expected(self, values: Values) -> Floats:
        """Return what each person adds to the expected estimate, shrinkage included: (n, …)."""

    @abstractmethod
    def variance(self, values: Values) -> Floats:
        """Return the variance of each person's score: (n, …).

        The variance of an estimate is ``variance(values).sum(0) / n**2``, for any population.
        """

    # -------------------------------------------------------------------------------- the client

    def perturb(self, values: Values, *, rng: Randomness) -> Reports:
        """Draw each person's report: the client, and the only step that sees values.

        Parameters
        ----------
        values : array_like (n, …) or Records
            One value per person.
        rng : numpy.random.Generator, SystemRandom or Paths

        Returns
        -------
        ndarray (n, …)
            One report per person.

        Raises
        ------
        ValueError
            If there is nobody, or a value is not in the domain.
        """
        checked = self._values(values)
        check_people(checked)
        return self._perturb(checked, rng)

    # -------------------------------------------------------------------------------- the server

    def tally(self, reports: Reports) -> Tally:
        """Count reports: integers only, so the tally of two parts is the sum of their tallies.

        Parameters
        ----------
        reports : ndarray (n, …)
            As `perturb` returns them; n may be 0.

        Raises
        ------
        ValueError
            If a report cannot come from this mechanism's client.
        """
        checked = self._reports(reports)
        return Tally(self, len(checked), self._count(checked))

    def estimate(self, tally: Tally) -> Floats:
        """Estimate the population mean of `expected`: unbiased, linear in reports, never clipped.

        Counts may have leading axes (trials, as `simulate` returns them); the estimate has the
        same ones.
        """
        return self._score(self._own(tally))

    # -------------------------------------------------------------------------------- its errors

    def standard_error(self, tally: Tally, *, people: bool = False) -> Floats:
        r"""Estimate the standard error of each entry of the estimate, from the scatter of scores.

        √((mean squared score − squared estimate)/(n − 1)).  Its square is unbiased for the
        variance of the estimate where people are a random sample of a population.  For these very
        people it is too large on average, by the variance of `expected` over n − 1.  With shares,
        where `expected` is 0 or 1, that is f(1 − f), and known: what is left is
        √((mean squared score − estimate)/n), or 0 where chance makes the difference negative.

        Parameters
        ----------
        tally : Tally
            Of at least two reports; counts may have leading axes (trials).
        people : bool
            Whether the error is that about these people, and not about a population that they
            are a sample of.

        Returns
        -------
        ndarray of the shape of the estimate

        Raises
        ------
        ValueError
            If the mechanism's tally does not tell how scores scatter, or `people` is asked for
            and not known.
        """
        check_flag(people, "people")
        estimate = self.estimate(tally)
        squares = self._squares(self._own(tally))
        _check_two_reports(tally)
        self._check_people_known(people)
        if people:
            square = (squares - estimate) / tally.n
        else:
            square = (squares - estimate**2) / (tally.n - 1)
        # below zero by rounding, or where hardly any noise is seen
        return np.asarray(np.sqrt(np.maximum(square, 0)))

    def interval(self, tally: Tally, z: float, *, people: bool = False) -> tuple[Floats, Floats]:
        """Return the estimate less and plus z standard errors.

        `postprocess.interval` finds the z for a level of confidence.
        """
        half = check_errors(z) * self.standard_error(tally, people=people)
        estimate = self.estimate(tally)
        return estimate - half, estimate + half

    def _squares(self, tally: Tally) -> Floats:
        """Mean squared score of each entry of the estimate, where the tally tells."""
        which = f"which one of {_brief(self)} does not"
        cure = f"; {self.errors} has errors" if self.errors else ""
        raise Untold(f"tally must tell how scores scatter, {which}{cure}")

    def _check_people_known(self, people: bool) -> None:
        """Refuse an error about these people where the tally does not tell what they differ by."""
        if people and not self.shares:
            why = f"the server of {_brief(self)} cannot tell values from noise"
            raise Untold(f"people must be False: {why}")

    # -------------------------------------------------------------- differences and other sums

    def contrast_variance(
        self,
        tally: Tally,
        weights: ArrayLike,
        *,
        people: bool = False,
    ) -> Floats:
        r"""Estimate the variance of a weighted sum of the estimate: a difference, a score, a mean.

        Entries of an estimate come from the same reports, so their errors do not add like those of
        different surveys.  With Q the mean of the squared weighted sum of a report's scores, and
        :math:`\hat f` the estimate, it is

        .. math:: \frac{Q - (w \cdot \hat f)^2}{n - 1} \quad\text{about a population, and}\quad
           \frac{Q - \sum_x w_x^2 \hat f_x}{n} \quad\text{about these people,}

        if they have one item each.  Both are unbiased, so that one of few reports may be negative.
        With one weight of 1 and all others 0 it is the square of `standard_error`.

        Parameters
        ----------
        tally : Tally
            Of at least two reports; counts may have leading axes (trials).
        weights : array_like of float, of the shape of one estimate
        people : bool
            Whether the variance is that about these people, and not about a population that they
            are a sample of.

        Returns
        -------
        ndarray (…)
            A number for each trial.

        Raises
        ------
        Untold
            If the tally does not tell how such sums scatter, or `people` is asked for and not
            known.
        ValueError
            If weights are not finite or of another shape, or the tally holds fewer than two
            reports.

        Examples
        --------
        Two shares out of three, by k-RR: the errors of a difference are not those of two surveys.

        >>> from ldpnb import GRR
        >>> oracle = GRR(k=3, epsilon=1.0)
        >>> people = np.repeat([0, 1, 2], 1000)
        >>> tally = oracle.tally(oracle.perturb(people, rng=np.random.default_rng(0)))
        >>> error = np.sqrt(oracle.contrast_variance(tally, [1, -1, 0]))
        >>> hypot = np.hypot(*oracle.standard_error(tally)[:2])
        >>> round(float(error), 3), round(float(hypot), 3)
        (0.041, 0.033)
        """
        own = self._own(tally)
        estimate = self.estimate(tally)
        trials = tally.counts.ndim - len(self._cells_of(tally.items))
        w = self._contrast_weights(weights, estimate.shape[trials:])
        _check_two_reports(tally)
        if tally.marginal:
            found = "counts of each item that were simulated alone"
            raise ValueError(f"tally must be of whole reports, got {found}")
        squares = self._contrast_squares(own, w)
        if people:
            self._check_people_known(people)
            of_people = self._contrast_of_people(estimate, w)
            return np.asarray((squares - of_people) / tally.n)
        total = (estimate * w).sum(_all_axes(w))
        return np.asarray((squares - total**2) / (tally.n - 1))

    def _contrast_weights(self, weights: ArrayLike, shape: tuple[int, ...]) -> Floats:
        """Return weights that were checked, one for each entry of the estimate."""
        w = check_numbers(weights, "weights")
        if w.shape != shape:
            rule = f"weights must have the shape of the estimate, {shape}"
            raise ValueError(f"{rule}, got {w.shape}")
        return w

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean squared weighted sum of a report's scores, where the tally tells: (…)."""
        if weights.size == 1:
            squares = self._squares(tally) * weights**2
            return np.asarray(squares.sum(_all_axes(weights)))
        raise self._untold_contrast()

    def _untold_contrast(self) -> Untold:
        """Return the refusal of a tally that does not tell how sums of scores scatter."""
        which = f"which one of {_brief(self)} does not"
        cure = "keep tallies of ten parts of the people, estimate each part, and compare the ten"
        return Untold(f"tally must tell how sums of scores scatter, {which}: {cure} numbers")

    def _contrast_of_people(self, estimate: Floats, weights: Floats) -> Floats:
        """Mean square of what people add to a weighted sum, where each has one item: (…)."""
        return np.asarray((estimate * weights**2).sum(-1))

    # ---------------------------------------------------------------- what one report can change

    def influence(self, targets: int = 1) -> float:
        """How many honest people one forged report can stand for.

        The largest sum of `targets` entries of the estimate from a single report that `tally`
        accepts: of n reports, one that is forged can add an n-th of this to the sum of so many
        shares of the forger's choice.  Seeds, rows, cohorts and other public parts are chosen as
        suits the forger best.  Of a mean it is the shift in its own unit, times n.

        Parameters
        ----------
        targets : int
            Entries of the flattened estimate to be made large: items, cells, or frequencies and
            products of keys.

        Raises
        ------
        ValueError
            If the estimate has fewer entries.

        Examples
        --------
        >>> from ldpnb import GRR, OUE
        >>> [round(kind(k=1024, epsilon=1.0).influence(10), 1) for kind in (GRR, OUE)]
        [591.1, 31.6]
        """
        return self._influence(targets)

    def _influence(self, targets: int, *items: Items) -> float:
        worst = self._worst()
        scores = []
        for i in range(len(worst)):
            alone = self.tally(worst[i : i + 1], *items)
            scores.append(self.estimate(alone).ravel())
        return largest_sum(scores, targets)

    def _worst(self) -> Reports:
        """Return reports one of which adds most to the estimate, whatever the number of targets.

        Unless a mechanism says otherwise, those with the least public part, and the least or the
        largest private one.
        """
        worst = self._nothing(2)
        for name, (_, values, *_) in self.layout.items():
            if name not in self.public_fields:
                worst[name or ...][1] = values - 1
        return worst

    # -------------------------------------------------------------------------- size of a report

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """Type of a report with fields."""
        fields: list[tuple[str, DTypeLike, tuple[int, ...]]] = []
        for name, (kind, _, *shape) in self.layout.items():
            fields.append((name, kind, tuple(shape)))
        return np.dtype(fields)

    @property
    def report_bits(self) -> int:
        """Length of the private part of a report in bits, without seeds, cohorts and indices."""
        reports = 1
        for name, (_, values, *shape) in self.layout.items():
            if name not in self.public_fields:
                reports *= int(values) ** prod(shape)
        return (reports - 1).bit_length()

    @property
    def public_bits(self) -> int:
        """Bits that are enough for the public part of a report: for each entry ⌈log₂ values⌉."""
        bits = 0
        for name in self.public_fields:
            _, values, *shape = self.layout[name]
            bits += prod(shape) * int(values - 1).bit_length()
        return bits

    # ------------------------------------------------------------------------------ small cases

    @classmethod
    def example(cls) -> list[Example]:
        """Return small instances and all inputs worth trying, for `ldpnb.verify.contract`."""
        if not cls.tried:
            what = f"{cls.__name__} must have a class method example()"
            raise NotImplementedError(f"{what}, a list of core.Example")
        return [cls(**fields)._example() for fields in cls.tried]

    def _example(self) -> Example:
        """Return this instance with all inputs worth trying, where a class has `tried`."""
        raise NotImplementedError(f"{type(self).__name__} must have a method _example()")

    # ------------------------------------------------------------------- checks of what comes in

    def _reports(self, reports: Reports) -> Reports:
        """Return reports that were checked against the layout, one per person."""
        if "" in self.layout:
            return check_part(reports, "reports", *self.layout[""])
        found = check_fields(reports, self.dtype)
        for name, part in self.layout.items():
            check_part(found[name], name, *part)
        return found

    def _own(self, tally: Tally) -> Tally:
        """Return a tally that is this mechanism's, and that its reports can have made."""
        if check_tally(tally, Mechanism, "a mechanism").mechanism != self:
            other = _brief(tally.mechanism)
            raise ValueError(f"tally must be of {_brief(self)}, got one of {other}")
        if tally.n == 0:
            raise ValueError("tally must hold at least one report, got none")
        shape = self._cells_of(tally.items)
        found = tally.counts.shape
        of_one_trial = found[max(0, len(found) - len(shape)) :]
        if not tally.marginal and of_one_trial != shape:
            rule = f"counts must have the shape (…, {', '.join(map(str, shape))})"
            raise ValueError(f"{rule}, got {found}")
        most = tally.counts.max(initial=0)
        if most > tally.n:
            rule = f"counts must be at most n = {tally.n}: a report counts once"
            raise ValueError(f"{rule}, got {most}")
        return tally

    def _cells_of(self, items: Items) -> tuple[int, ...]:
        """Return the shape of the counts of one trial."""
        return self._one_trial

    @cached_property
    def _one_trial(self) -> tuple[int, ...]:
        return self._count(self._nothing()).shape

    def _nothing(self, n: int = 0) -> Reports:
        """Return n reports of zeros."""
        reports = np.zeros(n, self.dtype)
        if "" in self.layout:
            return reports["f0"]  # numpy's name for a field that has none
        return reports


class OpenMechanism(Mechanism):
    """A mechanism whose client does not know the domain: the server names candidates."""

    needs_list = False

    def tally(self, reports: Reports, items: Items = None) -> Tally:
        """Count reports, for the candidates named.

        Parameters
        ----------
        reports : ndarray (n, …)
            As `perturb` returns them; n may be 0.
        items : sequence
            The candidates.

        Raises
        ------
        ValueError
            If a report cannot come from this mechanism's client, or a candidate cannot be counted.
        """
        checked = self._reports(reports)
        candidates = self._items(items)
        return Tally(self, len(checked), self._count(checked, candidates), candidates)

    def influence(self, targets: int = 1, items: Items = None) -> float:
        """How many honest people one forged report can stand for, in sums over candidates.

        See `Mechanism.influence`; `targets` of the candidates `items` are made large.
        """
        return self._influence(targets, items)

    @abstractmethod
    def expected(self, values: Values, items: Items = None) -> Floats:
        """Return what each person adds to the expected estimate of each candidate: (n, …)."""

    @abstractmethod
    def variance(self, values: Values, items: Items = None) -> Floats:
        """Return the variance of each person's score for each candidate: (n, …)."""

    @abstractmethod
    def _items(self, items: Items) -> tuple[Any, ...] | None:
        """Return candidates that were checked."""

    @abstractmethod
    def _count(self, reports: Reports, items: Items = None) -> Ints:
        """Count checked reports for checked candidates."""

    def _cells_of(self, items: Items) -> tuple[int, ...]:
        return self._count(self._nothing(), items).shape


# --------------------------------------------------------------------------------------- tallies


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of reports, which add.

    Attributes
    ----------
    mechanism : Mechanism
        Whose reports were counted.
    n : int
        Number of reports, below 2**53.
    counts : ndarray of int64
        From 0 to below 2**53, so that floats hold them exactly and no sum wraps around; leading
        axes run over simulated trials.
    items : tuple, optional
        The candidates that were counted, where the client does not know the domain.
    marginal : bool
        Whether these are the supporters of each item, simulated each alone
        (`simulate_marginals`), where reports are counted otherwise.
    wave : str, optional
        When the reports were asked for, as "2026-W48".  Tallies of different waves, or of which
        only one has a wave, do not add: they may hold the same people.
    question : str, optional
        What was asked (`OneOf.identity`), if a question has counted the reports.  Tallies of
        different questions do not add.  One without, as a mechanism counts it, and as all were in
        1.0.0, adds to any: the sum is of the question that is known.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> oracle = GRR(k=2, epsilon=1.0)
    >>> sum([oracle.tally([0, 1, 1]), oracle.tally([0])]).counts
    array([2, 2])
    """

    mechanism: Mechanism
    n: int
    counts: Ints
    items: tuple[Any, ...] | None = None
    marginal: bool = False
    wave: str | None = None
    question: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "wave", check_wave(self.wave))
        if self.question is not None and not isinstance(self.question, str):
            cure = "question.tally(reports) names it"
            raise ValueError(f"question must be a text, got {shown(self.question)}: {cure}")
        if not isinstance(self.mechanism, Mechanism):
            found = shown(self.mechanism, most=200)
            raise ValueError(f"mechanism must be a Mechanism, got {found}")
        object.__setattr__(self, "n", check_count(self.n, 0, "n", most=2**53 - 1))
        if not isinstance(self.counts, np.ndarray) or self.counts.dtype != np.int64:
            kind = getattr(self.counts, "dtype", type(self.counts).__name__)
            raise ValueError(f"counts must be int64, got {kind}")
        least = self.counts.min(initial=0)
        most = self.counts.max(initial=0)
        if least < 0 or most >= 2**53:
            wrong = least if least < 0 else most
            raise ValueError(f"counts must be in [0, 2**53), got {wrong}")

    def __add__(self, other: object) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        if other.mechanism != self.mechanism:
            both = f"{_brief(self.mechanism)} and {_brief(other.mechanism)}"
            raise ValueError(f"tallies must be of one mechanism, got {both}")
        if other.items != self.items or other.marginal != self.marginal:
            raise ValueError("tallies must count the same items")
        if other.counts.shape != self.counts.shape:
            both = f"{self.counts.shape} and {other.counts.shape}"
            raise ValueError(f"tallies must have the same shape, got {both}")
        if is_pooled(self.wave) or is_pooled(other.wave):
            got = f"{shown(self.wave)} and {shown(other.wave)}"
            raise ValueError(
                f"tallies must be of one wave to be added, got {got}: pooled waves may hold a wave "
                "twice, so pool all of them at once, pool_waves([…])"
            )
        if other.wave != self.wave:
            raise ValueError(
                "tallies must be of one wave to be added, since those of different waves may hold "
                f"the same people, got {shown(self.wave)} and {shown(other.wave)}: compare them by "
                "Waves(…, same=…), or add them by pool_waves(…) and say how often each person "
                "reported, estimate(…, rounds=…)"
            )
        question = other.question if self.question is None else self.question
        if other.question not in (None, question):
            raise ValueError(
                "tallies must be of one question to be added, since the same counts stand for "
                f"other answers, got {self.question} and {other.question}: estimate each"
            )
        n = self.n + other.n
        counts = self.counts + other.counts
        return Tally(self.mechanism, n, counts, self.items, self.marginal, self.wave, question)

    def __radd__(self, other: object) -> Tally:
        """Let ``sum(tallies)`` begin with its 0."""
        if isinstance(other, int) and other == 0:
            return self
        return NotImplemented


def check_tally(tally: Any, kind: type[Any], what: str, *, alone: bool = False) -> Tally:
    """Return a tally of this kind of mechanism, which messages call `what`.

    Parameters
    ----------
    tally : object
    kind : type
    what : str
    alone : bool
        Whether it must be of one survey, not of trials.
    """
    if not isinstance(tally, Tally):
        raise ValueError(f"tally must be a Tally of {what}, got {type(tally).__name__}")
    if not isinstance(tally.mechanism, kind):
        raise ValueError(f"tally must be of {what}, got one of {_brief(tally.mechanism)}")
    if alone and (tally.marginal or tally.counts.shape != tally.mechanism._cells_of(tally.items)):
        rule = "tally must be of one survey, with all that is counted"
        raise ValueError(f"{rule}, got shape {tally.counts.shape}")
    return tally


def _check_two_reports(tally: Tally) -> None:
    if tally.n < 2:
        raise ValueError(f"tally must hold at least two reports, got {tally.n}")


@dataclass(frozen=True, eq=False)
class Kept:
    """What clients keep from one report to the next, and whose it is.

    With another mechanism it would promise more.

    Attributes
    ----------
    mechanism : Mechanism
        Whose `memoise` has drawn it, and the only one whose `respond` takes it.
    rows : ndarray (n,)
        A state for each person; private.
    """

    mechanism: Mechanism
    rows: NDArray[np.void]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class Example:
    """A mechanism small enough to be enumerated, and the values to try it on.

    Attributes
    ----------
    mechanism : Mechanism
    inputs : array or Records
        A batch, one person each; a pair that is told apart best must be among them.
    items : list, optional
        Candidates, for an open domain.
    groups : tuple of (slice, float)
        Inputs with one public part, and their stated ε; without any, all inputs have one.
    histogram : bool
        Whether `simulate` takes counts of the inputs, in their order.
    pairs : bool
        Whether the branches of two people are few enough to be walked.
    """

    mechanism: Mechanism
    inputs: Values
    items: Items = None
    groups: tuple[tuple[slice, float], ...] = ()
    histogram: bool = False
    pairs: bool = True

    def __str__(self) -> str:
        return str(self.mechanism)


# ------------------------------------------------------------------------------- small functions


def largest_sum(scores: ArrayLike, targets: int) -> float:
    """Return the largest sum of so many entries of one row."""
    rows = np.asarray(scores)
    width = rows.shape[-1]
    left_out = width - check_count(targets, 1, "targets", width)
    if left_out == 0:
        return float(rows.sum(-1).max())
    largest = np.partition(rows, left_out, -1)[:, left_out:]
    return float(largest.sum(-1).max())


def best_bits(g: Floats, nothing: Floats, targets: int) -> float:
    """Return the largest sum of so many entries of gx + nothing, for bits x.

    All choices of entries are tried.

    Raises
    ------
    ValueError
        If there are more than 2**20 of them.
    """
    if comb(len(g), check_count(targets, 1, "targets", len(g))) > 2**20:
        rule = "targets must leave at most 2**20 choices"
        raise ValueError(f"{rule}, got {targets} of {len(g)}: take or name fewer")
    best = -np.inf
    for chosen in combinations(range(len(g)), targets):
        entries = list(chosen)
        best = max(best, nothing[entries].sum() + g[entries].sum(0).clip(0).sum())
    return float(best)


def blocks(n: int, size: int) -> Iterator[slice]:
    """Slices of n people, `size` at a time, so that memory does not grow with their number."""
    return (slice(start, start + size) for start in range(0, n, size))


def named(items: Items) -> tuple[Items, ...]:
    """Return candidates as arguments, none where there are none.

    Only an `OpenMechanism` takes them.
    """
    return () if items is None else (items,)


def _all_axes(weights: Floats) -> tuple[int, ...]:
    """Return the last axes, as many as weights have."""
    return tuple(range(-weights.ndim, 0))


def _brief(mechanism: Mechanism) -> str:
    """Write a mechanism in at most 200 characters; of a matrix, not all its entries."""
    text = str(mechanism)
    return text if len(text) <= 200 else f"{text[:199]}…"
