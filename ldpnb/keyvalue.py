"""Key-value data: which keys people hold, and the mean of each key's values among its holders.

Everybody holds some of d keys, each with a value in [−1, 1].  All mechanisms here are *signed ternary*: a value becomes
a sign, and a report answers for each key it is *asked* about with +, − or nothing.  The probabilities are

    α = P(+ | the answer is about a pair of sign +),    γ = P(+ | it is about no pair of this key),
    β = P(− | the answer is about a pair of sign +),        the same with + and − exchanged,

a report is asked about a key with probability a, and its answer is then about a holder's own pair with probability u.
With n₊ and n₋ counted answers, N reports asked about the key, T = α+β−2γ, D = α−β, and w the largest a·u,

    frequency            f̂ = (n₊ + n₋ − 2γN) / (n T w),        each person contributes a·u/w,
    frequency × mean     ŝ = (n₊ − n₋) / (n D w),              each person contributes a·u·v/w,

both linear.  One score has, with P = 2γ + uT the probability of + or −, the variances

    [a P(1−P) + a(1−a)(uT)²] / (Tw)²     and     [a (P − (uvD)²) + a(1−a)(uvD)²] / (Dw)²,

with u = 0 for a person who does not hold the key; the second terms come from being asked, discretisation and the draw
of one pair among several are within the first.  The mean of a key is the ratio ŝ/f̂, which is not linear.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, odds, round_down, uniform
from ldpnb.core import (
    Mechanism,
    Records,
    Reports,
    Tally,
    check_codes,
    check_count,
    check_epsilon,
    check_people,
    check_unit,
    pad_and_sample,
)
from ldpnb.frequency import GRR


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


@dataclass(frozen=True, kw_only=True)
class SignedTernary(Mechanism):
    """What all signed ternary mechanisms share; a subclass adds its client, its tally and its probabilities.

    Values are `Records` with values in [−1, 1].  Tallies count (d, 3): answers −, nothing and + for each key.

    Parameters
    ----------
    d : int
        Number of keys, {0, …, d−1}.
    epsilon : float
    """

    d: int
    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", check_count(self.d, 1, "d"))
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

    @property
    @abstractmethod
    def answer(self) -> tuple[Fraction, Fraction, Fraction]:
        """(α, β, γ)."""

    @property
    @abstractmethod
    def asked(self) -> float:
        """Probability a that a report is asked about a key."""

    @abstractmethod
    def used(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Probability u that the answer about a key is about the holder's own pair, for records of these sizes."""

    @property
    def w(self) -> float:
        """Probability a·u that a pair of a short record is asked about and used."""
        return self.asked * float(self.used(np.array([1]))[0])

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate frequency and frequency × mean of each key: (…, 2, d)."""
        minus, nothing, plus = np.moveaxis(self._own(tally).counts, -1, 0)
        t, d, b = self._gains
        seen = plus + minus
        frequency = (seen - b * (seen + nothing)) / t
        return np.stack([frequency, (plus - minus) / d], -2) / (tally.n * self.w)

    def target(self, values: Records, items: Any = None) -> NDArray[np.float64]:
        """a·u/w and a·u·v/w for keys the person holds, zero for others: (n, 2, d)."""
        u, v = self._dense(values)
        return np.stack([u, u * v], 1) * (self.asked / self.w)

    def noise(self, values: Records, items: Any = None) -> NDArray[np.float64]:
        """Variances of the two scores (see the head of this module): (n, 2, d)."""
        u, v = self._dense(values)
        t, d, b = self._gains
        seen, a = b + u * t, self.asked
        frequency = a * seen * (1 - seen) + a * (1 - a) * (u * t) ** 2
        product = a * (seen - (u * v * d) ** 2) + a * (1 - a) * (u * v * d) ** 2
        return np.stack([frequency / (t * self.w) ** 2, product / (d * self.w) ** 2], 1)

    @property
    def _gains(self) -> tuple[float, float, float]:
        """T, D and 2γ."""
        alpha, beta, gamma = self.answer
        return float(alpha + beta - 2 * gamma), float(alpha - beta), float(2 * gamma)

    def _dense(self, values: Records) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return u and v of each person and key, zero where a key is not held: (n, d) each."""
        records, entries = self._pairs(values)
        u, v = np.zeros((2, len(records), self.d))
        at = records.users, records.keys
        u[at], v[at] = self.used(records.sizes)[records.users], entries
        return u, v

    def _pairs(self, values: Records) -> tuple[Records, NDArray[np.float64]]:
        if not isinstance(values, Records) or values.values is None:
            what = "Records of keys alone" if isinstance(values, Records) else type(values).__name__
            raise ValueError(f"values must be Records with a value for each key, got {what}")
        check_codes(values.keys, self.d, "keys")
        return values, check_unit(values.values)


@dataclass(frozen=True, kw_only=True)
class SE(SignedTernary):
    r"""State encoding (the client of KVUE): one public key, drawn uniformly, and its state through k-RR over three.

    The states are 0 (held, sign −), 1 (not held) and 2 (held, sign +), so
    :math:`\alpha = e^\varepsilon/(e^\varepsilon+2)` and :math:`\beta = \gamma = 1/(e^\varepsilon+2)`;
    :math:`a = w = 1/d`.  Dividing by the expected number n/d of reports about a key, not by their number, keeps the
    estimate linear.

    Source: sun2021 §3.1.

    Reports have the fields ``key`` (public) and ``state``, (n,).
    """

    public_fields: ClassVar[tuple[str, ...]] = ("key",)

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
    def asked(self) -> float:
        """1/d."""
        return 1 / self.d

    def used(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """One: a holder who is asked answers with the pair."""
        return np.ones(len(sizes))

    @property
    def realised_epsilon(self) -> float:
        """That of the oracle over states, for every key."""
        return self.states.realised_epsilon

    @property
    def report_bits(self) -> int:
        """Two; the key is public."""
        return self.states.report_bits

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""
        return np.dtype([("key", np.int64), ("state", np.int64)])

    def perturb(self, values: Records, *, rng: Randomness) -> Reports:
        """Draw reports: (n,) with fields ``key`` and ``state``."""
        records, entries = self._pairs(values)
        check_people(records)
        reports = np.empty(len(records), self.dtype)
        reports["key"] = uniform(self.d, (len(records),), rng)
        held = records.keys == reports["key"][records.users]
        states = np.ones(len(records), np.int64)
        states[records.users[held]] += discretise(entries[held], rng)
        reports["state"] = self.states.perturb(states, rng=rng)
        return reports

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the states of each key, (d, 3)."""
        found = np.asarray(reports)
        if found.dtype != self.dtype or found.ndim != 1:
            raise ValueError(f"reports must have the fields key and state, (n,), got {found.dtype} of {found.shape}")
        cell = 3 * check_codes(found["key"], self.d, "key") + check_codes(found["state"], 3, "state")
        return Tally(self, len(found), np.bincount(cell, minlength=3 * self.d).reshape(self.d, 3))


@dataclass(frozen=True, kw_only=True)
class PCKVGRR(SignedTernary):
    r"""PCKV-GRR: one pair drawn from the record padded to ℓ, through k-RR over the 2(d+ℓ) signed keys.

    Dummies are distinct and have random signs.  No signed key is drawn with a probability above 1/ℓ, so k-RR may use
    :math:`e^{\varepsilon'} = \ell(e^\varepsilon-1)+1`: with :math:`Z = \ell(e^\varepsilon-1) + 2(d+\ell)`,
    :math:`\alpha = e^{\varepsilon'}/Z`, :math:`\beta = \gamma = 1/Z`; :math:`a = 1`, :math:`w = 1/\ell`.
    Two records that hold one key alone with opposite signs attain ε.  Of records with more than ℓ pairs each pair
    counts as ℓ/size of a person.

    Source: Gu, Li, Cheng, Xiong and Cao 2020 (the printed channel is k-RR at its optimal parameters); wang2024 §3.2.

    Parameters
    ----------
    ell : int
        Padding length.

    Reports are signed keys 2·key + (1 if the sign is +), dummies after the d keys, (n,).
    """

    ell: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ell", check_count(self.ell, 1, "ell"))

    @property
    def cells(self) -> int:
        """Number of signed keys, dummies included."""
        return 2 * (self.d + self.ell)

    @cached_property
    def keep(self) -> float:
        """Probability of reporting the drawn pair, before the blind draw; rounded down."""
        more = self.ell * (odds(self.epsilon) - 1)  # e^ε' − 1
        return round_down(more / (more + self.cells))

    @property
    def answer(self) -> tuple[Fraction, Fraction, Fraction]:
        """(keep + blind, blind, blind), where blind is the chance of a signed key in the blind draw."""
        blind = (1 - Fraction(self.keep)) / self.cells
        return Fraction(self.keep) + blind, blind, blind

    @property
    def asked(self) -> float:
        """One: a report speaks of all keys."""
        return 1.0

    def used(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """1/max(size, ℓ)."""
        return np.asarray(1 / np.maximum(sizes, self.ell))

    @property
    def realised_epsilon(self) -> float:
        """ln[1 + (α/γ − 1)/ℓ]."""
        alpha, _, gamma = self.answer
        return chance.log(1 + (alpha / gamma - 1) / self.ell)

    @property
    def report_bits(self) -> int:
        """⌈log₂ 2(d+ℓ)⌉."""
        return (self.cells - 1).bit_length()

    def perturb(self, values: Records, *, rng: Randomness) -> Reports:
        """Draw reports: integers in [0, 2(d+ℓ)), (n,)."""
        records, _ = self._pairs(values)
        check_people(records)
        keys, drawn = pad_and_sample(records, self.d, self.ell, rng)
        assert drawn is not None  # the records have values
        signed = 2 * keys + (discretise(drawn, rng) > 0)
        return np.where(bernoulli(self.keep, keys.shape, rng), signed, uniform(self.cells, keys.shape, rng))

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count for each key the reports of its − and +, and all others, (d, 3)."""
        codes = check_codes(reports, self.cells, "reports")
        minus, plus = np.bincount(codes, minlength=self.cells)[: 2 * self.d].reshape(self.d, 2).T
        return Tally(self, len(codes), np.stack([minus, len(codes) - minus - plus, plus], -1))
