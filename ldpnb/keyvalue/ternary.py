"""Key–value data: which keys people hold, and the mean of each key's values among its holders.

Everybody holds some of d keys, each with a value in [−1, 1].  All mechanisms here are *signed ternary*: a value becomes
a sign, and a report answers for each key it is *asked* about with +, − or nothing.  The probabilities are

    α = P(+ | the answer is about a pair of sign +),    γ = P(+ | it is about no pair of this key),
    β = P(− | the answer is about a pair of sign +),        the same with + and − exchanged,

a report is asked about a key with probability a, and its answer is then about a holder's own pair with probability u.
With n₊ and n₋ counted answers, N reports asked about the key, T = α+β−2γ, D = α−β, and w the largest a·u,

    frequency            f̂ = (n₊ + n₋ − 2γN) / (n T w),        each person contributes t = a·u/w,
    frequency × mean     ŝ = (n₊ − n₋) / (n D w),              each person contributes s = a·u·v/w,

both linear.  With u = 0 for a person who does not hold the key, an answer is + or − with probability b + uT, b = 2γ,
and is then + oftener than − by uvD.  So the two scores of one person have

    variances     ab(1−b)/(Tw)² + t(1−2b)/(Tw) − t²     and     ab/(Dw)² + tT/(D²w) − s²,
    covariance    s(1−b)/(Tw) − ts;

being asked, discretisation and the draw of one pair among several are all within.  The mean of a key is the ratio ŝ/f̂,
which is not linear: see `mean_of`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance, crowds
from ldpnb.chance import Randomness, bernoulli, binomial, exact, inexact, odds, round_down, uniform
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_codes,
    check_count,
    check_epsilon,
    check_fields,
    check_numbers,
    check_people,
    check_unit,
)
from ldpnb.core import Example, Mechanism, Records, Reports, Tally
from ldpnb.oracles.frequency import GRR

BLOCK = 2**22  # classes times trials simulated at a time, in 32 MB

FEW = {  # records of up to so many keys, for examples
    1: Records.of({0: 1.0}, {0: -1.0}, {}, {0: 0.75}),
    2: Records.of({0: 1.0}, {0: -1.0, 1: 1.0}, {1: -0.25}, {}, {0: 0.5, 1: -1.0}, {1: 1 / 3}),
    3: Records.of(
        {0: 1.0}, {0: -1.0, 1: 0.5, 2: 1.0}, {}, {2: -0.25, 1: -1.0}, {0: 0.0}, {0: 1.0, 1: 1.0, 2: 0.1}, {2: -1.0}
    ),
}


def discretise(values: ArrayLike, rng: Randomness) -> NDArray[np.int64]:
    """Draw a sign for each value v: +1 with probability (1+v)/2, otherwise −1, so that its mean is v.

    Exact for multiples of 2**-52; the mean of any other value is at most 2**-52 off.

    Source: sun2021 §3.1.

    Parameters
    ----------
    values : array_like of float in [−1, 1], (n,)
    rng : Generator, SystemRandom or Paths

    Returns
    -------
    ndarray of int64 (n,), 1 or −1
    """
    v = check_unit(values)
    return np.where(bernoulli((1 + v) / 2, v.shape, rng), 1, -1)


# ----------------------------------------------------------------------------------------------- the one calculus


@dataclass(frozen=True, eq=False)
class Spread:
    """How far estimates scatter.

    Attributes
    ----------
    variance : ndarray (…, 2, d)
        Of the estimates of frequency and frequency × mean.
    covariance : ndarray (…, d)
        Between the two.
    rare : float
        Variance of the frequency estimate of a key that nobody holds.
    """

    variance: NDArray[np.float64]
    covariance: NDArray[np.float64]
    rare: float


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

    users: NDArray[np.int64]
    columns: NDArray[np.int64]
    u: NDArray[np.float64]
    v: NDArray[np.float64]
    shape: tuple[int, int]

    def dense(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Write a number of each pair as a matrix, zero where a key is not held: (n, d)."""
        matrix = np.zeros(self.shape)
        matrix[self.users, self.columns] = x
        return matrix


@dataclass(frozen=True, kw_only=True)
class SignedTernary(Mechanism):
    """What all signed ternary mechanisms share; a subclass adds its client, its tally and its probabilities.

    Values are `Records` with values in [−1, 1].  Tallies count (d, 3): answers −, nothing and + for each of d keys.
    """

    @property
    @abstractmethod
    def answer(self) -> tuple[Fraction, Fraction, Fraction]:
        """(α, β, γ): chance of + and of − if the answer is about a pair of sign +, and of + if it is about no pair."""

    @property
    def asked(self) -> float:
        """Probability a that a report is asked about a key; one where it speaks of all keys."""
        return 1.0

    @abstractmethod
    def used(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Probability u that the answer about a key is about the holder's own pair, for records of these sizes."""

    @abstractmethod
    def _columns(self, d: int) -> tuple[int, ...] | None:
        """Return the candidates in a tally of a population with keys 0, …, d − 1: None where the client knows the keys.

        Raises a ValueError where the client knows another number of keys.
        """

    @property
    def w(self) -> float:
        """Probability a·u that a pair of a short record is asked about and used."""
        return self.asked * inexact(self.used(np.array([1]))[0])

    def _score(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate frequency and frequency × mean of each key: (…, 2, d)."""
        minus, nothing, plus = np.moveaxis(tally.counts, -1, 0)
        t, d, b = self._gains
        seen = plus + minus
        frequency = (seen - b * (seen + nothing)) / t
        return np.stack([frequency, (plus - minus) / d], -2) / (tally.n * self.w)

    def _expected(self, held: Held) -> NDArray[np.float64]:
        """a·u/w and a·u·v/w for keys the person holds, zero for others: (n, 2, d)."""
        t = held.u * (self.asked / self.w)
        return np.stack([held.dense(t), held.dense(t * held.v)], 1)

    def _each(self, held: Held) -> Spread:
        """Return how far the two scores of each person scatter (see the head of this module)."""
        t, s = np.moveaxis(self._expected(held), 1, 0)
        return self._spread(np.stack([t, s, t * t, s * s, t * s]))

    def _whole(self, held: Held) -> Spread:
        """Return how far the estimates from all these people scatter, without a matrix of people and keys."""
        people, d = held.shape
        check_people(range(people))
        t = held.u * (self.asked / self.w)
        s = t * held.v
        sums = [np.bincount(held.columns, x, d) for x in (t, s, t * t, s * s, t * s)]
        return self._spread(np.stack(sums) / people, people)

    def plug_in(self, estimate: ArrayLike, n: int) -> Spread:
        """Variances and covariances as a collector can tell them, who has only the estimate.

        The formulas of `spread` at the nearest possible shares: f̂ clipped to [0, 1], ŝ to [−f̂, f̂].  They also ask for
        the mean square of a key's values, M₂, which no report tells.  It is at least m², where ŝ scatters most, and m²
        is what is taken here: at the true shares, the variance of ŝ comes out too large by f(M₂ − m²)/n.  Records that
        are padded and sampled are taken to be no longer than ℓ; longer ones add at most f(1−f)/n to either variance.

        Parameters
        ----------
        estimate : array_like (…, 2, d)
        n : int
            Number of reports.
        """
        n = check_count(n, 1, "n")
        f, s = np.moveaxis(_pair(estimate), -2, 0)
        f = np.clip(f, 0, 1)
        s = np.clip(s, -f, f)
        return self._spread(np.stack([f, s, f, s * s / np.where(f > 0, f, 1), s]), n)

    def _spread(self, moments: NDArray[np.float64], n: int = 1) -> Spread:
        """Spread of a mean of n scores, from the means of t, s, t², s² and ts: (5, …, d)."""
        t, s, tt, ss, ts = moments
        gain, d, b = self._gains
        gain, d = gain * self.w, d * self.w
        rare = self.asked * b * (1 - b) / gain**2
        frequency = rare + t * (1 - 2 * b) / gain - tt
        product = self.asked * b / d**2 + t * gain / d**2 - ss
        return Spread(np.stack([frequency, product], -2) / n, (s * (1 - b) / gain - ts) / n, rare / n)

    def simulate_marginals(self, population: Holdings, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population, exact for each key alone: for mean-square errors, never for top lists or maxima.

        Parameters
        ----------
        population : Holdings
            With sizes, if some records are longer than what a report speaks of, or if they are padded and sampled.
        trials : int
        rng : numpy.random.Generator or Paths

        Returns
        -------
        Tally
            Counts (trials, d, 3).
        """
        alpha, beta, gamma = map(float, self.answer)
        asked = self.ask(check_holdings(population), check_count(trials, 1, "trials"), rng)
        told = tell(asked, np.array([alpha, gamma, beta]), np.array([beta, gamma, alpha]), rng)
        return Tally(self, population.n, told, self._columns(population.d))

    def ask(self, population: Holdings, trials: int, rng: Randomness) -> NDArray[np.int64]:
        """How many answers about each key are about −, none or + of the person's own: (trials, d, 3)."""
        self._columns(population.d)
        block = max(1, BLOCK // max(1, len(population.values)))
        parts = [min(block, trials - start) for start in range(0, trials, block)]
        states = np.concatenate([self._own_pairs(population, part, rng) for part in parts])
        return binomial(states, self.asked, states.shape, rng)

    def _own_pairs(self, population: Holdings, trials: int, rng: Randomness) -> NDArray[np.int64]:
        used, shape = population.counts, (trials, len(population.counts))
        if population.sizes is not None:
            used = binomial(used, self.used(population.sizes), shape, rng)
        plus = population.by_key(binomial(used, (1 + population.values) / 2, shape, rng))
        own = population.by_key(used)
        return np.stack([own - plus, np.broadcast_to(population.n - own, plus.shape), plus], -1)

    @property
    def _gains(self) -> tuple[float, float, float]:
        """T = α + β − 2γ and D = α − β, which estimates are divided by, and b = 2γ, the chance of a blind sign."""
        alpha, beta, gamma = self.answer
        return inexact(alpha + beta - 2 * gamma), inexact(alpha - beta), inexact(2 * gamma)


@dataclass(frozen=True, kw_only=True)
class KnownKeys(SignedTernary):
    """Signed ternary where the client knows the keys.

    Parameters
    ----------
    d : int
        Number of keys, {0, …, d−1}.
    """

    d: int
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, SIZE_MAX)}
    scope = (1, 256, 10**6)

    def expected(self, values: Records) -> NDArray[np.float64]:
        """a·u/w and a·u·v/w for keys the person holds, zero for others: (n, 2, d)."""
        return self._expected(self._held(values))

    def variance(self, values: Records) -> NDArray[np.float64]:
        """Variances of a person's two scores for each key: (n, 2, d)."""
        return self._each(self._held(values)).variance

    def covariance(self, values: Records) -> NDArray[np.float64]:
        """Covariance of a person's two scores for each key, s(1−2γ)/(Tw) − ts: (n, d).

        Cov[estimates] = covariance.sum(0) / n² for any population.
        """
        return self._each(self._held(values)).covariance

    def spread(self, values: Records) -> Spread:
        """Exact variances and covariances of the estimates from this population."""
        return self._whole(self._held(values))

    def crowd(self, n: int, rng: np.random.Generator | None) -> Records:
        """Up to eight keys."""
        return crowds.pairs(self.d, crowds.HELD, n, rng)

    def _values(self, values: Records) -> Records:
        return check_pairs(values, self.d)

    def _held(self, values: Records) -> Held:
        records = self._values(values)
        users = records.users
        u = self.used(records.sizes)[users]
        return Held(users, records.keys, u, entries(records), (len(records), self.d))

    def _columns(self, d: int) -> None:
        if d != self.d:
            raise ValueError(f"population must have d = {self.d} keys, got {d}")


def check_pairs(values: Any, d: int | None) -> Records:
    """Return records if keys are below d (any if None) and values in [−1, 1]; these are float64 then."""
    if not isinstance(values, Records) or values.values is None:
        what = "Records of keys alone" if isinstance(values, Records) else type(values).__name__
        raise ValueError(f"values must be Records with a value for each key, got {what}")
    check_codes(values.keys, d, "keys")
    numbers = check_unit(values.values)
    return values if values.values.dtype == numbers.dtype else replace(values, values=numbers)


def entries(records: Records) -> NDArray[np.float64]:
    """Return the values of records that `check_pairs` returned, (entries,)."""
    assert records.values is not None
    return records.values


# ------------------------------------------------------------------------------------------- means, from estimates


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
        Whether f̂ is more than three standard errors of a key that nobody holds.  Where it is not, the ratio may be
        anything, and neither `error` nor `bias` means much.
    """

    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    bias: NDArray[np.float64]
    reliable: NDArray[np.bool_]


def mean_of(estimate: ArrayLike, spread: Spread) -> Means:
    """Mean of each key's values among its holders: the ratio of two estimates, with its error and bias.

    Parameters
    ----------
    estimate : array_like (…, 2, d)
        Frequency and frequency × mean.
    spread : Spread
        From `SignedTernary.plug_in`, or exact from `SignedTernary.spread`.
    """
    f, s = np.moveaxis(_pair(estimate), -2, 0)
    if not isinstance(spread, Spread):
        raise ValueError(f"spread must be a Spread, got {type(spread).__name__}")
    var_f, var_s = np.moveaxis(spread.variance, -2, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        m = s / f
        square = np.maximum(var_s - 2 * m * spread.covariance + m**2 * var_f, 0)  # negative by rounding only
        error, bias = np.sqrt(square) / np.abs(f), (m * var_f - spread.covariance) / f**2
    return Means(m, error, bias, f > 3 * np.sqrt(spread.rare))


def _pair(estimate: ArrayLike) -> NDArray[np.float64]:
    found = check_numbers(estimate, "estimate")
    if found.ndim < 2 or found.shape[-2] != 2:
        raise ValueError(f"estimate must be frequency and frequency × mean, (…, 2, d), got shape {found.shape}")
    return found


def clipped_mean(estimate: ArrayLike, n: int) -> NDArray[np.float64]:
    """Mean of each key, made possible: f̂ is clipped to [1/n, 1], then the ratio to [−1, 1].  Biased: (…, d).

    Parameters
    ----------
    estimate : array_like (…, 2, d)
        Frequency and frequency × mean.
    n : int
        Number of reports.
    """
    f, s = np.moveaxis(_pair(estimate), -2, 0)
    return np.asarray(np.clip(s / np.clip(f, 1 / check_count(n, 1, "n"), 1), -1, 1))


# --------------------------------------------------------------------------------------- populations for simulations


@dataclass(frozen=True, eq=False)
class Holdings:
    """How many people hold each key with each value (CSR layout): all that a simulation of marginals needs to know.

    Attributes
    ----------
    n : int
        Number of people.
    offsets : ndarray of int64, (d + 1,)
        Key j has the classes ``offsets[j]`` to ``offsets[j + 1]``.
    values : ndarray of float64, (classes,)
    counts : ndarray of int64, (classes,)
    sizes : ndarray of int64, (classes,), or None where they were not asked for
        Number of keys that each of these people holds.
    """

    n: int
    offsets: NDArray[np.int64]
    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64] | None = None

    @property
    def d(self) -> int:
        """Number of keys."""
        return len(self.offsets) - 1

    @property
    def holders(self) -> NDArray[np.int64]:
        """Number of people who hold each key, (d,)."""
        return self.by_key(self.counts)

    @property
    def frequency(self) -> NDArray[np.float64]:
        """Share of people who hold each key, (d,)."""
        return self.holders / self.n

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean of each key's values among its holders, (d,); NaN for a key that nobody holds."""
        with np.errstate(invalid="ignore"):
            return self.by_key(self.counts * self.values) / self.holders

    def by_key(self, x: NDArray[Any]) -> NDArray[Any]:
        """Sum over the classes of each key: (…, classes) becomes (…, d)."""
        sums = np.concatenate([np.zeros((*x.shape[:-1], 1), x.dtype), np.cumsum(x, -1)], -1)
        return np.asarray(np.diff(sums[..., self.offsets], axis=-1))


def check_holdings(population: Any) -> Holdings:
    """Return what are Holdings."""
    if not isinstance(population, Holdings):
        raise ValueError(f"population must be Holdings, got {type(population).__name__}")
    return population


def holdings(records: Records, d: int, *, sizes: bool = False) -> Holdings:
    """Count people by key and value.

    Parameters
    ----------
    records : Records with values in [−1, 1]
    d : int
        Number of keys.
    sizes : bool
        Count people by the size of their record, too: for mechanisms that pad and sample.
    """
    d = check_count(d, 1, "d", SIZE_MAX)
    records = check_pairs(records, d)
    check_people(records)
    values = entries(records)
    size = records.sizes[records.users] if sizes else np.zeros(len(values), np.int64)
    order = np.lexsort((size, values, records.keys))
    keys, values, size = records.keys[order], values[order], size[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (values[1:] != values[:-1]) | (size[1:] != size[:-1])
    at = np.flatnonzero(first)
    offsets = np.searchsorted(keys[at], np.arange(d + 1))
    return Holdings(len(records), offsets, values[at], np.diff(at, append=len(keys)), size[at] if sizes else None)


# ------------------------------------------------------------------- mechanisms that perturb a key's state of three


@dataclass(frozen=True, kw_only=True)
class StatePerturbation(KnownKeys):
    """What mechanisms share that perturb the state of a key: 0 (held, sign −), 1 (not held) or 2 (held, sign +)."""

    def used(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """One: a holder who is asked answers with the pair."""
        return np.ones(len(sizes))


def tell(
    states: NDArray[np.int64], minus: NDArray[np.float64], plus: NDArray[np.float64], rng: Randomness
) -> NDArray[np.int64]:
    """Answers −, nothing and + of people in three states, whose answers are − and + with these probabilities."""
    low = binomial(states, minus, states.shape, rng)
    high = binomial(states - low, plus / (1 - minus), states.shape, rng)
    return np.stack([low.sum(-1), (states - low - high).sum(-1), high.sum(-1)], -1)


@dataclass(frozen=True, kw_only=True)
class SampledKey(StatePerturbation):
    """One public key, drawn uniformly, and a state for it that was perturbed: a = w = 1/d.

    Dividing by the expected number n/d of reports about a key, not by their number, keeps the estimate linear.

    Reports have the fields ``key`` (public) and ``state``, (n,).
    """

    public_fields: ClassVar[tuple[str, ...]] = ("key",)

    @property
    def asked(self) -> float:
        """1/d."""
        return 1 / self.d

    @property
    def report_bits(self) -> int:
        """Two, for three states; the key is public."""
        return 2

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""
        return np.dtype([("key", np.int64), ("state", np.int64)])

    @property
    def public_bits(self) -> int:
        """⌈log₂ d⌉, for the key."""
        return (self.d - 1).bit_length()

    @abstractmethod
    def _respond(self, held: NDArray[np.bool_], values: NDArray[np.float64], rng: Randomness) -> NDArray[np.int64]:
        """Draw the states to report, 0, 1 or 2: (n,).

        Given are whether each person holds the key that was drawn, and its value, 0 if not: (n,) both.
        """

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        keys, held, own = self._draw(values, rng)
        return self._report(keys, self._respond(held, own, rng))

    def _draw(
        self, values: Records, rng: Randomness
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]:
        """Draw a key for each person, and see whether it is held, and its value, 0 if not: (n,) each."""
        keys, users = uniform(self.d, (len(values),), rng), values.users
        at = values.keys == keys[users]
        held, own = np.zeros(len(values), np.bool_), np.zeros(len(values))
        held[users[at]], own[users[at]] = True, entries(values)[at]
        return keys, held, own

    def _report(self, keys: NDArray[np.int64], states: NDArray[np.int64]) -> Reports:
        reports = np.empty(len(keys), self.dtype)
        reports["key"], reports["state"] = keys, states
        return reports

    def _reports(self, reports: Reports) -> NDArray[Any]:
        found = check_fields(reports, self.dtype)
        check_codes(found["key"], self.d, "key")
        check_codes(found["state"], 3, "state")
        return found

    def _count(self, reports: NDArray[Any]) -> NDArray[np.int64]:
        """Count the states of each key, (d, 3)."""
        return np.bincount(3 * reports["key"] + reports["state"], minlength=3 * self.d).reshape(self.d, 3)


@dataclass(frozen=True, kw_only=True)
class StateEncoding(SampledKey):
    r"""State encoding (the client of KVUE): one public key, drawn uniformly, and its state through k-RR over three.

    :math:`\alpha = e^\varepsilon/(e^\varepsilon+2)` and :math:`\beta = \gamma = 1/(e^\varepsilon+2)`.

    Source: sun2021 §3.1.

    Parameters
    ----------
    epsilon : float

    Reports have the fields ``key`` (public) and ``state``, (n,).
    """

    epsilon: float
    label = "SE"
    limits: ClassVar[Mapping[str, Limit]] = {"epsilon": check_epsilon}

    @cached_property
    def states(self) -> GRR:
        """The oracle over states that protects the report."""
        return GRR(k=3, epsilon=self.epsilon)

    @property
    def answer(self) -> tuple[Fraction, Fraction, Fraction]:
        """(p*, q*, q*) of the oracle over states."""
        p, q = self.states.support
        return p, q, q

    @property
    def realised_epsilon(self) -> float:
        """That of the oracle over states, for every key."""
        return self.states.realised_epsilon

    def _respond(self, held: NDArray[np.bool_], values: NDArray[np.float64], rng: Randomness) -> NDArray[np.int64]:
        states = np.ones(len(held), np.int64)
        states[held] += discretise(values[held], rng)
        return self.states.perturb(states, rng=rng)

    @classmethod
    def example(cls) -> list[Example]:
        """One to three keys."""
        return [Example(cls(d=d, epsilon=epsilon), FEW[d]) for d, epsilon in ((2, 1.0), (3, 0.3), (1, 4.0))]

    @classmethod
    def sized(cls, size: int, epsilon: float) -> Self:
        """For so many keys."""
        return cls(d=size, epsilon=epsilon)


@dataclass(frozen=True, kw_only=True)
class StateEncodingSplit(StatePerturbation):
    r"""The states of all d keys, each through k-RR over three at ε/d: for comparison with `StateEncoding`.

    sun2021 leaves open whether a person sends one key or all; one is what its bandwidth (Table 2) and the code of KVUE
    say, and at small ε it is better: noise here grows with d², there with d.  :math:`a = w = 1`.

    Parameters
    ----------
    epsilon : float
        For a whole record.

    Reports are states, int (n, d).
    """

    epsilon: float
    label = "SE, all keys"
    limits: ClassVar[Mapping[str, Limit]] = {"epsilon": check_epsilon}
    server_cost = "report and item"

    @cached_property
    def keep(self) -> float:
        """Probability of answering with the state, before the blind draw; rounded down."""
        e = odds(exact(self.epsilon) / self.d)
        return round_down((e - 1) / (e + 2))

    @property
    def answer(self) -> tuple[Fraction, Fraction, Fraction]:
        """(keep + blind, blind, blind), where blind is the chance of a state in the blind draw."""
        blind = (1 - exact(self.keep)) / 3
        return exact(self.keep) + blind, blind, blind

    @property
    def realised_epsilon(self) -> float:
        """d·ln(α/γ), for two records that hold all keys with opposite signs."""
        alpha, _, gamma = self.answer
        return chance.log(alpha / gamma, self.d)

    @property
    def report_bits(self) -> int:
        """⌈log₂ 3^d⌉."""
        return int(3**self.d - 1).bit_length()

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        states = np.ones((len(values), self.d), np.int64)
        states[values.users, values.keys] += discretise(entries(values), rng)
        return np.where(bernoulli(self.keep, states.shape, rng), states, uniform(3, states.shape, rng))

    def _reports(self, reports: Reports) -> NDArray[np.int64]:
        states = check_codes(reports, 3, "reports", ndim=2)
        if states.shape[1] != self.d:
            raise ValueError(f"reports must have d = {self.d} columns, got {states.shape[1]}")
        return states

    def _count(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the states of each key, (d, 3)."""
        return np.stack([np.count_nonzero(reports == state, axis=0) for state in range(3)], -1)

    @classmethod
    def example(cls) -> list[Example]:
        """One and two keys; records that hold all of them with opposite signs attain ε."""
        one, two = (cls(d=d, epsilon=epsilon) for d, epsilon in ((1, 0.3), (2, 1.0)))
        opposite = Records.of({0: 1.0, 1: 1.0}, {0: -1.0, 1: -1.0}, {}, {0: 0.5, 1: -0.25}, {1: 1 / 3})
        return [Example(two, opposite, pairs=False), Example(one, FEW[1])]

    @classmethod
    def sized(cls, size: int, epsilon: float) -> Self:
        """For so many keys."""
        return cls(d=size, epsilon=epsilon)
