"""Strings from an open domain: `RAPPOR` sends a Bloom filter with noise that is remembered, `ORR` one slot.

Public cohorts have their own hash functions, and candidates are named when reports are counted: see `Hashed`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from operator import attrgetter
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import (
    Randomness,
    bernoulli,
    binomial,
    exact,
    inexact,
    log,
    log_up,
    odds,
    round_down,
    round_up,
    scatter,
)
from ldpnb.checks import (
    HASHES_MAX,
    SIZE_MAX,
    Limit,
    check_bits,
    check_codes,
    check_count,
    check_epsilon,
    check_fields,
    check_people,
    check_probability,
)
from ldpnb.core import Example, Floats, Ints, Kept, Layout, Reports, best_bits, blocks, largest_sum
from ldpnb.exact.questions import within
from ldpnb.oracles.base import BLOCK
from ldpnb.oracles.grr import GRR
from ldpnb.strings.hashed import Hashed, Name

DIGITS = 1300  # binary places that a power of a ratio keeps: enough for the smallest f that a float can hold


@dataclass(frozen=True, kw_only=True)
class RAPPOR(Hashed):
    r"""Bloom filter, permanent response, instantaneous response.

    A person joins one of C cohorts, once; with an `Account`, once for each label.  The h public hash functions of the
    cohort set bits of a Bloom filter B of the value.  The *permanent response* flips each bit with probability f/2,
    once, and is kept for a period, whatever the value becomes (see `lifetime_epsilon`).  Each report reads it afresh: a
    bit is sent as 1 with probability q where the permanent bit is 1, and with probability p where it is 0.  So a
    report's bit is 1 with probability

    .. math:: q^* = (1-f/2)\,q + (f/2)\,p \quad\text{or}\quad p^* = (f/2)\,q + (1-f/2)\,p

    where the bit of the filter is 1 or 0.  Counting, estimate and noise are those of `Hashed`; the bits of a report are
    independent.

    Source: Erlingsson, Pihur and Korolova 2014; ye2018 §4.1.1, which swaps the letters p and q and calls h the length
    of the filter.

    Reports have the fields ``cohort`` (public) and ``bits``, (n,).

    Parameters
    ----------
    bits : int, at least 1
        Length of a filter.
    hashes : int in [1, 1000]
        h; some may fall on the same bit.
    cohorts : int, at least 1
        C.
    f : float in (0, 1)
        Twice the probability that a permanent bit is flipped.
    p, q : float in [0, 1], p < q
        Probability that a report's bit is 1 where the permanent bit is 0, or 1.  p = 0 and q = 1 send the permanent
        response itself.

    Examples
    --------
    >>> urls = RAPPOR(bits=16, hashes=1, cohorts=8, f=0.2, p=0.25, q=0.75)
    >>> reports = urls.perturb(["a.org", "a.org", "b.org"] * 5000, rng=np.random.default_rng(0))
    >>> urls.estimate(urls.tally(reports, ["a.org", "b.org", "c.org"])).round(2)
    array([0.68, 0.34, 0.01])
    """

    bits: int
    hashes: int
    cohorts: int
    f: float
    p: float
    q: float
    label = "RAPPOR"
    of_epsilon = "lambda e: replace(m, f=flip_for(e, 2 * m.hashes))"
    errors = "ldpnb.decode"
    limits: ClassVar[Mapping[str, Limit]] = {
        "bits": (1, SIZE_MAX),
        "hashes": (1, HASHES_MAX),
        **dict.fromkeys("fpq", check_probability),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if not within(self.flip, 0, Fraction(1, 2)):
            raise ValueError(f"f must be in (0, 1), with f/2 below 1/2 by at least 2**-53, got {self.f}")
        low, high = self.instantaneous
        if not low < high:
            raise ValueError(f"p must be below q by at least 2**-52, got p = {self.p} and q = {self.q}")

    # ------------------------------------------------------------------------------------------------- privacy

    @cached_property
    def flip(self) -> Fraction:
        """Probability that a permanent bit is flipped: f/2, rounded up."""
        return exact(round_up(exact(self.f) / 2))

    @cached_property
    def instantaneous(self) -> tuple[Fraction, Fraction]:
        """(p, q), rounded up and down: the closer they are, the less a report shows."""
        return exact(round_up(exact(self.p))), exact(round_down(exact(self.q)))

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(q*, p*): probability that a report's bit is 1 where the filter's bit is 1, and where it is 0."""
        return _support(self.flip, *self.instantaneous)

    @property
    def epsilon(self) -> float:
        """Of one report: h ln[q*(1−p*) / (p*(1−q*))].

        A bound for all values, attained by two whose filters have h bits each and none in common in some cohort;
        other pairs are told apart less.
        """
        return log_up(_odds_ratio(*_support(exact(self.f) / 2, exact(self.p), exact(self.q))) ** self.hashes)

    @property
    def realised_epsilon(self) -> float:
        """That of one report with the rounded probabilities, for two filters with h bits each and none in common."""
        return log(_odds_ratio(*self.support), self.hashes)

    @property
    def lifetime_epsilon(self) -> float:
        """Of the permanent response, hence of all reports that are read off it: 2h ln[(1−f/2)/(f/2)].

        A bound as `epsilon` is.  It covers a value that changes if all reports of a period are read off the response to
        its first value, which is what `Account` does for the reports under a label.  Periods then add up.

        It covers no client that draws a new response for a new value, and neither does the sum over values.  If the
        client joins a new cohort, too, a change shows at once: ε = ∞ from two reports on.  If not, or if there is one
        cohort, *all* bits are drawn anew, also those that no value sets, so reports tell when the value changed, the
        better the more bits there are.  With 32 bits, h = 1, f = ½, p = ¼ and q = ¾, four reports about two strings
        have ε = 33.7, about three strings 36.6, and this is 2.2 for each string; it grows without limit with the number
        of reports.
        """
        return log_up((2 / exact(self.f) - 1) ** (2 * self.hashes))

    def exposure(self, reports: int) -> float:
        r"""Of this many reports, all read off one permanent response: `epsilon` for one.

        A bit that shows t ones among T reports has the likelihood ratio

        .. math:: \frac{(1-f/2)\,q^t(1-q)^{T-t} + (f/2)\,p^t(1-p)^{T-t}}
                       {(f/2)\,q^t(1-q)^{T-t} + (1-f/2)\,p^t(1-p)^{T-t}},

        which grows with t.  Two filters with h bits each and none in common are told apart best by T ones in the bits
        of the one and none in those of the other: with r(t) the logarithm, ε = h {r(T) − r(0)}.  It grows with T to
        `lifetime_epsilon`.  Without a memory it would be T times `epsilon`, which is at least as much.

        Parameters
        ----------
        reports : int, at least 1
            T.
        """
        times, flip = check_count(reports, 1, "reports"), Fraction(self.f) / 2
        p, q = Fraction(self.p), Fraction(self.q)
        ratio = Fraction(1)
        for a in p / q, (1 - q) / (1 - p):
            one, zero = _support(flip, _power(a, times), Fraction(1))  # a smaller power can only add to ε
            ratio *= one / zero
        return log_up(ratio**self.hashes)

    # -------------------------------------------------------------------------------------------------- client

    @property
    def state_dtype(self) -> np.dtype[np.void]:
        """Layout of what a client keeps."""
        return np.dtype([("cohort", np.int64), ("permanent", np.bool_, (self.bits,))])

    @property
    def layout(self) -> Layout:
        """A public cohort, and the bits of a filter."""
        return {"cohort": (np.int64, self.cohorts), "bits": (np.bool_, 2, self.bits)}

    def memoise(self, values: ArrayLike | Sequence[Name], *, rng: Randomness) -> Kept:
        """Draw each person's cohort and permanent response: what a client keeps; only the cohort is public.

        One call per person and period: a second one on the same value would average the permanent noise away, and a
        second one on another value would tell when the value changed.

        Parameters
        ----------
        values : array_like of int or str (n,)
        rng : numpy.random.Generator, SystemRandom or Paths

        Returns
        -------
        Kept
            Rows have the fields ``cohort`` and ``permanent``.
        """
        named = self._values(values)
        check_people(named)
        cohort, cells = self._assign(named, rng)
        state = np.empty(len(cohort), self.state_dtype)
        state["cohort"] = cohort
        for some in blocks(len(cohort), BLOCK):
            bloom = np.zeros_like(state["permanent"][some])
            bloom[np.arange(len(bloom))[:, None], cells[some]] = True
            state["permanent"][some] = bloom ^ bernoulli(inexact(self.flip), bloom.shape, rng)
        return Kept(self, state)

    def respond(self, kept: Kept, *, rng: Randomness) -> Reports:
        """Draw one report from each state, as often as one likes: (n,) with the fields ``cohort`` and ``bits``.

        What that reveals is `exposure`.  A state that another mechanism has drawn is refused.
        """
        if not isinstance(kept, Kept) or kept.mechanism != self:
            other = getattr(kept, "mechanism", type(kept).__name__)
            raise ValueError(f"kept must be drawn by `memoise` of {self}, got one of {other}")
        state = check_fields(kept.rows, self.state_dtype, "kept")
        check_codes(state["cohort"], self.cohorts, "cohort")
        check_bits(state["permanent"], "permanent")
        p, q = (float(x) for x in self.instantaneous)
        reports = np.empty(len(state), self.dtype)
        reports["cohort"] = state["cohort"]
        for some in blocks(len(state), BLOCK):
            permanent = state["permanent"][some]
            reports["bits"][some] = bernoulli(np.where(permanent, q, p), permanent.shape, rng)
        return reports

    def _perturb(self, values: list[Name], rng: Randomness) -> Reports:
        """Draw one report a person from a fresh state."""
        return self.respond(self.memoise(values, rng=rng), rng=rng)

    # -------------------------------------------------------------------------------------------------- server

    width = property(attrgetter("bits"), doc="Length of a filter.")

    def _counted(self, reports: Reports) -> Ints:
        cohort = reports["cohort"]
        order, ends = np.argsort(cohort, kind="stable"), np.cumsum(np.bincount(cohort, minlength=self.cohorts))
        return np.array([reports["bits"][group].sum(0, dtype=np.int64) for group in np.split(order, ends[:-1])])

    def _drawn(self, own: Ints, people: Ints, rng: Randomness) -> Ints:
        q, p = (float(s) for s in self.support)
        return binomial(own, q, own.shape, rng) + binomial(people[:, None] - own, p, own.shape, rng)

    def _forged(self, g: Floats, nothing: Floats, targets: int) -> float:
        return best_bits(g.T, nothing, targets)

    def _spread(self, g: Floats) -> tuple[Floats, Floats]:
        """Bits are independent: Σ_b g² q*(1−q*) or Σ_b g² p*(1−p*)."""
        q, p = self.support
        one, zero = (float(s * (1 - s) / (q - p) ** 2) for s in (q, p))
        square = np.square(g)
        return zero * square.sum(0), (one - zero) * square

    @classmethod
    def example(cls) -> list[Example]:
        """One hash function; the permanent response alone; two hash functions."""
        return [
            cls(bits=2, hashes=1, cohorts=2, f=0.4, p=0.5, q=0.75)._tell_apart([0, 2, 1000]),
            cls(bits=3, hashes=1, cohorts=3, f=0.3, p=0, q=1)._tell_apart(["0", "1", "2", "x0"]),
            cls(bits=4, hashes=2, cohorts=2, f=0.5, p=0.5, q=0.75)._tell_apart(["0", "2", "3", "x0"]),
        ]


def one_time(*, bits: int, hashes: int, cohorts: int, epsilon: float) -> RAPPOR:
    r"""RAPPOR that sends its permanent response itself (O-RAPPOR), for a given ε: all reports are one and the same.

    :math:`f = 2/(1 + e^{\varepsilon/2h})`, rounded up, p = 0 and q = 1.  With one hash function and a filter that has a
    bit for every item it would be `unary.SUE`.

    Source: Kairouz, Bonawitz and Ramage 2016; ye2018 §4.1.1.

    Parameters
    ----------
    bits, hashes, cohorts : int, at least 1
    epsilon : float
        `RAPPOR.epsilon` and `RAPPOR.lifetime_epsilon` of what is returned are at most this, and next to it.
    """
    share = Fraction(check_epsilon(epsilon)) / (2 * check_count(hashes, 1, "hashes", HASHES_MAX))
    return RAPPOR(bits=bits, hashes=hashes, cohorts=cohorts, f=2 * round_up(1 / (odds(share) + 1)), p=0, q=1)


@dataclass(frozen=True, kw_only=True)
class ORR(Hashed):
    r"""O-RR: hash the value into one of k slots by the public hash function of one's cohort, then k-RR over the slots.

    Given the cohort the law is that of k-RR, :math:`e^\varepsilon/(e^\varepsilon+k-1)` for the value's slot and
    :math:`1/(e^\varepsilon+k-1)` for any other; the joint law of cohort and slot has a factor 1/C, which is public and
    cancels in every ratio.

    The k cells of a cohort sum to one in every filter.  So X has at most rank C(k−1) + 1, and no more candidates can
    be told apart.  Counting, estimate and noise are those of `Hashed`; a report counts one slot.

    Source: Kairouz, Bonawitz and Ramage 2016; ye2018 §4.1.1.

    Reports have the fields ``cohort`` (public) and ``slot``, (n,).

    Parameters
    ----------
    k : int, at least 2
        Number of slots.
    cohorts : int, at least 1
        C.
    epsilon : float
        A bound for all values, attained by two that have different slots in some cohort.

    Examples
    --------
    >>> urls = ORR(k=16, cohorts=8, epsilon=2.0)
    >>> reports = urls.perturb(["a.org", "a.org", "b.org"] * 5000, rng=np.random.default_rng(0))
    >>> urls.estimate(urls.tally(reports, ["a.org", "b.org", "c.org"])).round(2)
    array([0.64, 0.33, 0.01])
    """

    k: int
    cohorts: int
    epsilon: float
    hashes = 1
    label = "O-RR"
    errors = "ldpnb.decode"
    limits: ClassVar[Mapping[str, Limit]] = {"k": (2, SIZE_MAX), "epsilon": check_epsilon}

    width = property(attrgetter("k"), doc="Number of slots.")
    support = property(attrgetter("slots.support"), doc="(q*, p*): chance of the value's own slot, and of another one.")

    @cached_property
    def slots(self) -> GRR:
        """The oracle over slots that protects the report."""
        return GRR(k=self.k, epsilon=self.epsilon)

    @property
    def realised_epsilon(self) -> float:
        """That of the oracle over slots, for all public parts under which two values have different slots."""
        return self.slots.realised_epsilon

    @property
    def layout(self) -> Layout:
        """A public cohort, and a slot."""
        return {"cohort": (np.int64, self.cohorts), "slot": (np.int64, self.k)}

    def _perturb(self, values: list[Name], rng: Randomness) -> Reports:
        cohort, cells = self._assign(values, rng)
        reports = np.empty(len(cohort), self.dtype)
        reports["cohort"], reports["slot"] = cohort, self.slots.perturb(cells[:, 0], rng=rng)
        return reports

    def _counted(self, reports: Reports) -> Ints:
        cells = reports["cohort"] * self.k + reports["slot"]
        return np.bincount(cells, minlength=self.cohorts * self.k).reshape(self.cohorts, -1)

    def _drawn(self, own: Ints, people: Ints, rng: Randomness) -> Ints:
        kept = binomial(own, inexact(self.slots.keep), own.shape, rng)
        return kept + scatter(people - kept.sum(-1), self.k, rng)

    def _forged(self, g: Floats, nothing: Floats, targets: int) -> float:
        return largest_sum(g + nothing, targets)

    def _spread(self, g: Floats) -> tuple[Floats, Floats]:
        """One slot a report, hence the variance of the weight of one draw, which each filter's one slot chooses."""
        weights = g.reshape(self.cohorts, self.k, -1).swapaxes(1, 2)
        return np.zeros(g.shape[1]), self.slots.linear_variance(weights).swapaxes(1, 2).reshape(g.shape)

    @classmethod
    def example(cls) -> list[Example]:
        """Integers, and strings, as many as the slots tell apart."""
        return [
            cls(k=3, cohorts=2, epsilon=1.0)._tell_apart([0, 1, 1000]),
            cls(k=2, cohorts=3, epsilon=3.0)._tell_apart(["0", "1", "2", "4", "x0"]),
        ]


def _support(flip: Fraction, p: Fraction, q: Fraction) -> tuple[Fraction, Fraction]:
    return (1 - flip) * q + flip * p, flip * q + (1 - flip) * p


def _odds_ratio(q: Fraction, p: Fraction) -> Fraction:
    return q * (1 - p) / (p * (1 - q))


def _power(base: Fraction, times: int) -> Fraction:
    """Return a power of a number in [0, 1] by squaring, rounded down at each step: whole, it has millions of digits."""
    found = base
    if times > 1:
        half = _power(base, times // 2)
        found = half * half * (base if times % 2 else 1)
    return Fraction(floor(found * 2**DIGITS), 2**DIGITS)
