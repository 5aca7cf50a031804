r"""Estimates that divide by the number of people who were asked.

Some mechanisms draw in public what each person is asked about: one of L attributes, keys or pairs,
or some of many numbers.  An entry of the estimate is then about the N people who were asked, and N
is known to everybody.  There are two unbiased estimates of it:

- `Mechanism.estimate` divides the sum of all answers by the number of people expected, n/L.  It is
  the mean of one score per person, 0 for those who were not asked, so it is linear in the reports:
  defined for any number of people, the same for all mechanisms, and what laws, influence and
  simulations are about.
- `estimate_of_asked` divides by N.  Chance in how many people were asked is no noise then.

With V the variance of an answer about a value, t what a person contributes and f the mean of t over
all people, n times the variance about these people is

.. math:: L V + (L-1)\,\overline{t^2} \quad\text{for the linear estimate, and}\quad
   L V + (L-1)\,(\overline{t^2}-f^2)\,\tfrac{n}{n-1} \quad\text{if } N = n/L.

The second is smaller by (L−1)f².  But N scatters, and a mean of 1/N is larger than L/n, by a part
of about (L−1)/n.  So with fewer than about :math:`L(V + \overline{t^2} - f^2)/f^2` people the
linear estimate is the better one, unless questions are dealt out in equal numbers.

Mechanisms of several families take the functions below for methods, in their class bodies; ``self``
is the mechanism.  So they need no base but that of their family.  `AsksSome` tells which they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.checks import check_codes, check_people
from ldpnb.core import Floats, Ints, Mechanism, Tally, Untold, Values


class Asked(NamedTuple):
    """A weighted sum of the estimate, cut into what comes from each question.

    Attributes
    ----------
    numbers : ndarray of int64 (…, questions)
        How many people were asked the question.
    sums : ndarray (…, questions)
        The weighted sum of the estimates from them.
    squares : ndarray (…, questions)
        Mean squared weighted sum of the scores of one answer.
    own : ndarray (…, questions)
        Mean square of what people contribute to the weighted sum, where they have one item; NaN
        elsewhere.
    """

    numbers: Ints
    sums: Floats
    squares: Floats
    own: Floats


class AsksSome(ABC):
    """Name for mechanisms that ask each person about some entries of the estimate only.

    Which ones is drawn in public, all alike.  `isinstance` tells such a mechanism by the two things
    that it gives.  It takes the functions of this module for methods; if its tally tells how sums
    of scores scatter, it also gives ``_contrast_parts`` and ``_questions_of``:

    - ``_contrast_parts(tally, weights)`` cuts a weighted sum into what comes from each question, an
      `Asked`;
    - ``_questions_of(weights)`` returns the numbers of the questions that have weights.

    `influence` is about the linear estimate.  It is that of `estimate_of_asked`, too, where N = n/L
    people were asked; one forged report among N has n/(L N) times as much.
    """

    @property
    @abstractmethod
    def asked(self) -> float:
        """Chance that a person is asked about an entry, 1/L."""

    @abstractmethod
    def _numbers_asked(self, tally: Tally) -> Ints:
        """Count the people who were asked about each entry.

        The shape is one that broadcasts to that of the estimate.
        """

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return hasattr(kind, "_numbers_asked")


# ----------------------------------------------------------------------------- the estimate


def numbers_asked(self: Any, tally: Tally) -> Ints:
    """Count the people who were asked about each entry of the estimate: in its shape."""
    numbers = self._numbers_asked(self._own(tally))
    return np.broadcast_to(numbers, self.estimate(tally).shape)


def estimate_of_asked(self: Any, tally: Tally) -> Floats:
    """Estimate the population mean of `expected` from those who were asked.

    It is the sum of their answers over their number.  Those who were asked are a random sample
    of all people, so given their number it is unbiased.

    Parameters
    ----------
    tally : Tally
        In which somebody was asked about each entry; counts may have leading axes (trials).

    Returns
    -------
    ndarray of the shape of the estimate

    Raises
    ------
    ValueError
        If nobody was asked about an entry: the linear `estimate` exists all the same.

    Examples
    --------
    >>> from ldpnb import GRR, DrawnAttributes
    >>> survey = DrawnAttributes.of((2, 2), GRR, 4.0)
    >>> people = np.tile([[0, 1]], (2000, 1))
    >>> tally = survey.tally(survey.perturb(people, rng=np.random.default_rng(0)))
    >>> survey.numbers_asked(tally)
    array([ 957,  957, 1043, 1043])
    >>> [round(float(found[0]), 2) for found in
    ...     (survey.estimate(tally), survey.estimate_of_asked(tally))]
    [0.95, 1.0]
    """
    _check_asked(self, tally, 1)
    return np.asarray(self._mean_of_asked(tally))


def _mean_of_asked(self: Any, tally: Tally) -> Floats:
    """Return the estimate of those asked, NaN where nobody was."""
    asked = self._numbers_asked(tally)
    estimate = self.estimate(tally)
    number = np.where(asked, asked, np.nan)
    return np.asarray(estimate * (self.asked * tally.n / number))


def _check_asked(self: Any, tally: Tally, least: int) -> None:
    """Refuse a tally in which fewer people than these were asked about an entry."""
    asked = self.numbers_asked(tally)
    if asked.min() >= least:
        return
    trials = tally.counts.ndim - len(self._one_trial)
    entry = tuple(map(int, np.unravel_index(int(asked.argmin()), asked.shape)[trials:]))
    place: object = entry
    if len(entry) == 1:
        place = entry[0]
    who = "one person" if least == 1 else "two people"
    raise ValueError(
        f"tally must hold answers of at least {who} about each entry, got {asked.min()} about "
        f"entry {place}: collect more, or take the linear estimate"
    )


# ------------------------------------------------------------------------------- its errors


def standard_error_of_asked(self: Any, tally: Tally, *, people: bool = False) -> Floats:
    r"""Estimate the standard error of each entry of `estimate_of_asked`.

    It follows from the scatter of the answers.  With e the estimate and
    :math:`s^2 = (\text{mean squared answer} - e^2) N/(N-1)`, its square is :math:`s^2/N` about
    a population that people are a random sample of, and about these people, with shares,
    :math:`\tfrac{n-1}{n}\,s^2/N - e(1-e)/n`.  Given N, both are unbiased for the variance of
    the estimate (before what chance makes negative is set to 0).  If everybody was asked, they
    are those of `Mechanism.standard_error`.

    Parameters
    ----------
    tally : Tally
        In which at least two people were asked about each entry; counts may have leading axes
        (trials).
    people : bool
        Whether the error is that about these people, and not about a population that they are
        a sample of.

    Raises
    ------
    ValueError
        If fewer were asked, or `people` is asked for and not known.
    """
    _check_asked(self, tally, 2)
    self._check_people_known(people)
    return np.asarray(np.sqrt(np.maximum(self._error_of_asked(tally, people), 0)))


def _error_of_asked(self: Any, tally: Tally, people: bool) -> Floats:
    """Return the square of the standard error as it is.

    NaN where fewer than two people were asked.
    """
    n = tally.n
    asked = self._numbers_asked(tally)
    number = np.where(asked > 1, asked, np.nan)
    estimate = self._mean_of_asked(tally)
    squares = self._squares(tally) * (self.asked**2 * n / number)
    found = (squares - estimate**2) / (number - 1)
    if people:
        found = found * ((n - 1) / n) - estimate * (1 - estimate) / n
    return np.asarray(found)


def interval_of_asked(
    self: Any,
    tally: Tally,
    z: float,
    *,
    people: bool = False,
) -> tuple[Floats, Floats]:
    """Return `estimate_of_asked` less and plus z of its standard errors."""
    estimate = self.estimate_of_asked(tally)
    half = z * self.standard_error_of_asked(tally, people=people)
    return estimate - half, estimate + half


def variance_of_asked(self: Any, values: Values, asked: ArrayLike) -> Floats:
    r"""Exact variance of `estimate_of_asked` about these people, given how many were asked.

    With V the variance of an answer and t what a person contributes, it is

    .. math:: \frac{\overline V}{N} + \frac{n-N}{N(n-1)} \, (\overline{t^2} - \bar t^2).

    Parameters
    ----------
    values : array_like (n, …) or Records
        As for `perturb`.
    asked : int or array_like of int
        How many people were asked about each entry, from 1 to n, in a shape that broadcasts to
        the estimate's; `numbers_asked` counts them.

    Returns
    -------
    ndarray of the shape of the estimate
    """
    checked = self._values(values)
    check_people(checked)
    t = self.expected(values)
    linear = self.variance(values)
    n = len(t)
    numbers = _check_asked_of(asked, n)
    answers = self.asked * (linear + t**2)  # mean squared answer of each person who is asked
    noise = (answers - t**2).mean(0)
    scatter = (t**2).mean(0) - t.mean(0) ** 2
    left = (n - numbers) / max(n - 1, 1)
    return np.asarray((noise + left * scatter) / numbers)


# ---------------------------------------------------------------- differences and other sums


def contrast_variance_of_asked(
    self: Any,
    tally: Tally,
    weights: ArrayLike,
    *,
    people: bool = False,
) -> Floats:
    r"""Estimate the variance of a weighted sum of `estimate_of_asked`.

    It follows from the scatter of the answers.  Given how many people were asked each question,
    answers to different questions are independent, so that with :math:`c_j`, :math:`Q_j` and
    :math:`N_j` the part of the sum from question j, the mean square of an answer's part and
    the number of answers, it is

    .. math:: \sum_j \frac{Q_j - c_j^2}{N_j - 1},

    over the questions that have weights.  It is unbiased given the numbers, and with one
    weight of 1 the square of `standard_error_of_asked`.  About these people, it is known where
    all weights are of one question; nobody answers two, so that the tally does not tell how
    answers to several go together.

    Parameters
    ----------
    tally : Tally
        In which at least two people were asked each of these questions; counts may have
        leading axes (trials).
    weights : array_like of float, of the shape of one estimate
    people : bool
        Whether the variance is that about these people, and not about a population that they
        are a sample of.

    Raises
    ------
    ValueError
        If fewer were asked, the tally does not tell, or `people` is asked for and not known.
    """
    own = self._own(tally)
    trials = tally.counts.ndim - len(self._one_trial)
    w = self._contrast_weights(weights, self.estimate(tally).shape[trials:])
    if not hasattr(self, "_contrast_parts"):
        raise self._untold_contrast()
    parts = self._contrast_parts(own, w)
    used = self._questions_of(w)
    numbers = parts.numbers[..., used]
    if numbers.min(initial=2) < 2:
        raise ValueError(
            "tally must hold answers of at least two people to each question that has a "
            f"weight, got {numbers.min()}: collect more"
        )
    sums = parts.sums[..., used]
    found = ((parts.squares[..., used] - sums**2) / (numbers - 1)).sum(-1)
    if not people:
        return np.asarray(found)
    self._check_people_known(people)
    _check_one_question(used)
    scatter = (parts.own[..., used] - sums**2).sum(-1)
    return np.asarray(found * ((tally.n - 1) / tally.n) - scatter / tally.n)


def _contrast_squares(self: Any, tally: Tally, weights: Floats) -> Floats:
    """Mean squared weighted sum of scores, of which those not asked have 0: (…)."""
    parts = self._contrast_parts(tally, weights)
    squares = np.where(parts.numbers > 0, parts.squares, 0)
    return np.asarray((parts.numbers * squares).sum(-1) / (self.asked**2 * tally.n))


def _contrast_of_people(self: Any, estimate: Floats, weights: Floats) -> Floats:
    """Mean square of what people add, where all weights are of one question: (…)."""
    _check_one_question(self._questions_of(weights))
    return Mechanism._contrast_of_people(self, estimate, weights)


def _check_one_question(used: Ints) -> None:
    """Refuse a variance about these people where weights are of several questions."""
    if len(used) > 1:
        raise Untold(
            "people must be False where weights are of several questions, got "
            f"{len(used)}: nobody answers two of them; the variance about a population is at least "
            "as large"
        )


def _check_asked_of(asked: ArrayLike, n: int) -> Ints:
    """Return numbers of people who were asked, from 1 to n."""
    numbers = check_codes(np.ravel(asked), n + 1, "asked").reshape(np.shape(asked))
    if numbers.min(initial=1) < 1:
        rule = "asked must be at least 1 for each entry"
        raise ValueError(f"{rule}, got 0: of nobody there is no estimate")
    return numbers
