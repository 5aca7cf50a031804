"""Key–value data: which keys people hold, and the mean of each key's values among its holders.

Everybody holds some of d keys, each with a value in [−1, 1].  All mechanisms here are *signed
ternary*: a value becomes a sign, and a report answers for each key that it is *asked* about with +,
− or nothing.  The probabilities are

    α = P(+ | the answer is about a pair of sign +),
    β = P(− | the answer is about a pair of sign +),
    γ = P(+ | the answer is about no pair of this key),

and the same with + and − exchanged.  A report is asked about a key with probability a, and its
answer is then about a holder's own pair with probability u.  With n₊ and n₋ counted answers, N
reports asked about the key, T = α+β−2γ, D = α−β, and w the largest a·u,

    frequency            f̂ = (n₊ + n₋ − 2γN) / (n T w),      each person contributes t = a·u/w,
    frequency × mean     ŝ = (n₊ − n₋) / (n D w),            each person contributes s = a·u·v/w,

both linear.  With u = 0 for a person who does not hold the key, an answer is + or − with
probability b + uT, b = 2γ, and + is likelier than − by uvD.  So the two scores of one person have

    variances     ab(1−b)/(Tw)² + t(1−2b)/(Tw) − t²     and     ab/(Dw)² + tT/(D²w) − s²,
    covariance    s(1−b)/(Tw) − ts.

The question, the sign and the draw of one pair among several are all within.  The mean of a key is
the ratio ŝ/f̂, which is not linear: see `mean_of`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness, binomial, inexact
from ldpnb.checks import check_count, check_numbers, check_people
from ldpnb.core import Bools, Example, Floats, Ints, Items, Mechanism, Tally, named
from ldpnb.keyvalue.population import FEW, Holdings, check_holdings, check_pairs, entries
from ldpnb.records import Records

BLOCK = 2**22  # classes times trials simulated at a time, in 32 MB
AnswerLaw = tuple[Fraction, Fraction, Fraction]  # α, β and γ


@dataclass(frozen=True, eq=False)
class Spread:
    """How far estimates scatter.

    Attributes
    ----------
    variance : ndarray (…, 2, d)
        Of the estimates of frequency and frequency × mean.
    covariance : ndarray (…, d)
        Between the two.
    rare : float or ndarray (…, d)
        Variance of the frequency estimate of a key that nobody holds.
    """

    variance: Floats
    covariance: Floats
    rare: float | Floats


@dataclass(frozen=True, eq=False)
class Held:
    """Pairs that people hold.

    Attributes
    ----------
    users, columns : ndarray of int64 (pairs,)
        Person and column of the key.
    u, v : ndarray (pairs,)
        Probability that an answer about the key is about this pair, and its value.
    shape : tuple of int
        Number of people and of keys.
    """

    users: Ints
    columns: Ints
    u: Floats
    v: Floats
    shape: tuple[int, int]

    def dense(self, x: Floats) -> Floats:
        """Write a number of each pair as a matrix, zero where a key is not held: (n, d)."""
        matrix = np.zeros(self.shape)
        matrix[self.users, self.columns] = x
        return matrix


class SignedTernary(Mechanism):
    """Base of the signed ternary mechanisms: a subclass adds its client, its count, and α, β, γ.

    It gives `answer`, `realised_epsilon`, `layout`, `_perturb` and `_count`, and a field `d`, the
    number of keys, {0, …, d − 1}.  It gives `asked` if a report does not speak of all keys, and
    `used` if a holder's answer is not always about the own pair.  If the client does not know the
    keys, it has no `d`, and gives `_values`, `_held`, `_check_population` and `_example`, too.

    Values are `Records` with values in [−1, 1].  Tallies count (d, 3): answers −, nothing and + for
    each of d keys.
    """

    if TYPE_CHECKING:  # a field of all mechanisms but `WheelKV`

        @property
        def d(self) -> int:
            """Number of keys."""

    # ---------------------------------------------------------------- what a subclass must give

    @property
    @abstractmethod
    def answer(self) -> AnswerLaw:
        """(α, β, γ): chance of + and of − about a pair of sign +, and of + about no pair."""

    @property
    def asked(self) -> float:
        """Probability a that a report is asked about a key; one where it speaks of all keys."""
        return 1.0

    def used(self, sizes: Ints) -> Floats:
        """Probability u that a holder's answer is about the own pair, for records of these sizes.

        One, unless a mechanism says otherwise: a holder who is asked answers with the pair.
        """
        return np.ones(len(sizes))

    @property
    def w(self) -> float:
        """Probability a·u that a pair of a short record is asked about and used."""
        return self.asked * inexact(self.used(np.array([1]))[0])

    @property
    def _gains(self) -> tuple[float, float, float]:
        """T = α + β − 2γ and D = α − β, which estimates are divided by, and b = 2γ."""
        alpha, beta, gamma = self.answer
        return inexact(alpha + beta - 2 * gamma), inexact(alpha - beta), inexact(2 * gamma)

    # ------------------------------------------------------------------------ values and target

    def _values(self, values: Records) -> Records:
        return check_pairs(values, self.d)

    def _held(self, values: Records) -> Held:
        """Return the pairs that people hold; of candidates, if the client knows no keys."""
        records = self._values(values)
        users = records.users
        u = self.used(records.sizes)[users]
        return Held(users, records.keys, u, entries(records), (len(records), self.d))

    def expected(self, values: Records, items: Items = None) -> Floats:
        """a·u/w and a·u·v/w for keys the person holds, zero for others: (n, 2, d).

        Only a client that does not know the keys has candidates, `items`; here and below.
        """
        held = self._held(values, *named(items))
        t, s, *_ = self._moments(held)
        return np.stack([held.dense(t), held.dense(s)], 1)

    def _moments(self, held: Held) -> tuple[Floats, ...]:
        """t, s, t², s² and ts of each pair that is held."""
        t = held.u * (self.asked / self.w)
        s = t * held.v
        return t, s, t * t, s * s, t * s

    # -------------------------------------------------------------------------------- the server

    def _score(self, tally: Tally) -> Floats:
        """Estimate frequency and frequency × mean of each key: (…, 2, d)."""
        minus, _, plus = np.moveaxis(tally.counts, -1, 0)
        t, d, b = self._gains
        frequency = (plus + minus - b * tally.counts.sum(-1)) / t
        product = (plus - minus) / d
        return np.stack([frequency, product], -2) / (tally.n * self.w)

    def _squares(self, tally: Tally) -> Floats:
        """Mean squares of both scores, 0 for a report that is not asked about the key."""
        minus, none, plus = np.moveaxis(tally.counts, -1, 0)
        t, d, b = self._gains
        frequency = ((plus + minus) * (1 - b) ** 2 + none * b**2) / t**2
        product = (plus + minus) / d**2
        return np.stack([frequency, product], -2) / (tally.n * self.w**2)

    @property
    def _state_scores(self) -> Floats:
        """Scores of frequency and of frequency × mean of an answer −, nothing or +: (2, 3)."""
        t, d, b = self._gains
        frequency = np.array([1 - b, -b, 1 - b]) / t
        product = np.array([-1.0, 0.0, 1.0]) / d
        return np.stack([frequency, product]) / self.w

    def _contrast_of_independent(self, tally: Tally, weights: Floats) -> Floats:
        """Mean squared weighted sum of scores that are uncorrelated, squares and all: (…).

        So are those of different keys if a report is about one pair at most, of one key, and
        answers about other keys are blind: of two scores, one has mean 0, whatever the other is.
        """
        each = np.square(weights.T @ self._state_scores)  # (d, 3)
        return np.asarray((tally.counts * each).sum((-2, -1)) / tally.n)

    # ------------------------------------------------------------------ variance and covariance

    def variance(self, values: Records, items: Items = None) -> Floats:
        """Variances of a person's two scores for each key: (n, 2, d)."""
        return self._each(values, items).variance

    def covariance(self, values: Records, items: Items = None) -> Floats:
        """Covariance of a person's two scores for each key, s(1−2γ)/(Tw) − ts: (n, d).

        Cov[estimates] = covariance.sum(0) / n² for any population.
        """
        return self._each(values, items).covariance

    def _each(self, values: Records, items: Items) -> Spread:
        """Return how far the two scores of each person scatter (see the head of this module)."""
        held = self._held(values, *named(items))
        return self._spread(np.stack([held.dense(x) for x in self._moments(held)]))

    def spread(self, values: Records, items: Items = None) -> Spread:
        """Exact variances and covariances of the estimates from this population."""
        held = self._held(values, *named(items))
        people, d = held.shape
        check_people(range(people))
        # without a matrix of people and keys
        sums = [np.bincount(held.columns, x, d) for x in self._moments(held)]
        return self._spread(np.stack(sums) / people, people)

    def plug_in(self, estimate: ArrayLike, n: int) -> Spread:
        """Variances and covariances as a collector can tell them, who has only the estimate.

        The formulas of `spread` at the nearest possible shares: f̂ clipped to [0, 1], ŝ to [−f̂, f̂].
        They also ask for the mean square of a key's values, M₂, which no report tells.  It is at
        least m², where ŝ scatters most, and m² is what is taken here: at the true shares, the
        variance of ŝ comes out too large by f(M₂ − m²)/n.  Records that are padded and sampled are
        taken to be no longer than ℓ; longer ones add at most f(1−f)/n to either variance.

        Parameters
        ----------
        estimate : array_like (…, 2, d)
        n : int
            Number of reports.
        """
        return self._spread(possible_moments(estimate), check_count(n, 1, "n"))

    def _spread(self, moments: Floats, n: int = 1, asked: float | None = None) -> Spread:
        """Spread of a mean of n scores, from the means of t, s, t², s² and ts: (5, …, d).

        With `asked`, as if a report were asked about a key with this probability.
        """
        t, s, tt, ss, ts = moments
        a = self.asked
        w = self.w
        if asked is not None:
            w = w * asked / a
            a = asked
        gain, d, b = self._gains
        tw = gain * w
        dw = d * w
        rare = a * b * (1 - b) / tw**2
        frequency = rare + t * (1 - 2 * b) / tw - tt
        product = a * b / dw**2 + t * tw / dw**2 - ss
        variance = np.stack([frequency, product], -2) / n
        covariance = (s * (1 - b) / tw - ts) / n
        return Spread(variance, covariance, rare / n)

    # -------------------------------------------------------------------------------- simulation

    def simulate_marginals(self, population: Holdings, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population, exact for each key alone.

        They are good for mean-square errors, and wrong for top lists and maxima.

        Parameters
        ----------
        population : Holdings
            With sizes, if some records are longer than what a report speaks of, or if they are
            padded and sampled.
        trials : int
        rng : numpy.random.Generator or Paths

        Returns
        -------
        Tally
            Counts (trials, d, 3).
        """
        alpha, beta, gamma = (float(x) for x in self.answer)
        minus = np.array([alpha, gamma, beta])
        plus = np.array([beta, gamma, alpha])
        check_holdings(population)
        asked = self.ask(population, check_count(trials, 1, "trials"), rng)
        items = None
        if not self.needs_list:
            items = tuple(range(population.d))
        return Tally(self, population.n, tell(asked, minus, plus, rng), items)

    def ask(self, population: Holdings, trials: int, rng: Randomness) -> Ints:
        """Count the answers about each key that are about −, none or + of the own: (trials, d, 3).

        Raises
        ------
        ValueError
            If the population has other keys, or no sizes where they matter.
        """
        self._check_population(population)
        block = max(1, BLOCK // max(1, len(population.values)))
        parts = []
        for start in range(0, trials, block):
            part = min(block, trials - start)
            parts.append(self._own_pairs(population, part, rng))
        states = np.concatenate(parts)
        return binomial(states, self.asked, states.shape, rng)

    def _check_population(self, population: Holdings) -> None:
        if population.d != self.d:
            raise ValueError(f"population must have d = {self.d} keys, got {population.d}")

    def _own_pairs(self, population: Holdings, trials: int, rng: Randomness) -> Ints:
        """How many people would answer with −, none or + of their own, if asked: (trials, d, 3)."""
        used = population.counts
        shape = (trials, len(used))
        if population.sizes is not None:
            used = binomial(used, self.used(population.sizes), shape, rng)
        positive = binomial(used, (1 + population.values) / 2, shape, rng)
        plus = population.by_key(positive)
        own = population.by_key(used)
        none = np.broadcast_to(population.n - own, plus.shape)
        return np.stack([own - plus, none, plus], -1)

    def _example(self) -> Example:
        return Example(self, FEW[self.d], pairs=self.d + self.report_bits < 6)


class KnownKeys(ABC):
    """Name of 1.0.0 for the mechanisms whose client knows the keys: `isinstance` tells."""

    d: int

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return issubclass(kind, SignedTernary) and kind.needs_list


def tell(states: Ints, minus: Floats, plus: Floats, rng: Randomness) -> Ints:
    """Draw answers −, nothing and + of people in three states, with these chances of − and +."""
    low = binomial(states, minus, states.shape, rng)
    high = binomial(states - low, plus / (1 - minus), states.shape, rng)
    none = states - low - high
    return np.stack([low.sum(-1), none.sum(-1), high.sum(-1)], -1)


# ------------------------------------------------------------------------ means, from estimates


@dataclass(frozen=True, eq=False)
class Means:
    """Ratios ŝ/f̂ and what the delta method says of them, (…, d) each.

    Attributes
    ----------
    mean : ndarray
        The ratio itself, not clipped; infinite or NaN where f̂ is 0.
    error : ndarray
        Standard error to first order, √(V_s − 2mC + m²V_f) / f.
    bias : ndarray
        Bias to second order, (mV_f − C) / f².
    reliable : ndarray of bool
        Whether f̂ is more than three standard errors of a key that nobody holds.  Where it is not,
        the ratio may be anything, and neither `error` nor `bias` means much.
    """

    mean: Floats
    error: Floats
    bias: Floats
    reliable: Bools


def mean_of(estimate: ArrayLike, spread: Spread) -> Means:
    """Mean of each key's values among its holders: a ratio of estimates, with its error and bias.

    Parameters
    ----------
    estimate : array_like (…, 2, d)
        Frequency and frequency × mean.
    spread : Spread
        From `SignedTernary.plug_in`, or exact from `SignedTernary.spread`.
    """
    f, s = _two_parts(estimate)
    if not isinstance(spread, Spread):
        raise ValueError(f"spread must be a Spread, got {type(spread).__name__}")
    var_f, var_s = np.moveaxis(spread.variance, -2, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        m = s / f
        # of the numerator ŝ − m f̂; negative by rounding only
        square = np.maximum(var_s - 2 * m * spread.covariance + m**2 * var_f, 0)
        error = np.sqrt(square) / np.abs(f)
        bias = (m * var_f - spread.covariance) / f**2
    return Means(m, error, bias, f > 3 * np.sqrt(spread.rare))


def clipped_mean(estimate: ArrayLike, n: int) -> Floats:
    """Mean of each key, made possible: f̂ clipped to [1/n, 1], then the ratio to [−1, 1]: (…, d).

    It is biased.

    Parameters
    ----------
    estimate : array_like (…, 2, d)
        Frequency and frequency × mean.
    n : int
        Number of reports.
    """
    f, s = _two_parts(estimate)
    possible = np.clip(f, 1 / check_count(n, 1, "n"), 1)
    return np.asarray(np.clip(s / possible, -1, 1))


def possible_moments(estimate: ArrayLike) -> Floats:
    """Means of t, s, t², s² and ts at the nearest possible shares, (5, …, d).

    See `SignedTernary.plug_in`.
    """
    f, s = _two_parts(estimate)
    f = np.clip(f, 0, 1)
    s = np.clip(s, -f, f)
    return np.stack([f, s, f, s * s / np.where(f > 0, f, 1), s])


def _two_parts(estimate: ArrayLike) -> tuple[Floats, Floats]:
    """Return frequency and frequency × mean, checked: (…, d) both."""
    found = check_numbers(estimate, "estimate")
    if found.ndim < 2 or found.shape[-2] != 2:
        rule = "estimate must be frequency and frequency × mean, (…, 2, d)"
        raise ValueError(f"{rule}, got shape {found.shape}")
    return found[..., 0, :], found[..., 1, :]
