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
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, binomial, exact, inexact, odds, round_down, uniform
from ldpnb.checks import (
    SIZE_MAX,
    check_codes,
    check_count,
    check_epsilon,
    check_fields,
    check_numbers,
    check_people,
    check_unit,
)
from ldpnb.core import Mechanism, Records, Reports, Tally
from ldpnb.oracles.frequency import GRR

BLOCK = 2**22  # classes times trials simulated at a time, in 32 MB


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
    """Pairs that people hold: person, column of the key, u and v of each; and the number of people and of keys."""

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
        """(α, β, γ)."""

    @property
    def asked(self) -> float:
        """Probability a that a report is asked about a key; one where it speaks of all keys."""
        return 1.0

    @abstractmethod
    def used(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Probability u that the answer about a key is about the holder's own pair, for records of these sizes."""

    @abstractmethod
    def _held(self, values: Records, items: Any) -> Held:
        """Return the pairs of these keys, and refuse other values."""

    @property
    def w(self) -> float:
        """Probability a·u that a pair of a short record is asked about and used."""
        return self.asked * inexact(self.used(np.array([1]))[0])

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate frequency and frequency × mean of each key: (…, 2, d)."""
        minus, nothing, plus = np.moveaxis(self._own(tally).counts, -1, 0)
        t, d, b = self._gains
        seen = plus + minus
        frequency = (seen - b * (seen + nothing)) / t
        return np.stack([frequency, (plus - minus) / d], -2) / (tally.n * self.w)

    def expected(self, values: Records, items: Any = None) -> NDArray[np.float64]:
        """a·u/w and a·u·v/w for keys the person holds, zero for others: (n, 2, d)."""
        held = self._held(values, items)
        t = held.u * (self.asked / self.w)
        return np.stack([held.dense(t), held.dense(t * held.v)], 1)

    def variance(self, values: Records, items: Any = None) -> NDArray[np.float64]:
        """Variances of the two scores (see the head of this module): (n, 2, d)."""
        return self._spread(self._moments(values, items)).variance

    def covariance(self, values: Records, items: Any = None) -> NDArray[np.float64]:
        """Covariance of a person's two scores for each key, s(1−2γ)/(Tw) − ts: (n, d).

        Cov[estimates] = covariance.sum(0) / n² for any population.
        """
        return self._spread(self._moments(values, items)).covariance

    def spread(self, values: Records, items: Any = None) -> Spread:
        """Exact variances and covariances of the estimates from this population."""
        held = self._held(values, items)
        check_people(values)
        t = held.u * (self.asked / self.w)
        s = t * held.v
        sums = [np.bincount(held.columns, x, held.shape[1]) for x in (t, s, t * t, s * s, t * s)]
        return self._spread(np.stack(sums) / len(values), len(values))

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

    def _moments(self, values: Records, items: Any) -> NDArray[np.float64]:
        """Return t, s, t², s² and ts of each person and key: (5, n, d)."""
        t, s = np.moveaxis(self.expected(values, items), 1, 0)
        return np.stack([t, s, t * t, s * s, t * s])

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
        return Tally(self, population.n, told, self._named(population.d))

    def ask(self, population: Holdings, trials: int, rng: Randomness) -> NDArray[np.int64]:
        """How many answers about each key are about −, none or + of the person's own: (trials, d, 3)."""
        self._named(population.d)
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
        """T, D and 2γ."""
        alpha, beta, gamma = self.answer
        return inexact(alpha + beta - 2 * gamma), inexact(alpha - beta), inexact(2 * gamma)

    @abstractmethod
    def _named(self, d: int) -> tuple[int, ...] | None:
        """Candidates of a tally of a population with d keys, None where the client knows them; refuse others."""


@dataclass(frozen=True, kw_only=True)
class KnownKeys(SignedTernary):
    """Signed ternary where the client knows the keys.

    Parameters
    ----------
    d : int
        Number of keys, {0, …, d−1}.
    """

    d: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", check_count(self.d, 1, "d", SIZE_MAX))

    def _held(self, values: Records, items: Any) -> Held:
        records, v = check_pairs(values, self.d)
        users = records.users
        return Held(users, records.keys, self.used(records.sizes)[users], v, (len(records), self.d))

    def _named(self, d: int) -> None:
        if d != self.d:
            raise ValueError(f"population must have d = {self.d} keys, got {d}")


def check_pairs(values: Records, d: int | None) -> tuple[Records, NDArray[np.float64]]:
    """Return records and their values if keys are below d (any if None) and values in [−1, 1]."""
    if not isinstance(values, Records) or values.values is None:
        what = "Records of keys alone" if isinstance(values, Records) else type(values).__name__
        raise ValueError(f"values must be Records with a value for each key, got {what}")
    check_codes(values.keys, d, "keys")
    return values, check_unit(values.values)


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
    records, values = check_pairs(records, d)
    check_people(records)
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

    @abstractmethod
    def _states(
        self, keys: NDArray[np.int64], held: NDArray[np.bool_], values: NDArray[np.float64], rng: Randomness
    ) -> NDArray[np.int64]:
        """Draw the states to report: whether each person holds the drawn key, and its value (0 if not) are given."""

    def perturb(self, values: Records, *, rng: Randomness) -> Reports:
        """Draw reports: (n,) with fields ``key`` and ``state``."""
        return self._report(values, self._states, rng)

    def _report(self, values: Records, states: Callable[..., NDArray[np.int64]], rng: Randomness) -> Reports:
        records, entries = check_pairs(values, self.d)
        check_people(records)
        reports = np.empty(len(records), self.dtype)
        reports["key"] = uniform(self.d, (len(records),), rng)
        at = records.keys == reports["key"][records.users]
        held, own = np.zeros(len(records), np.bool_), np.zeros(len(records))
        held[records.users[at]], own[records.users[at]] = True, entries[at]
        reports["state"] = states(reports["key"], held, own, rng)
        return reports

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the states of each key, (d, 3)."""
        found = check_fields(reports, self.dtype)
        cell = 3 * check_codes(found["key"], self.d, "key") + check_codes(found["state"], 3, "state")
        return Tally(self, len(found), np.bincount(cell, minlength=3 * self.d).reshape(self.d, 3))


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

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

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

    def _states(
        self, keys: NDArray[np.int64], held: NDArray[np.bool_], values: NDArray[np.float64], rng: Randomness
    ) -> NDArray[np.int64]:
        states = np.ones(len(held), np.int64)
        states[held] += discretise(values[held], rng)
        return self.states.perturb(states, rng=rng)


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

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

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

    def perturb(self, values: Records, *, rng: Randomness) -> Reports:
        """Draw reports: states, (n, d)."""
        records, entries = check_pairs(values, self.d)
        check_people(records)
        states = np.ones((len(records), self.d), np.int64)
        states[records.users, records.keys] += discretise(entries, rng)
        return np.where(bernoulli(self.keep, states.shape, rng), states, uniform(3, states.shape, rng))

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the states of each key, (d, 3)."""
        states = check_codes(reports, 3, "reports", ndim=2)
        if states.shape[1] != self.d:
            raise ValueError(f"reports must have d = {self.d} columns, got {states.shape[1]}")
        return Tally(self, len(states), (states[..., None] == np.arange(3)).sum(0))
