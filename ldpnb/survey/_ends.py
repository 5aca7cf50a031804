r"""Intervals of rows and weighted sums, and the chance of 0.

They are functions of z, the quantile of their level.  One principle holds for all weighted sums of
rows.

- A sum with *one* row has the interval of that row (see `ldpnb.intervals`), at its own level and
  for as many intervals at once as it is one of, scaled, or flipped where its weight is negative.
- So has a sum of *one set* of rows with one weight, by k-RR: a report of any of s categories has
  chances of its own, p + (s − 1) q and s q.  Of one set *among another*, as the mean of two values
  with missing answers, the law is that of the reports that name either; how many these are is
  taken as given, so that ends are z standard errors away at least.
- A sum over *several results*, as a difference or a change, combines their intervals.  With
  :math:`d_t` the distances from estimates to their own ends on one side, its end is
  :math:`(\sum_{s,t} r_{st} d_s d_t)^{1/2}` away (MOVER: Zou and Donner 2008), r the correlations:
  none where other people were asked or noise alone counts, and the largest that there can be where
  the same people were; where nothing is known of them, distances add.  Own ends about these very
  people are shares that they can have, which are too near to be combined: distances are to ends at
  any share (`ldpnb.intervals.ends_between`), and z standard errors and `PART` of what one report
  changes at least.
- *Everything else*, several rows of one result, has z standard errors to both sides.  Where the
  error is estimated as 0, too few reports tell one: ends and p are NaN.  Only where a sum is the
  same for all reports, as that of all shares of k-RR, the estimate is exact, and both ends are the
  estimate.

An interval tests its own estimate: p is the smallest 1 − level whose interval leaves out 0, times
the number of intervals at once.  Exact ends about these people take steps, and one of them may be 0
itself, where 0 is held; an end that rounding alone parts from 0 is 0 (`settled`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan, nan

import numpy as np

from ldpnb.core import Floats
from ldpnb.postprocess import normal_quantile

# of z; they are partials of what is below, which can be pickled
Ends = Callable[[float], tuple[float, float]]

LEAST = 1e-9  # p; no interval is known so far out
LARGEST = normal_quantile(1 - LEAST)
CLOSE = 1e-7  # of the z that is found
PART = 0.25  # of a report; without it, 93.8 % are covered where nobody and everybody are compared
AT_ZERO = 1e-12  # of what a sum can be: an end so near to 0 may have been moved there by rounding


def row_of(
    ends: Callable[[float], tuple[Floats, Floats]], z: float, place: int
) -> tuple[float, float]:
    """Return the ends of one row, of those of all rows."""
    low, high = ends(z)
    return float(low[place]), float(high[place])


def normal(estimate: float, error: float, z: float) -> tuple[float, float]:
    """Return z standard errors to both sides of an estimate; NaN where the error is 0 or NaN."""
    if error == 0:  # too few reports to tell it
        return nan, nan
    return estimate - z * error, estimate + z * error


def exact(estimate: float, z: float) -> tuple[float, float]:
    """Return both ends of what does not depend on chance."""
    return estimate, estimate


def moved(ends: Ends, factor: float, shift: float, z: float) -> tuple[float, float]:
    """Return the ends of a multiple of an estimate, and a number more."""
    low, high = ends(z)
    first = shift + factor * low
    second = shift + factor * high
    if factor > 0:
        return first, second
    return second, first


def reaching(
    estimate: float, error: float, more: float, ends: Ends, z: float
) -> tuple[float, float]:
    """Return ends that are z standard errors away at least, and a number more.

    Exact ends about these people may be nearer where few reports are changed, and a sum needs how
    far the estimate scatters.
    """
    low, high = ends(z)
    least = np.minimum(low, estimate - z * error - more)
    most = np.maximum(high, estimate + z * error + more)
    return float(least), float(most)


def added(
    estimates: Sequence[float], each: Sequence[Ends], correlations: Floats, z: float
) -> tuple[float, float]:
    """Return the ends of a sum of estimates, from their own ones.

    Parameters
    ----------
    estimates : list of float (m,)
    each : list of Ends (m,)
    correlations : ndarray (m, m)
        Of the estimates.
    z : float
    """
    low, high = np.array([ends(z) for ends in each]).T
    middle = np.clip(estimates, low, high)  # an interval may hold possible means alone
    below = middle - low
    above = high - middle
    total = float(middle.sum())
    down = np.sqrt(np.maximum(below @ correlations @ below, 0))
    up = np.sqrt(np.maximum(above @ correlations @ above, 0))
    return total - float(down), total + float(up)


def settled(ends: Ends, width: float, z: float) -> tuple[float, float]:
    """Return ends, 0 where rounding alone may part one from it.

    Parameters
    ----------
    ends : Ends
    width : float
        From the least to the largest that the sum can be.
    z : float
    """
    low, high = ends(z)
    near = AT_ZERO * width
    if abs(low) <= near:
        low = 0.0
    if abs(high) <= near:
        high = 0.0
    return low, high


def chance_of_zero(ends: Ends) -> float:
    """Return the smallest 1 − level whose interval leaves out 0, 1e-9 at least; NaN where ends are.

    Halved is a range of z from one whose interval leaves out 0 to one whose interval holds it.  How
    far an end is from 0 tells nothing, since exact ends stay where they are over whole ranges of z.

    Examples
    --------
    >>> from functools import partial
    >>> near, far = partial(normal, 1.96, 1.0), partial(normal, 30.0, 1.0)
    >>> round(chance_of_zero(near), 4), chance_of_zero(far)
    (0.05, 1e-09)
    """
    from scipy.special import ndtr

    def holds(z: float) -> bool:
        """Return whether the interval holds 0, ends included."""
        low, high = ends(z)
        return low <= 0 <= high

    if isnan(ends(1.0)[0]):
        return nan
    inside = 0.0
    outside = 0.0
    for z in (0.0, 1.0, 2.0, 4.0, LARGEST):  # far out, exact ends are slow
        if holds(z):
            inside = z
            break
        outside = z
    else:
        return LEAST
    if inside == 0:
        return 1.0
    while inside - outside > CLOSE:
        middle = (inside + outside) / 2
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return float(2 * ndtr(-outside))
