r"""PCKV: one pair of a padded record, by k-RR over signed keys or by one answer for each key.

Both mechanisms are signed ternary (see `ldpnb.keyvalue.ternary`), with a = 1 and w = 1/ℓ: one pair
is drawn from the record, padded to ℓ by distinct dummies of random sign.  A record of more than ℓ
pairs is not cut: one of all is drawn, and each counts as ℓ/size of a person.

The dummies of a record are the first that it needs, each drawn with probability 1/ℓ.  A client that
draws among all ℓ dummies alike, where it draws one at all, has another law of reports about
dummies, and the same law of reports about keys: the same ε and the same estimates.

`stale_epsilon` says what is left of the promise of PCKV-GRR where the set of keys has changed, but
the client's probabilities have not.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ldpnb import chance
from ldpnb.chance import (
    Randomness,
    bernoulli,
    exact,
    inexact,
    odds,
    packed_bernoulli,
    round_down,
    round_up,
)
from ldpnb.checks import SIZE_MAX, Limit, check_array, check_count, check_epsilon, shown
from ldpnb.core import Floats, Ints, Layout, Reports, Tally, blocks
from ldpnb.keyvalue.population import Holdings, discretise
from ldpnb.keyvalue.ternary import AnswerLaw, SignedTernary
from ldpnb.oracles.base import Support, keep_or_blind
from ldpnb.oracles.hadamard import truthful
from ldpnb.records import Records, pad_and_sample

BLOCK = 2**13  # people whose vectors are drawn at a time
Signs = NDArray[np.int8]  # −1, 0 or 1


@dataclass(frozen=True, kw_only=True)
class PCKVGRR(SignedTernary):
    r"""PCKV-GRR: one pair drawn from the padded record, through k-RR over the 2(d+ℓ) signed keys.

    No signed key is drawn with a probability above 1/ℓ, so k-RR may use
    :math:`e^{\varepsilon'} = \ell(e^\varepsilon-1)+1`: with
    :math:`Z = \ell(e^\varepsilon-1) + 2(d+\ell)`, :math:`\alpha = e^{\varepsilon'}/Z`,
    :math:`\beta = \gamma = 1/Z`; :math:`a = 1`, :math:`w = 1/\ell`.  Two records that hold one key
    alone with opposite signs attain ε.

    Source: Gu, Li, Cheng, Xiong and Cao 2020 (the printed channel is k-RR at its optimal
    parameters); wang2024 §3.2.

    Reports are signed keys 2·key + (1 if the sign is +), dummies after the d keys, (n,).
    Tallies count (d, 3): the reports of each key with −, all others, and those with +.

    Parameters
    ----------
    d : int
        Number of keys, {0, …, d−1}.
    epsilon : float
    ell : int
        Padding length.

    Examples
    --------
    >>> ratings = PCKVGRR(d=3, ell=1, epsilon=3.0)
    >>> people = Records.of(*[{0: 1.0}, {0: -0.5}, {2: 1.0}] * 5000)
    >>> reports = ratings.perturb(people, rng=np.random.default_rng(0))
    >>> ratings.estimate(ratings.tally(reports)).round(1)  # frequency, frequency × mean
    array([[ 0.7, -0. ,  0.3],
           [ 0.2,  0. ,  0.3]])
    """

    d: int
    epsilon: float
    ell: int
    label = "PCKV-GRR"
    limits: ClassVar[Mapping[str, Limit]] = {
        "d": (1, SIZE_MAX),
        "epsilon": check_epsilon,
        "ell": (1, SIZE_MAX),
    }
    tried = [
        {"d": 2, "ell": 1, "epsilon": 1.0},
        {"d": 1, "ell": 2, "epsilon": 0.8},
        {"d": 3, "ell": 2, "epsilon": 0.8},
        {"d": 3, "ell": 3, "epsilon": 3.0},
    ]

    @property
    def width(self) -> int:
        """Number of keys, dummies included: d + ℓ."""
        return self.d + self.ell

    @cached_property
    def keep(self) -> Fraction:
        """Probability of keeping the signed key drawn, ℓ(e^ε − 1)/Z, rounded down."""
        more = self.ell * (odds(self.epsilon) - 1)  # e^ε' − 1
        return exact(round_down(more / (more + 2 * self.width)))

    @property
    def support(self) -> Support:
        """(p, q): p = keep + (1 − keep)/(2(d + ℓ)), of the key drawn, q = (1 − keep)/(2(d + ℓ))."""
        keep = exact(self.keep)
        blind = (1 - keep) / (2 * self.width)
        return keep + blind, blind

    @property
    def answer(self) -> AnswerLaw:
        """(α, β, γ) = (p, q, q)."""
        p, q = self.support
        return p, q, q

    def used(self, sizes: Ints) -> Floats:
        """1/max(size, ℓ)."""
        return np.asarray(1 / np.maximum(sizes, self.ell))

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of keep/ℓ + q, for a signed key that only one of two records has, over q."""
        keep = exact(self.keep)
        return chance.log(1 + keep * 2 * self.width / ((1 - keep) * self.ell))

    @property
    def layout(self) -> Layout:
        """A signed key, dummies included."""
        return {"": (np.int64, 2 * self.width)}

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Ints:
        keys, signs = draw_pair(values, self.d, self.ell, rng)
        signed = 2 * keys + (signs > 0)
        return keep_or_blind(signed, self.keep, 2 * self.width, rng)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Ints) -> Ints:
        """Count for each key the reports of its − and +, and all others, (d, 3)."""
        counts = np.bincount(reports, minlength=2 * self.width)
        minus, plus = counts[: 2 * self.d].reshape(self.d, 2).T
        return np.stack([minus, len(reports) - minus - plus, plus], -1)

    def _worst(self) -> Ints:
        """Name the first key, with the sign +."""
        return np.array([1])

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean square of the sum that a report adds: it names one signed key, and no other."""
        nothing = weights.T @ self._state_scores[:, 1]  # (d,): of a key that is not named
        signed = weights.T @ self._state_scores[:, [0, 2]]  # (d, 2): of one that is
        signed = signed - nothing[:, None] + nothing.sum()
        reported = tally.counts[..., [0, 2]]
        dummies = tally.n - reported.sum((-2, -1))
        squares = (reported * signed**2).sum((-2, -1)) + dummies * nothing.sum() ** 2
        return np.asarray(squares / tally.n)

    # -------------------------------------------------------------------------------- simulation

    def _check_population(self, population: Holdings) -> None:
        check_sizes(population)
        super()._check_population(population)


@dataclass(frozen=True, kw_only=True)
class PCKVUE(SignedTernary):
    r"""PCKV-UE: one pair drawn from the padded record, and an answer −, nothing or + for each key.

    About the drawn key the client answers with probability 1/2, and then with the right sign with
    probability :math:`p = e^\varepsilon/(e^\varepsilon+1)`; about any other of the d+ℓ keys with
    probability :math:`b = 2/(e^\varepsilon+3)`, and then with a random sign.  So
    :math:`\alpha = p/2`, :math:`\beta = (1-p)/2`, :math:`\gamma = b/2`; :math:`a = 1`,
    :math:`w = 1/\ell`.

    Unlike in `PCKVGRR`, sampling saves no budget: one report can speak for all pairs of a
    record and against all of another.  With :math:`\varepsilon_1 = \ln\frac{1-b}{b}` and
    :math:`\varepsilon_2 = \ln\frac{p}{1-p}` it spends

    .. math:: \max\Bigl(\varepsilon_2,\; \varepsilon_1 + \ln\frac{2}{1+e^{-\varepsilon_2}}\Bigr)
       = \varepsilon

    whatever ℓ, if a record can have ℓ pairs.  For :math:`\ell > d` no record is without dummies,
    and ε is only a bound: the client spends :math:`\ln[1 + d(e^\varepsilon-1)/\ell]`.

    Source: Gu, Li, Cheng, Xiong and Cao 2020 (their optimal parameters); wang2024 §3.2.

    Reports are −1, 0 or 1 for each key, dummies after the d keys, int8 (n, d+ℓ).
    Tallies count the answers −, nothing and + about each key, without dummies, (d, 3).

    Parameters
    ----------
    d : int
        Number of keys, {0, …, d−1}.
    epsilon : float
    ell : int
        Padding length.

    Examples
    --------
    >>> ratings = PCKVUE(d=3, ell=1, epsilon=3.0)
    >>> people = Records.of(*[{0: 1.0}, {0: -0.5}, {2: 1.0}] * 5000)
    >>> reports = ratings.perturb(people, rng=np.random.default_rng(0))
    >>> ratings.estimate(ratings.tally(reports)).round(1)  # frequency, frequency × mean
    array([[ 0.7, -0. ,  0.3],
           [ 0.2,  0. ,  0.3]])
    """

    d: int
    epsilon: float
    ell: int
    label = "PCKV-UE"
    limits: ClassVar[Mapping[str, Limit]] = {
        "d": (1, SIZE_MAX),
        "epsilon": check_epsilon,
        "ell": (1, SIZE_MAX),
    }
    server_cost = "report and item"
    tried = [
        {"d": 2, "ell": 1, "epsilon": 1.0},
        {"d": 1, "ell": 1, "epsilon": 17.0},  # there rounding makes the sign the worst of it
        {"d": 3, "ell": 2, "epsilon": 0.8},
    ]

    @property
    def width(self) -> int:
        """Number of keys, dummies included: d + ℓ."""
        return self.d + self.ell

    @cached_property
    def keep_sign(self) -> Fraction:
        """The probability p of the right sign, e^ε/(e^ε + 1), rounded down."""
        return truthful(self.epsilon)

    @cached_property
    def speak(self) -> float:
        """The probability b of answering about another key, rounded up, for p as it is."""
        plus = 2 * self.keep_sign
        return round_up(plus / (odds(self.epsilon) + plus))

    @property
    def answer(self) -> AnswerLaw:
        """(α, β, γ) = (p/2, (1−p)/2, b/2)."""
        p = self.keep_sign
        return p / 2, (1 - p) / 2, exact(self.speak) / 2

    def used(self, sizes: Ints) -> Floats:
        """1/max(size, ℓ)."""
        return np.asarray(1 / np.maximum(sizes, self.ell))

    @property
    def realised_epsilon(self) -> float:
        """ln[(hA + rC) / (h min(B, C) + rC)]: h = min(d, ℓ) pairs differ, r = ℓ − h dummies do not.

        A, B and C are how much likelier the right sign, the wrong one and silence are about the
        drawn key than about another one: α/γ, β/γ and 1/(2−4γ).
        """
        alpha, beta, gamma = self.answer
        silent = 1 / (2 - 4 * gamma)
        pairs = min(self.d, self.ell)
        dummies = (self.ell - pairs) * silent
        most = pairs * alpha / gamma + dummies
        least = pairs * min(beta / gamma, silent) + dummies
        return chance.log(most / least)

    @property
    def layout(self) -> Layout:
        """An answer −1, 0 or 1 for each key: log₂ 3^(d+ℓ) bits; published are two bits per key."""
        return {"": (np.int8, 3, self.width)}

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Signs:
        keys, signs = draw_pair(values, self.d, self.ell, rng)
        reports = np.zeros((len(keys), self.width), np.int8)
        for part in blocks(len(keys), BLOCK):
            reports[part] = self._answers(keys[part], signs[part], rng)
        return reports

    def _answers(self, keys: Ints, signs: Ints, rng: Randomness) -> Signs:
        """Draw everybody's answers about all keys, (n, d + ℓ)."""
        own = keys[:, None] == np.arange(self.width)
        told = bernoulli(np.where(own, 0.5, self.speak), own.shape, rng)
        coins = packed_bernoulli(0.5, own.shape, rng, used=told & ~own)
        bits = np.unpackbits(coins, axis=1, count=self.width, bitorder="little")
        plus = bits.view(np.bool_)
        told_own = (told & own).any(1)
        right = bernoulli(inexact(self.keep_sign), keys.shape, rng, used=told_own)
        plus[own] = right == (signs > 0)
        return np.asarray(told * np.where(plus, np.int8(1), np.int8(-1)), np.int8)

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Reports:
        found = check_array(reports, "reports")
        if found.dtype.kind not in "iu" or found.shape[1:] != (self.width,):
            rule = f"reports must be integers (n, d + ell = {self.width})"
            raise ValueError(f"{rule}, got {found.dtype} values of shape {found.shape}")
        wrong = found[(found < -1) | (found > 1)]
        if wrong.size:
            raise ValueError(f"reports must be -1, 0 or 1, got {wrong[0]}")
        return found

    def _count(self, reports: Reports) -> Ints:
        """Count the answers −, nothing and + about each key, (d, 3)."""
        about_keys = reports[:, : self.d]
        minus = np.count_nonzero(about_keys == -1, axis=0)
        plus = np.count_nonzero(about_keys == 1, axis=0)
        return np.stack([minus, len(reports) - minus - plus, plus], -1)

    def _worst(self) -> Signs:
        """Answer + about all keys."""
        return np.ones((1, self.width), np.int8)

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        return self._contrast_of_independent(tally, weights)

    # -------------------------------------------------------------------------------- simulation

    def _check_population(self, population: Holdings) -> None:
        check_sizes(population)
        super()._check_population(population)


class PadAndSample(ABC):
    """Name of 1.0.0 for both PCKV mechanisms: `isinstance` tells."""

    d: int
    ell: int

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return issubclass(kind, PCKVGRR | PCKVUE)


# ------------------------------------------------------------------------- what both have alike


def draw_pair(values: Records, d: int, ell: int, rng: Randomness) -> tuple[Ints, Ints]:
    """Draw a key in [0, d+ℓ) and a sign, 1 or −1, of each padded record: (n,) both."""
    keys, drawn = pad_and_sample(values, d, ell, rng)
    return keys, discretise(np.asarray(drawn), rng)


def check_sizes(population: Holdings) -> None:
    """Refuse a population whose records are of unknown size."""
    if population.sizes is None:
        rule = "population must have sizes, as holdings(…, sizes=True) counts them"
        raise ValueError(f"{rule}, got none")


# ---------------------------------------------------------------------------- when keys change


def stale_epsilon(old: PCKVGRR, d_new: int) -> float:
    r"""Exact ε of a PCKV-GRR client with the probabilities of the old d, among d_new keys.

    The printed client reports the drawn key with probability α+β, and one of the other keys
    otherwise.  If it goes on to do so, each signed key that is not its own has now
    :math:`\gamma' = \gamma(d+\ell-1)/(d'+\ell-1)`, and a report the probability :math:`\gamma'`,
    :math:`[\alpha+(\ell-1)\gamma']/\ell` or :math:`[\beta+(\ell-1)\gamma']/\ell` at the extremes;
    ε is the logarithm of the largest over the smallest.

    - Where keys were added, ε rises without bound: :math:`\gamma'` goes to 0.
    - Where keys were removed, ε falls at first if ℓ > 1, and stays for ℓ = 1, since the sign is as
      safe as before.  Once :math:`\gamma' > \alpha`, a key is likelier to come from a person who
      does *not* hold it, and ε rises again: for ℓ = 1 to :math:`\ln(\gamma'/\beta)`, above the
      stated one; for ℓ > 1 it stays below :math:`\ln[\ell/(\ell-1)]`.

    All this is for a client whose pairs and whose random keys come from one and the same set,
    which is public.  If it draws from its record a key that its random draw does not know, only
    holders can send it: ε = ∞.

    Source: derived; wang2024 §3.2, Tables 1 and 2, says only that ε is not kept in the first case,
    and that accuracy suffers in the second.

    Parameters
    ----------
    old : PCKVGRR
        Of the old set of keys.
    d_new : int
        Number of keys now.

    Notes
    -----
    The client of `PCKVGRR` draws blindly among *all* signed keys, which is the same law as long as
    keys stay what they were.  With a stale `keep` it would spend
    :math:`\ln[1 + (e^\varepsilon-1)(d'+\ell)/(d+\ell)]`.
    """
    if not isinstance(old, PCKVGRR):
        raise ValueError(f"old must be a PCKVGRR, got {shown(old)}")
    alpha, beta, gamma = old.answer
    ell = old.ell
    others = check_count(d_new, 1, "d_new", SIZE_MAX) + ell - 1
    other = gamma * (old.width - 1) / others
    right_sign = (alpha + (ell - 1) * other) / ell
    wrong_sign = (beta + (ell - 1) * other) / ell
    chances = [other, right_sign, wrong_sign]
    return chance.log(max(chances) / min(chances))
