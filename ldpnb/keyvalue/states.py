"""State encodings: mechanisms that perturb the state of one public key, or of all keys.

A key has three states for a person: 0 (held, sign −), 1 (not held) and 2 (held, sign +), after a
value in [−1, 1] has become a sign with its mean.  All are signed ternary: see
`ldpnb.keyvalue.ternary`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import asked as people_asked, chance
from ldpnb.asked import Asked
from ldpnb.chance import Randomness, exact, odds, round_down, uniform
from ldpnb.checks import SIZE_MAX, Limit, check_count, check_epsilon
from ldpnb.core import Bools, Floats, Ints, Layout, Reports, Tally
from ldpnb.keyvalue.population import discretise, entries, signs
from ldpnb.keyvalue.ternary import AnswerLaw, SignedTernary, Spread, possible_moments
from ldpnb.oracles.base import Support, keep_or_blind
from ldpnb.oracles.grr import GRR
from ldpnb.records import Records


@dataclass(frozen=True, kw_only=True)
class SampledKey(SignedTernary):
    """Base of mechanisms that report a state for one public key, drawn uniformly: a = w = 1/d.

    A subclass gives `answer`, `realised_epsilon`, and `_respond`, which draws the states.

    Dividing by the expected number n/d of reports about a key, not by their number N, keeps the
    estimate linear.  The other quotient, `estimate_of_asked`, has less noise: whose question it was
    is no noise then (`ldpnb.asked`).  `of_asked` has the covariances, too.

    Reports have the fields ``key`` (public) and ``state``, (n,).
    Tallies count the states of each key, (d, 3).

    Parameters
    ----------
    d : int
        Number of keys, {0, …, d−1}.
    """

    d: int
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, SIZE_MAX)}
    public_fields = ("key",)

    @abstractmethod
    def _respond(self, held: Bools, values: Floats, rng: Randomness) -> Ints:
        """Draw the states to report, 0, 1 or 2: (n,).

        Given are whether each person holds the key that was drawn, and its value, 0 if not: (n,)
        both.
        """

    @property
    def asked(self) -> float:
        """1/d."""
        return 1 / self.d

    @property
    def layout(self) -> Layout:
        """A public key, and a state."""
        return {"key": (np.int64, self.d), "state": (np.int64, 3)}

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        keys, held, own = self._draw(values, rng)
        return self._report(keys, self._respond(held, own, rng))

    def _draw(self, values: Records, rng: Randomness) -> tuple[Ints, Bools, Floats]:
        """Draw a key for each person: the key, whether it is held, and its value, 0 if not."""
        users = values.users
        keys = uniform(self.d, (len(values),), rng)
        drawn = values.keys == keys[users]  # of all pairs
        held = np.zeros(len(values), np.bool_)
        held[users[drawn]] = True
        own = np.zeros(len(values))
        own[users[drawn]] = entries(values)[drawn]
        return keys, held, own

    def _report(self, keys: Ints, states: Ints) -> Reports:
        reports = np.empty(len(keys), self.dtype)
        reports["key"] = keys
        reports["state"] = states
        return reports

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports) -> Ints:
        """Count the states of each key, (d, 3)."""
        cells = 3 * reports["key"] + reports["state"]
        return np.bincount(cells, minlength=3 * self.d).reshape(self.d, 3)

    # ----------------------------------------------- estimates from the number who were asked

    def of_asked(self, tally: Tally) -> tuple[Floats, Spread]:
        r"""Estimate from the numbers N of people who were asked about each key, with its spread.

        In counts :math:`M_0, M_1, M_2` of −, nothing and +, whose sum is N,

        .. math:: \hat f = \frac{(M_0 + M_2)/N - 2\gamma}{\alpha+\beta-2\gamma}, \qquad
           \hat s = \frac{(M_2 - M_0)/N}{\alpha-\beta}.

        The people who are asked about a key are a random sample of all: given N, both are unbiased
        for these people, with 1/N of the variance of one answer and (1 − (N−1)/(n−1))/N of the
        variance of what people have.

        Parameters
        ----------
        tally : Tally
            In which somebody was asked about each key.

        Returns
        -------
        estimate : ndarray (…, 2, d)
            Frequency and frequency × mean.
        spread : Spread
            Given N, at the nearest possible shares (see `plug_in`); for `mean_of`.

        Raises
        ------
        ValueError
            If nobody was asked about a key.
        """
        estimate = self.estimate_of_asked(tally)
        asked = tally.counts.sum(-1)
        return estimate, self._given(possible_moments(estimate), asked, tally.n)

    def _given(self, moments: Floats, asked: Ints, n: int) -> Spread:
        """Spread of an estimate from those asked, out of n; from means of t, s, t², s² and ts."""
        t, s, tt, ss, ts = moments
        one = self._spread(moments, asked=1.0)  # of one answer
        left = (1 - (asked - 1) / max(1, n - 1)) / asked
        scatter = np.stack([tt - t * t, ss - s * s], -2)
        variance = one.variance / asked[..., None, :] + scatter * left[..., None, :]
        covariance = one.covariance / asked + (ts - t * s) * left
        return Spread(variance, covariance, one.rare / asked)

    def plug_in_of_asked(self, estimate: ArrayLike, n: int) -> Spread:
        """Spread of `of_asked` before anybody was asked, if N = n/d are asked about each key.

        It is that at the nearest possible shares (see `plug_in`); n is taken to be much larger than
        d.

        Parameters
        ----------
        estimate : array_like (…, 2, d)
        n : int
            Number of people.
        """
        moments = possible_moments(estimate)
        people = check_count(n, 1, "n")
        t, s, tt, ss, ts = moments
        one = self._spread(moments, asked=1.0)  # of one answer
        scatter = np.stack([tt - t * t, ss - s * s], -2)
        variance = self.d * one.variance + (self.d - 1) * scatter
        covariance = self.d * one.covariance + (self.d - 1) * (ts - t * s)
        return Spread(variance / people, covariance / people, self.d * one.rare / people)

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

    def _numbers_asked(self, tally: Tally) -> Ints:
        """Count the reports about each key: (…, 1, d)."""
        return np.asarray(tally.counts.sum(-1)[..., None, :])

    def _contrast_parts(self, tally: Tally, weights: Floats) -> Asked:
        """Cut the sum by keys, as each state of a key that was asked about adds to it."""
        numbers = tally.counts.sum(-1)
        scores = weights.T @ self._state_scores * self.asked  # of one answer, if asked: (d, 3)
        with np.errstate(invalid="ignore", divide="ignore"):
            sums = (tally.counts * scores).sum(-1) / numbers
            squares = (tally.counts * scores**2).sum(-1) / numbers
        return Asked(numbers, sums, squares, np.full(numbers.shape, np.nan))

    def _questions_of(self, weights: Floats) -> Ints:
        return np.flatnonzero(weights.any(0))


@dataclass(frozen=True, kw_only=True)
class StateEncoding(SampledKey):
    r"""State encoding (the client of KVUE): one public key, and its state through k-RR over three.

    The key is drawn uniformly.  :math:`\alpha = e^\varepsilon/(e^\varepsilon+2)` and
    :math:`\beta = \gamma = 1/(e^\varepsilon+2)`.

    Source: sun2021 §3.1.

    Reports have the fields ``key`` (public) and ``state``, (n,).
    Tallies count the states of each key, (d, 3).

    Parameters
    ----------
    d : int
        Number of keys, {0, …, d−1}.
    epsilon : float

    Examples
    --------
    >>> ratings = StateEncoding(d=3, epsilon=3.0)
    >>> people = Records.of(*[{0: 1.0}, {0: -0.5}, {2: 1.0}] * 5000)
    >>> reports = ratings.perturb(people, rng=np.random.default_rng(0))
    >>> ratings.estimate(ratings.tally(reports)).round(1)  # frequency, frequency × mean
    array([[ 0.7,  0. ,  0.3],
           [ 0.1, -0. ,  0.3]])
    """

    epsilon: float
    label = "SE"
    limits: ClassVar[Mapping[str, Limit]] = {"epsilon": check_epsilon}
    tried = [{"d": 2, "epsilon": 1.0}, {"d": 3, "epsilon": 0.3}, {"d": 1, "epsilon": 4.0}]

    @cached_property
    def states(self) -> GRR:
        """The k-RR over states, which alone protects the report."""
        return GRR(k=3, epsilon=self.epsilon)

    @property
    def support(self) -> Support:
        """(p, q) of the k-RR over states."""
        return self.states.support

    @property
    def answer(self) -> AnswerLaw:
        """(α, β, γ) = (p, q, q)."""
        p, q = self.support
        return p, q, q

    @property
    def realised_epsilon(self) -> float:
        """ε of the k-RR over states, for every key."""
        return self.states.realised_epsilon

    def _respond(self, held: Bools, values: Floats, rng: Randomness) -> Ints:
        own = 1 + held * discretise(values, rng, used=held)
        return self.states.perturb(own, rng=rng)


@dataclass(frozen=True, kw_only=True)
class StateEncodingSplit(SignedTernary):
    r"""All d states, each through k-RR over three at ε/d: for comparison with `StateEncoding`.

    sun2021 leaves open whether a person sends one key or all; one is what its bandwidth (Table 2)
    and the code of KVUE say, and at small ε it is better: noise here grows with d², there with d.
    :math:`a = w = 1`.

    Reports are states, int (n, d).  Tallies count the states of each key, (d, 3).

    Parameters
    ----------
    d : int
        Number of keys, {0, …, d−1}.
    epsilon : float
        For a whole record.

    Examples
    --------
    >>> ratings = StateEncodingSplit(d=3, epsilon=6.0)
    >>> people = Records.of(*[{0: 1.0}, {0: -0.5}, {2: 1.0}] * 5000)
    >>> reports = ratings.perturb(people, rng=np.random.default_rng(0))
    >>> ratings.estimate(ratings.tally(reports)).round(1)  # frequency, frequency × mean
    array([[ 0.7, -0. ,  0.3],
           [ 0.2, -0. ,  0.3]])
    """

    d: int
    epsilon: float
    label = "SE, all keys"
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, SIZE_MAX), "epsilon": check_epsilon}
    server_cost = "report and item"
    tried = [{"d": 2, "epsilon": 1.0}, {"d": 1, "epsilon": 0.3}]

    @cached_property
    def keep(self) -> Fraction:
        """Probability of keeping a state, (e^(ε/d) − 1)/(e^(ε/d) + 2), rounded down."""
        e = odds(exact(self.epsilon) / self.d)
        return exact(round_down((e - 1) / (e + 2)))

    @property
    def support(self) -> Support:
        """(p, q): p = keep + (1 − keep)/3, of the state of a key, and q = (1 − keep)/3."""
        keep = exact(self.keep)
        blind = (1 - keep) / 3
        return keep + blind, blind

    @property
    def answer(self) -> AnswerLaw:
        """(α, β, γ) = (p, q, q)."""
        p, q = self.support
        return p, q, q

    @property
    def realised_epsilon(self) -> float:
        """d·ln(p/q), for two records that hold all keys with opposite signs."""
        p, q = self.support
        return chance.log(p / q, self.d)

    @property
    def layout(self) -> Layout:
        """A state for each key."""
        return {"": (np.int64, 3, self.d)}

    def _perturb(self, values: Records, rng: Randomness) -> Ints:
        shape = len(values), self.d
        places = values.users, values.keys
        states = 1 + signs(shape, places, entries(values), rng)
        return keep_or_blind(states, self.keep, 3, rng)

    def _count(self, reports: Ints) -> Ints:
        """Count the states of each key, (d, 3)."""
        each = [np.count_nonzero(reports == state, axis=0) for state in range(3)]
        return np.stack(each, -1)
