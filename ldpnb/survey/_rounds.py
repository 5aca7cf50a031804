r"""The same people more than once: what it does to errors and intervals about a population.

Person i sends :math:`T_i` reports with fresh coins, :math:`N = \sum T_i` in all.  The sum of their
tallies estimates the mean over reports.  Noise averages over reports, people do not:

.. math:: \operatorname{Var} = \frac{\text{noise}}{N} + r\,\frac{\sigma^2}{N},
   \qquad r = \frac{\sum T_i^2}{\sum T_i}.

Here :math:`\sigma^2` is the variance of an answer about the mean of all, f(1 − f) of a share.  It
is exact if nobody's answer changes, and too large otherwise: a person's mean over some answers
varies by no more than a single answer.  It holds if numbers of reports are equal, or are
independent of the answers.  If people of one answer send more reports than others, no r is right.

Where a public draw decides what a report is about, N of n reports are about the entry.  Of these, a
person has :math:`1 + (r-1)N/n` in the same sense, since each report draws anew; so what has to be
added to the variance is :math:`(r-1)\sigma^2/n` in every case.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.checks import is_number, is_pooled as names_several, shown
from ldpnb.core import Floats, Tally

CURE = (
    "rounds=4 if everybody sent four reports, else the sum of squares of their numbers over the sum"
)


def check_rounds(rounds: Any, n: int) -> float | int:
    """Return how many reports each of at least two people sent, of n in all: an int if it is whole.

    Raises
    ------
    ValueError
        If it is no number of at least 1, or more than half of the reports.
    """
    if not is_number(rounds) or not np.isfinite(rounds) or rounds < 1:
        raise ValueError(f"rounds must be a number of at least 1, got {shown(rounds)}: {CURE}")
    if rounds > 1 and 2 * rounds > n:
        rule = f"at most half of the {n:,} reports"
        why = "of a single person there is no error about a population"
        raise ValueError(f"rounds must be {rule}, got {shown(rounds)}: {why}")
    if isinstance(rounds, int | np.integer):
        return int(rounds)
    return float(rounds)


def is_pooled(tally: Tally) -> bool:
    """Whether these are several waves that were added."""
    return names_several(tally.wave)


def rounds_of_asked(rounds: float, asked: ArrayLike, n: int) -> Floats:
    """Return the r of those of n reports that are about an entry, which is drawn anew each time."""
    more: Floats = (rounds - 1) * np.asarray(asked) / max(1, n)
    return 1 + more


def repeated_error(error: Floats, spread: Floats, tally: Tally, rounds: float) -> Floats:
    r"""Return standard errors about a population of people who sent `rounds` reports each.

    With e the error for independent reports, :math:`s^2` the estimated variance of an answer, from
    the estimate, and n reports, its square is :math:`\{(n-1)e^2 + (r-1)s^2\}/(n-r)`.  Where
    everybody was asked, that is unbiased for shares if all send r reports and nobody's answer
    changes.

    Parameters
    ----------
    error : ndarray (…)
        For independent reports.
    spread : ndarray (…)
        Variance of an answer; of a share outside of [0, 1], 0.
    """
    n = tally.n
    if rounds == 1:
        return error
    return np.asarray(np.sqrt(((n - 1) * error**2 + (rounds - 1) * spread) / (n - rounds)))


def of_share(estimate: Floats) -> Floats:
    """Return f(1 − f), and 0 for a share that nobody can have."""
    f = np.clip(estimate, 0, 1)
    return np.asarray(f * (1 - f))


def of_unit(estimate: Floats) -> Floats:
    """Return 1 − μ², the largest variance of numbers in [−1, 1] with this mean."""
    return np.asarray(1 - np.clip(estimate, -1, 1) ** 2)


def repeated_end(estimate: Floats, end: Floats, z: float, tally: Tally, rounds: float) -> Floats:
    r"""Return the end of an interval of numbers in [−1, 1], of people who sent `rounds` reports.

    At the end :math:`\mu`, z² times what repeated people add at most, :math:`(r-1)(1-\mu^2)/n`, is
    added to the square of its distance from the estimate.  Beyond [−1, 1] nothing is added.
    """
    c = z**2 * (rounds - 1) / tally.n
    far = end - estimate
    half = np.sqrt(np.maximum((1 + c) * (far**2 + c) - c * estimate**2, 0))
    found = (estimate + np.sign(far) * half) / (1 + c)
    return np.where((np.abs(end) >= 1) | (c == 0), end, found)


def told(tally: Tally, rounds: float) -> str:
    """Say how many reports there are, and of how many people."""
    n = tally.n
    if rounds == 1 and is_pooled(tally):
        return f"{n:,} reports"
    if rounds == 1:
        return f"{n:,} reports, one a person"
    if isinstance(rounds, int) and n % rounds == 0:
        return f"{n:,} reports of {n // rounds:,} people, {rounds:,} each"
    return f"{n:,} reports, T a person with ΣT²/ΣT = {rounds:g}"
