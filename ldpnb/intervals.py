r"""Confidence intervals of shares, from how many reports support them.

A report supports an item with the chance P = q + (p − q) f, where f is the share that people hold
on average: q is the chance of somebody who does not hold the item, p that of a holder.  Of a random
sample of a population, the number of supporters among n reports is binomial, whatever the
mechanism.  Of these very people, h = nf of whom hold the item, it is the sum of a binomial number
of h with p and one of n − h with q.

So the ends can be exact: the least and the largest share under which so many supporters, or more
(fewer), still have a chance above the level that is left out on this side (Clopper and Pearson
1934).  They cover at least as often as stated, each alone and, by Bonferroni, all at once; where
few blind reports are expected, this is what normal quantiles do not.  The mid-P variant, which is
right on average over n, is not: in the far tails that Bonferroni asks for.

`support_interval` takes these ends where the number of supporters scatters little, and otherwise
those of the score interval (Wilson 1927): where a normal law with the variance *at the end* is as
far from the estimate.  A count of variance v has a skewness of 1/√v at most, about, which changes a
tail at z standard errors by a factor of up to exp(z³/(6√v)).  Below v = (2z³/3)², where that is
e^{1/4}, and below 50, where steps of one are seen, ends are exact.  Above, exact ones would be
wider by half a count on each side, and those about these people would take long sums.

Means have no exact ends; `skewed_quantile` is for them, from the moments of scores.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import floor

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import inexact

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEW = 50  # variance of a count below which its steps of one are seen
REACH = 9  # standard deviations of a binomial count that are summed over: 1e-18 is left out
HALVINGS = 50  # of the search for an end
SMOOTH = 1e-4  # skewness below which a normal quantile is right to 1e-3 of a standard error


def exact_below(z: float) -> float:
    """Variance of a count of supporters below which its interval is exact: max(50, (2z³/3)²).

    Parameters
    ----------
    z : float
        The tail that is left out on each side is that of the normal law beyond z.

    Examples
    --------
    >>> round(exact_below(1.96)), round(exact_below(3.5))
    (50, 817)
    """
    return float(max(FEW, (2 * z**3 / 3) ** 2))


def support_interval(
    count: ArrayLike,
    n: ArrayLike,
    own: Fraction,
    other: Fraction,
    z: float,
    *,
    sampled: ArrayLike = 1.0,
    possible: bool = True,
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of a share, from the number of reports that support it.

    Parameters
    ----------
    count : array_like (…)
        How many reports support the item, whole numbers.
    n : array_like that broadcasts with `count`
        Number of reports; of those asked about the item, where the question is public.
    own, other : Fraction
        Chance of support by somebody who holds the item, being drawn and scaled included, and by
        anybody else.
    z : float
        The interval leaves out, on each side, the tail of the normal law beyond z.
    sampled : array_like that broadcasts with `count`, at least 0
        Part of the chance of who is asked that counts: 1 about a population, 0 about these people
        if all of them were asked, 1 − (n−1)/(N−1) about N people of whom n were asked.  Between 0
        and 1, exact ends are those about the population, which cover these people, too (Hoeffding
        1956).  It is r > 1 about a population whose people send r reports each; then no end is
        exact, see `repeated_ends`.
    possible : bool
        Whether exact ends about these people are shares that they can have; if not, they are of any
        size, see `ends_between`.  Those are for distances that are to be combined.

    Returns
    -------
    low, high : ndarray (…)
        Of the share.  About a population they are not cut at 0 and 1: an end below 0 says that
        even fewer supporters are expected where nobody holds the item.  Exact ends about these
        people are shares that they can have, and both are the nearest such share if no share
        explains the count.

    Notes
    -----
    Source: Clopper and Pearson 1934; Wilson 1927; for r > 1, Korn and Graubard 1998.

    Examples
    --------
    Of 300 reports by k-RR over 100 items at ε = 4, eight support an item; 1.95 would by chance.

    >>> p, q = Fraction(546, 1536), Fraction(10, 1536)
    >>> low, high = support_interval(8, 300, p, q, 1.96)
    >>> round(float(low), 3), round(float(high), 3)
    (0.015, 0.13)
    >>> low, high = support_interval(8, 300, p, q, 1.96, sampled=0)  # about these 300
    >>> round(float(low) * 300), round(float(high) * 300)
    (6, 35)
    """
    count, n, sampled = np.broadcast_arrays(
        np.rint(np.asarray(count, np.float64)),
        np.asarray(n, np.float64),
        np.asarray(sampled, np.float64),
    )
    if own < other:  # then reports of others are the support
        turned = (n - count, n, 1 - own, 1 - other, z)
        return support_interval(*turned, sampled=sampled, possible=possible)
    gain = inexact(own - other)
    reports = np.maximum(n, 1)
    share = (count / reports - inexact(other)) / gain
    at_most_once = np.minimum(sampled, 1)
    once = score_ends(share, reports, own, other, z, at_most_once)
    again = score_ends(share, reports, own, other, z, sampled)
    low = _inside(once[0], again[0])
    high = _inside(once[1], again[1])
    seen = scatter(share, n, own, other, at_most_once)
    few = seen < exact_below(z) * design_effect(share, own, other, sampled)
    whole = few & (sampled == 0)
    often = few & (sampled > 1)
    some = few & ~whole & ~often
    if np.any(often):
        ends = repeated_ends(count[often], n[often], own, other, z, sampled[often])
        low[often], high[often] = ends
    if np.any(some):
        least, most = binomial_ends(count[some], n[some], z)
        low[some] = (least - inexact(other)) / gain
        high[some] = (most - inexact(other)) / gain
    if np.any(whole):
        of_people = _ends_of_people if possible else ends_between
        low[whole], high[whole] = of_people(count[whole], n[whole], own, other, z)
    return low, high


def _inside(once: Floats, again: Floats) -> Floats:
    """Return ends for people who report again; beyond 0 and 1, those for people who do not.

    There, people do not differ, so that it is all one how often they report.
    """
    return np.where((once <= 0) | (once >= 1), once, again)


def _ends_of_people(
    count: Floats,
    n: Floats,
    own: Fraction,
    other: Fraction,
    z: float,
) -> tuple[Floats, Floats]:
    """Return exact ends about these people, (n,) each: equal counts are worked out once."""
    pairs, back = np.unique(np.stack([count, n]), axis=1, return_inverse=True)
    holders = [_holders(int(c), int(m), own, other, z) for c, m in pairs.T]
    low, high = (np.array(holders) / pairs[1][:, None])[back.ravel()].T
    return low, high


def ends_between(
    count: Floats,
    n: Floats,
    own: Fraction,
    other: Fraction,
    z: float,
) -> tuple[Floats, Floats]:
    """Return exact ends about these people that need not be shares which they can have.

    Between h and h + 1 holders, one person holds the item with a chance.  Below 0 and above 1, the
    law of the count is the binomial one, as about a population; it is so at 0 and 1 themselves.

    Parameters
    ----------
    count, n : ndarray (m,)
    own, other : Fraction
    z : float

    Examples
    --------
    Of 25 people, three support an item.  As a share that they can have, both ends are whole:

    >>> three, people = np.array([3.0]), np.array([25.0])
    >>> given = three, people, Fraction(9, 10), Fraction(1, 10), 1.96
    >>> [(25 * end).round(2) for end in ends_between(*given)]
    [array([-2.33]), array([4.68])]
    >>> [(25 * end).round(2) for end in support_interval(*given, sampled=0)]
    [array([0.]), array([4.])]
    """
    from scipy.special import ndtr

    out = float(ndtr(-z))
    least, most = binomial_ends(count, n, z)
    low = (least - inexact(other)) / inexact(own - other)
    high = (most - inexact(other)) / inexact(own - other)
    pairs = np.stack([count, n], axis=1).astype(int).tolist()
    for i, (c, m) in enumerate(pairs):
        if 0 < low[i] < 1:
            or_more = partial(supported_tail, count=c, n=m, own=own, other=other)
            low[i] = _reached(or_more, out, low[i], m) / m
        if 0 < high[i] < 1:
            # from the other side, the least share of people who do not hold the item
            or_fewer = partial(supported_tail, count=m - c, n=m, own=1 - other, other=1 - own)
            high[i] = 1 - _reached(or_fewer, out, 1 - high[i], m) / m
    return low, high


def _reached(chance: Callable[[int], float], level: float, near: float, n: int) -> float:
    """Return at how many holders, of n, a chance that grows with them reaches a level.

    It is looked for from a share nearby.
    """
    after = _first(lambda holders: chance(holders) > level, _whole_number(np.array(near), n), n)
    after = min(max(after, 1), n)
    before = chance(after - 1)
    part = (level - before) / (chance(after) - before)
    return after - 1 + min(max(part, 0.0), 1.0)


def score_ends(
    share: Floats,
    n: Floats,
    own: Fraction,
    other: Fraction,
    z: float,
    sampled: ArrayLike = 1.0,
) -> tuple[Floats, Floats]:
    r"""Return the shares f that are z of their own standard errors away from an estimate.

    The variance is quadratic in f, so that

    .. math:: |\hat f - f|^2 = \frac{z^2}{n}\{V_0 + (V_1 - V_0) f + c f(1-f)\}

    is solved for f: :math:`V_0` and :math:`V_1` are the variances of the scores of others and of
    holders, and c is `sampled`.
    """
    rare = inexact(other * (1 - other) / (own - other) ** 2)
    linear = inexact(own * (1 - own) / (own - other) ** 2) - rare
    part = np.asarray(sampled)
    w = z**2 / n
    a = 1 + part * w
    b = share + w * (linear + part) / 2
    half = np.sqrt(np.maximum(b**2 - a * (share**2 - w * rare), 0))
    return np.asarray((b - half) / a), np.asarray((b + half) / a)


def binomial_ends(count: Floats, n: Floats, z: float) -> tuple[Floats, Floats]:
    """Return the ends of the exact interval of a chance, of which so many of n came.

    Source: Clopper and Pearson 1934.
    """
    from scipy.special import betainccinv, betaincinv, ndtr

    out = ndtr(-z)
    with np.errstate(invalid="ignore"):
        low = np.where(count > 0, betaincinv(np.maximum(count, 1), n - count + 1, out), 0.0)
        high = np.where(count < n, betainccinv(count + 1, np.maximum(n - count, 1), out), 1.0)
    return low, high


def design_effect(share: ArrayLike, own: Fraction, other: Fraction, rounds: ArrayLike) -> Floats:
    r"""Return how many times the variance of a count grows if people send r reports each, not one.

    With :math:`P = q + (p-q)f`, it is :math:`1 + (r-1)(p-q)^2 f(1-f)/\{P(1-P)\}`, which is 1 where
    nobody or everybody holds the item.
    """
    f = np.clip(np.asarray(share, np.float64), 0, 1)
    p = inexact(own)
    q = inexact(other)
    chance = q + (p - q) * f
    more = np.maximum(np.asarray(rounds, np.float64) - 1, 0) * (p - q) ** 2 * f * (1 - f)
    alone = chance * (1 - chance)
    return np.asarray(1 + more / np.where(alone > 0, alone, 1))


def repeated_ends(
    count: Floats,
    n: Floats,
    own: Fraction,
    other: Fraction,
    z: float,
    rounds: Floats,
) -> tuple[Floats, Floats]:
    """Return ends of the interval of a share in a population, whose people sent `rounds` reports.

    The law of the count depends on how answers go on, and is not binomial.  Ends are those of a
    binomial count of fewer reports, by the design effect *at the end* (Korn and Graubard 1998 take
    that at the estimate, which is too small for rare items).

    Parameters
    ----------
    count, n : ndarray (…)
        Supporters, and reports.
    own, other : Fraction
    z : float
    rounds : ndarray (…)
        Reports of each person, at least 1.

    Examples
    --------
    Of 100 people, four reports each, none supports an item that only holders support.

    >>> none, rounds = np.array([0.0]), np.array([4.0])
    >>> ends = repeated_ends(none, np.array([400.0]), Fraction(1), Fraction(0), 1.96, rounds)
    >>> once = binomial_ends(none, np.array([100.0]), 1.96)
    >>> round(float(ends[1][0]), 4), round(float(once[1][0]), 4)
    (0.0362, 0.0362)
    """
    from scipy.special import betainc, ndtr

    out = ndtr(-z)
    p = inexact(own)
    q = inexact(other)

    def end(upper: bool) -> Floats:
        """Halve the way to 0, or to 1, until the tail beyond is what is left out."""
        inside = count / np.maximum(n, 1)
        if upper:
            outside = np.ones(inside.shape)
            got = n - count
        else:
            outside = np.zeros(inside.shape)
            got = count
        missed = n - got
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            effect = design_effect((middle - q) / (p - q), own, other, rounds)
            chance = middle
            if upper:
                chance = 1 - middle
            # of n/effect reports, the chance of so many or more of what was got
            reports = np.maximum(got, 1e-9) / effect
            tail = np.where(got > 0, betainc(reports, missed / effect + 1, chance), 1.0)
            beyond = tail <= out
            inside = np.where(beyond, inside, middle)
            outside = np.where(beyond, middle, outside)
        return np.asarray((inside - q) / (p - q))

    return end(upper=False), end(upper=True)


def scatter(
    estimate: ArrayLike,
    n: ArrayLike,
    own: Fraction,
    other: Fraction,
    sampled: ArrayLike = 1.0,
) -> Floats:
    """Variance of the number of supporters, at the possible share next to an estimate.

    Arguments are as for `support_interval`.
    """
    share = np.clip(np.asarray(estimate, np.float64), 0, 1)
    p = inexact(own)
    q = inexact(other)
    noise = share * p * inexact(1 - own) + (1 - share) * q * (1 - q)
    spread = noise + np.asarray(sampled) * (p - q) ** 2 * share * (1 - share)
    return np.asarray(np.asarray(n) * spread)


def _holders(count: int, n: int, own: Fraction, other: Fraction, z: float) -> tuple[int, int]:
    """Return the least and the largest number of holders under which the count is in no tail."""
    from scipy.special import ndtr

    out = float(ndtr(-z))
    share = np.array((count / n - inexact(other)) / inexact(own - other))
    low, high = score_ends(share, np.array(float(n)), own, other, z, 0.0)

    def likely(holders: int) -> bool:
        """Whether so many supporters, or more, have a chance above what is left out."""
        return supported_tail(holders, count, n, own, other) > out

    def unlikely(holders: int) -> bool:
        """Whether so few supporters, or fewer, do not."""
        others = n - holders
        return supported_tail(others, n - count, n, 1 - other, 1 - own) <= out

    least = _first(likely, _whole_number(low, n), n)
    most = _first(unlikely, _whole_number(high, n), n) - 1
    if least <= most:
        return least, most
    # the count is beyond what any share explains
    if least > n:
        nearest = n
    elif most < 0:
        nearest = 0
    else:
        nearest = round((least + most) / 2)
    return nearest, nearest


def _whole_number(share: Floats, n: int) -> int:
    """Return a number of people, of n, near a share."""
    return min(max(floor(float(share) * n), 0), n)


def _first(holds: Callable[[int], bool], near: int, n: int) -> int:
    """Return the least h in 0 … n for which something holds that stays true, or n + 1.

    It is looked for from a guess, by doubling steps.
    """
    step = 1
    low = -1  # here it does not hold
    high = n + 1  # here it does
    while True:
        if low < near <= n and near < high:
            if holds(near):
                high = near
            else:
                low = near
        if high - low <= 1:
            return high
        if low == -1 and high <= n:
            near = max(0, high - step)
        elif high == n + 1 and low >= 0:
            near = min(n, low + step)
        else:
            near = (low + high) // 2
        step *= 2


def supported_tail(holders: int, count: int, n: int, own: Fraction, other: Fraction) -> float:
    """Chance that at least so many reports support an item that so many of n people hold.

    These are the very people who report.  The law is that of the sum of two binomial counts; of the
    first one, of holders, nine standard deviations to each side are summed over.

    Parameters
    ----------
    holders, count, n : int
    own, other : Fraction
        Chance of support by a holder, and by anybody else.

    Examples
    --------
    >>> p, q = Fraction(3, 4), Fraction(1, 4)
    >>> round(supported_tail(0, 1, 2, p, q), 4), supported_tail(1, 0, 2, p, q)
    (0.4375, 1.0)
    """
    from scipy.special import bdtrc, gammaln, xlogy

    if count <= 0:
        return 1.0
    p = inexact(own)
    miss = inexact(1 - own)
    reach = REACH * np.sqrt(holders * p * miss) + REACH**2
    first = max(0, int(holders * p - reach))
    last = min(holders, int(holders * p + reach) + 1)
    told = np.arange(first, last + 1)
    ways = gammaln(holders + 1) - gammaln(told + 1) - gammaln(holders - told + 1)
    chance = np.exp(ways + xlogy(told, p) + xlogy(holders - told, miss))
    need = count - told  # of all others
    others = n - holders
    tail = np.where(need <= 0, 1.0, 0.0)
    some = (need > 0) & (need <= others)
    tail[some] = bdtrc(need[some] - 1, others, inexact(other))
    return min(float(chance @ tail), 1.0)


def skewed_quantile(z: ArrayLike, skewness: ArrayLike) -> Floats:
    """Return the quantile of a law of mean 0, variance 1 and this skewness.

    It is at the level that z has in a normal law.  The law is a shifted gamma law (Pearson's type
    III), which has the skewness of a sum of few rare scores.

    Parameters
    ----------
    z, skewness : array_like that broadcast

    Examples
    --------
    >>> skewed_quantile([-1.96, 1.96], 0.0).round(2), skewed_quantile([-1.96, 1.96], 1.0).round(2)
    (array([-1.96,  1.96]), array([-1.46,  2.38]))
    """
    from scipy.special import gammainccinv, gammaincinv, ndtr

    z, skewness = np.broadcast_arrays(np.asarray(z, np.float64), np.asarray(skewness, np.float64))
    size = np.maximum(np.abs(skewness), SMOOTH)
    shape = 4 / size**2
    sign = np.where(skewness < 0, -1, 1)
    toward = z * sign  # of the law with the positive skewness
    lower = gammaincinv(shape, ndtr(np.minimum(toward, 0)))
    upper = gammainccinv(shape, ndtr(-np.maximum(toward, 0)))
    found = (np.where(toward < 0, lower, upper) - shape) / np.sqrt(shape) * sign
    return np.where(np.abs(skewness) < SMOOTH, z, found)
