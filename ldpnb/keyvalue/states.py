"""State encodings: mechanisms that perturb the state of one public key, or of all keys.

A key has three states for a person: 0 (held, sign −), 1 (not held) and 2 (held, sign +).

They are rows of the calculus of `ldpnb.keyvalue.ternary`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
from ldpnb.asked import Asked, AsksSome
from ldpnb.chance import Randomness, exact, odds, round_down, uniform
from ldpnb.checks import SIZE_MAX, Limit, check_count, check_epsilon
from ldpnb.core import Bools, Floats, Ints, Layout, Reports, Tally
from ldpnb.keyvalue.population import discretise, entries, signs
from ldpnb.keyvalue.ternary import AnswerLaw, SignedTernary, Spread, possible_moments
from ldpnb.oracles.base import Support, keep_or_blind
from ldpnb.oracles.grr import GRR
from ldpnb.records import Records


@dataclass(frozen=True, kw_only=True)
class SampledKey(SignedTernary, AsksSome):
    """One public key, drawn uniformly, and a state for it that was perturbed: a = w = 1/d.

    Dividing by the expected number n/d of reports about a key, not by their number N, keeps the estimate linear.  The
    other quotient, `estimate_of_asked`, has less noise: whose question it was is no noise then (`ldpnb.asked`).
    `of_asked` has the covariances, too.

    Reports have the fields ``key`` (public) and ``state``, (n,).
    """

    d: int
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, SIZE_MAX)}
    public_fields: ClassVar[tuple[str, ...]] = ("key",)

    @property
    def asked(self) -> float:
        """1/d."""
        return 1 / self.d

    @property
    def layout(self) -> Layout:
        """A public key, and a state."""
        return {"key": (np.int64, self.d), "state": (np.int64, 3)}

    def of_asked(self, tally: Tally) -> tuple[Floats, Spread]:
        r"""Estimate from the numbers N of people who were asked about each key, and say how far that scatters.

        In counts :math:`M_0, M_1, M_2` of −, nothing and +, whose sum is N,

        .. math:: \hat f = \frac{(M_0 + M_2)/N - 2\gamma}{\alpha+\beta-2\gamma}, \qquad
           \hat s = \frac{(M_2 - M_0)/N}{\alpha-\beta}.

        Whoever is asked about a key is a random sample of all people: given N, both are unbiased for these people, with
        1/N of the variance of one answer and (1 − (N−1)/(n−1))/N of the variance of what people have.

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
        return estimate, self._given(possible_moments(estimate), tally.counts.sum(-1), tally.n)

    def _numbers_asked(self, tally: Tally) -> Ints:
        """Count the reports about each key: (…, 1, d)."""
        return np.asarray(tally.counts.sum(-1)[..., None, :])

    def _contrast_parts(self, tally: Tally, weights: Floats) -> Asked:
        """Of the two scores of a state, for those who were asked about each key."""
        numbers = tally.counts.sum(-1)
        scores = weights.T @ self._state_scores * self.asked  # of one answer, among those asked: (d, 3)
        with np.errstate(invalid="ignore", divide="ignore"):
            sums = (tally.counts * scores).sum(-1) / numbers
            squares = (tally.counts * scores**2).sum(-1) / numbers
        return Asked(numbers, sums, squares, np.full(numbers.shape, np.nan))

    def _questions_of(self, weights: Floats) -> Ints:
        return np.flatnonzero(weights.any(0))

    def plug_in_of_asked(self, estimate: ArrayLike, n: int) -> Spread:
        """Spread of `of_asked` at the nearest possible shares (see `plug_in`), if N = n/d are asked about each key.

        That is before anybody was asked; n is taken to be much larger than d.

        Parameters
        ----------
        estimate : array_like (…, 2, d)
        n : int
            Number of people.
        """
        moments, people = possible_moments(estimate), check_count(n, 1, "n")
        one, (t, s, tt, ss, ts) = self._spread(moments, asked=1.0), moments
        scatter = np.stack([tt - t * t, ss - s * s], -2)
        variance = self.d * one.variance + (self.d - 1) * scatter
        covariance = self.d * one.covariance + (self.d - 1) * (ts - t * s)
        return Spread(variance / people, covariance / people, self.d * one.rare / people)

    def _given(self, moments: Floats, asked: Ints, n: int) -> Spread:
        """Spread of an estimate from the people who were asked, out of n; from the means of t, s, t², s² and ts."""
        one, (t, s, tt, ss, ts) = self._spread(moments, asked=1.0), moments
        left = (1 - (asked - 1) / max(1, n - 1)) / asked
        variance = one.variance / asked[..., None, :] + np.stack([tt - t * t, ss - s * s], -2) * left[..., None, :]
        return Spread(variance, one.covariance / asked + (ts - t * s) * left, one.rare / asked)

    @abstractmethod
    def _respond(self, held: Bools, values: Floats, rng: Randomness) -> Ints:
        """Draw the states to report, 0, 1 or 2: (n,).

        Given are whether each person holds the key that was drawn, and its value, 0 if not: (n,) both.
        """

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        keys, held, own = self._draw(values, rng)
        return self._report(keys, self._respond(held, own, rng))

    def _draw(self, values: Records, rng: Randomness) -> tuple[Ints, Bools, Floats]:
        """Draw a key for each person, and see whether it is held, and its value, 0 if not: (n,) each."""
        keys, users = uniform(self.d, (len(values),), rng), values.users
        at = values.keys == keys[users]
        held, own = np.zeros(len(values), np.bool_), np.zeros(len(values))
        held[users[at]], own[users[at]] = True, entries(values)[at]
        return keys, held, own

    def _report(self, keys: Ints, states: Ints) -> Reports:
        reports = np.empty(len(keys), self.dtype)
        reports["key"], reports["state"] = keys, states
        return reports

    def _count(self, reports: NDArray[Any]) -> Ints:
        """Count the states of each key, (d, 3)."""
        return np.bincount(3 * reports["key"] + reports["state"], minlength=3 * self.d).reshape(self.d, 3)


@dataclass(frozen=True, kw_only=True)
class StateEncoding(SampledKey):
    r"""State encoding (the client of KVUE): one public key, drawn uniformly, and its state through k-RR over three.

    :math:`\alpha = e^\varepsilon/(e^\varepsilon+2)` and :math:`\beta = \gamma = 1/(e^\varepsilon+2)`.

    Source: sun2021 §3.1.

    Reports have the fields ``key`` (public) and ``state``, (n,).

    Parameters
    ----------
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
    tried = [{"d": 2, "epsilon": 1.0}, {"d": 3, "epsilon": 0.3}, {"d": 1, "epsilon": 4.0}]
    limits: ClassVar[Mapping[str, Limit]] = {"epsilon": check_epsilon}

    @cached_property
    def states(self) -> GRR:
        """The oracle over states that protects the report."""
        return GRR(k=3, epsilon=self.epsilon)

    support = property(attrgetter("states.support"), doc="(p*, q*) of the oracle over states.")

    @property
    def answer(self) -> AnswerLaw:
        """(p, q, q)."""
        p, q = self.support
        return p, q, q

    realised_epsilon = property(attrgetter("states.realised_epsilon"), doc="That of the oracle, for every key.")

    def _respond(self, held: Bools, values: Floats, rng: Randomness) -> Ints:
        return self.states.perturb(1 + held * discretise(values, rng, used=held), rng=rng)


@dataclass(frozen=True, kw_only=True)
class StateEncodingSplit(SignedTernary):
    r"""The states of all d keys, each through k-RR over three at ε/d: for comparison with `StateEncoding`.

    sun2021 leaves open whether a person sends one key or all; one is what its bandwidth (Table 2) and the code of KVUE
    say, and at small ε it is better: noise here grows with d², there with d.  :math:`a = w = 1`.

    Reports are states, int (n, d).

    Parameters
    ----------
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
    tried = [{"d": 2, "epsilon": 1.0}, {"d": 1, "epsilon": 0.3}]
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, SIZE_MAX), "epsilon": check_epsilon}
    server_cost = "report and item"

    @cached_property
    def keep(self) -> Fraction:
        """Probability of answering with the state, before the blind draw; rounded down."""
        e = odds(exact(self.epsilon) / self.d)
        return exact(round_down((e - 1) / (e + 2)))

    @property
    def support(self) -> Support:
        """(keep + blind, blind): of the state of a key, and of any other."""
        keep = exact(self.keep)
        blind = (1 - keep) / 3
        return keep + blind, blind

    @property
    def answer(self) -> AnswerLaw:
        """(p, q, q)."""
        p, q = self.support
        return p, q, q

    @property
    def realised_epsilon(self) -> float:
        """d·ln(p*/q*), for two records that hold all keys with opposite signs."""
        p, q = self.support
        return chance.log(p / q, self.d)

    @property
    def layout(self) -> Layout:
        """A state for each key."""
        return {"": (np.int64, 3, self.d)}

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        shape, at = (len(values), self.d), (values.users, values.keys)
        return keep_or_blind(1 + signs(shape, at, entries(values), rng), self.keep, 3, rng)

    def _count(self, reports: Ints) -> Ints:
        """Count the states of each key, (d, 3)."""
        return np.stack([np.count_nonzero(reports == state, axis=0) for state in range(3)], -1)
