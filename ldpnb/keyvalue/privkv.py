"""PrivKV, which perturbs presence and value with a budget each, and PrivKVM, which repeats it.

PrivKV is signed ternary: see `ldpnb.keyvalue.ternary`.  In the rounds of PrivKVM, a person who has
to fake a value takes the mean that the collector published after the round before, so that the
published mean climbs to the true one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, inexact, odds
from ldpnb.checks import (
    Limit,
    check_count,
    check_epsilon,
    check_numbers,
    check_people,
    check_unit,
    is_number,
    shown,
)
from ldpnb.core import Bools, Floats, Ints, Reports, Tally
from ldpnb.keyvalue.population import Holdings, check_holdings, discretise
from ldpnb.keyvalue.states import SampledKey
from ldpnb.keyvalue.ternary import AnswerLaw, tell
from ldpnb.oracles.hadamard import truthful
from ldpnb.records import Records


@dataclass(frozen=True, kw_only=True)
class PrivKV(SampledKey):
    r"""PrivKV: one public key; whether it is held is perturbed with ε₁, its value's sign with ε₂.

    The key is drawn uniformly.  A holder tells a sign with probability
    :math:`p_1 = e^{\varepsilon_1}/(1+e^{\varepsilon_1})`, otherwise nothing; a person without the
    key tells a sign with probability :math:`1-p_1`, that of a fake value of mean 0.  Every sign is
    flipped with probability :math:`1-p_2`,
    :math:`p_2 = e^{\varepsilon_2}/(1+e^{\varepsilon_2})`.  So :math:`\alpha = p_1p_2`,
    :math:`\beta = p_1(1-p_2)`, :math:`\gamma = (1-p_1)/2`, and the whole is protected by

    .. math:: \varepsilon = \max\Bigl(\varepsilon_2,\;
              \varepsilon_1 + \ln\frac{2}{1+e^{-\varepsilon_2}}\Bigr)
              < \varepsilon_1 + \varepsilon_2,

    less than the sum that it is published with, because fake signs are + and − alike.

    Source: Ye, Hu, Meng and Zheng 2019; sun2021 §4.2.

    Reports have the fields ``key`` (public) and ``state``, (n,).
    Tallies count the states of each key, (d, 3).

    Parameters
    ----------
    d : int
        Number of keys, {0, …, d−1}.
    key_epsilon, value_epsilon : float
        ε₁ and ε₂.

    Examples
    --------
    >>> ratings = PrivKV(d=3, key_epsilon=1.5, value_epsilon=1.5)
    >>> people = Records.of(*[{0: 1.0}, {0: -0.5}, {2: 1.0}] * 5000)
    >>> reports = ratings.perturb(people, rng=np.random.default_rng(0))
    >>> ratings.estimate(ratings.tally(reports)).round(1)  # frequency, frequency × mean
    array([[ 0.7, -0. ,  0.3],
           [ 0.2,  0. ,  0.4]])
    """

    key_epsilon: float
    value_epsilon: float
    label = "PrivKV"
    of_epsilon = "lambda e: replace(m, key_epsilon=e / 2, value_epsilon=e / 2)"
    limits: ClassVar[Mapping[str, Limit]] = {
        "key_epsilon": check_epsilon,
        "value_epsilon": check_epsilon,
    }
    tried = [  # equal budgets, and either of them larger
        {"d": 2, "key_epsilon": 0.5, "value_epsilon": 0.5},
        {"d": 3, "key_epsilon": 1.0, "value_epsilon": 0.3},
        {"d": 1, "key_epsilon": 4.0, "value_epsilon": 4.0},
        # presence and sign tell nearly as much
        {"d": 2, "key_epsilon": 2.35, "value_epsilon": 3.0},
    ]

    @classmethod
    def nominal_split(cls, d: int, epsilon: float) -> Self:
        """Return the published one, ε₁ = ε₂ = ε/2, whose exact `epsilon` is less than ε."""
        half = check_epsilon(epsilon) / 2
        return cls(d=d, key_epsilon=half, value_epsilon=half)

    @classmethod
    def tight_split(cls, d: int, epsilon: float) -> Self:
        """Return the one of exactly ε (to rounding): ε₂ = ε, ε₁ = ln[(e^ε+1)/2]."""
        key_epsilon = chance.log_down((odds(check_epsilon(epsilon)) + 1) / 2)
        return cls(d=d, key_epsilon=key_epsilon, value_epsilon=epsilon)

    @cached_property
    def p1(self) -> Fraction:
        """Probability of telling the truth about holding the key, rounded down."""
        return truthful(self.key_epsilon)

    @cached_property
    def p2(self) -> Fraction:
        """Probability of telling the sign as it is, rounded down."""
        return truthful(self.value_epsilon)

    @property
    def answer(self) -> AnswerLaw:
        """(α, β, γ) = (p₁p₂, p₁(1−p₂), (1−p₁)/2)."""
        return self.p1 * self.p2, self.p1 * (1 - self.p2), (1 - self.p1) / 2

    @property
    def epsilon(self) -> float:
        """max(ε₂, ε₁ + ln[2/(1+e^−ε₂)]), from the rounded probabilities."""
        return chance.log_up(_transcript_ratio(self, 1))

    @property
    def realised_epsilon(self) -> float:
        """The same, to the nearest float."""
        return chance.log(_transcript_ratio(self, 1))

    # ---------------------------------------------------------------- the client, in each round

    def _respond(self, held: Bools, values: Floats, rng: Randomness) -> Ints:
        return _told(held, values, inexact(self.p1), inexact(self.p2), rng)

    def follow_up(self, values: Records, fake: Floats, *, rng: Randomness) -> Reports:
        """Draw reports of a later round of PrivKVM: p₁ = 1/2, and public fake means, (d,).

        Otherwise as `perturb` does.  Their tally is for `printed_mean`; of frequencies it says
        nothing.
        """
        fake = check_unit(fake, "fake")
        if fake.shape != (self.d,):
            raise ValueError(f"fake must hold d = {self.d} means, got shape {fake.shape}")
        records = self._values(values)
        check_people(records)
        keys, held, own = self._draw(records, rng)
        signed = np.where(held, own, fake[keys])
        return self._report(keys, _told(held, signed, 0.5, inexact(self.p2), rng))

    # ---------------------------------------------------------------- the mean, as it is printed

    def printed_mean(self, tally: Tally) -> Floats:
        """Mean of each key as PrivKV prints it, (…, d): (n*₊ − n*₋)/N₁.

        N₁ = n₊ + n₋ reports told a sign, and n*± = [(p₂−1)N₁ + n±]/(2p₂−1), clipped to [0, N₁].
        It is the mean of all values that were told, fake ones with them, and tends to
        f p₁ m / [f p₁ + (1−f)(1−p₁)], not to m.  0 for a key of which nobody told a sign.
        """
        minus, _, plus = np.moveaxis(self._own(tally).counts, -1, 0)
        told = plus + minus
        p = inexact(self.p2)
        above = np.clip(((p - 1) * told + plus) / (2 * p - 1), 0, told)
        below = np.clip(((p - 1) * told + minus) / (2 * p - 1), 0, told)
        return np.asarray((above - below) / np.maximum(told, 1))


def _told(held: Bools, values: Floats, p1: float, p2: float, rng: Randomness) -> Ints:
    """States to report: the perturbed sign of a value, own or fake, or nothing.

    A holder tells a sign with probability p₁, anybody else with 1 − p₁.
    """
    tells = bernoulli(np.where(held, p1, 1 - p1), held.shape, rng)
    true = np.where(bernoulli(p2, held.shape, rng), 1, -1)
    return 1 + tells * true * discretise(values, rng)


def _transcript_ratio(first: PrivKV, rounds: int) -> Fraction:
    """Largest likelihood ratio of all reports of a person, whatever the public means.

    A later report tells the two signs, or a sign and a fake one of mean ±1, apart by p₂/(1−p₂) at
    most.  The first one tells apart the two signs by as much, and a sign and an absent key by p₁p₂
    over (1−p₁)/2; the same two inputs can be the worst of each round.
    """
    alpha, _, gamma = first.answer
    sign = first.p2 / (1 - first.p2)
    return max(sign, alpha / gamma) * sign ** (rounds - 1)


# ------------------------------------------------------------------------------ rounds of PrivKV


@dataclass(frozen=True, eq=False)
class PrivKVM:
    """What PrivKVM found.

    Attributes
    ----------
    frequency : ndarray (…, d)
        The linear estimate of the first round, which no later one adds to.
    means : ndarray (…, rounds run, d)
        The printed mean of each round.
    """

    frequency: Floats
    means: Floats

    @property
    def rounds_run(self) -> int:
        """Number of rounds that were run."""
        return int(self.means.shape[-2])


def privkvm(
    records: Records,
    *,
    d: int,
    key_epsilon: float,
    value_epsilon: float,
    rounds: int,
    rng: Randomness,
    stop: float | None = None,
) -> PrivKVM:
    """Run PrivKVM: in each round of PrivKV, fake values take the mean that the last one printed.

    The first round has budgets ε₁ and ε₂/c, and fake values of mean 0.  Later ones tell a sign with
    probability 1/2 whether the key is held or not, at ε₂/c; key and sign of the value are drawn
    anew.  Each round takes the means a step nearer: E m_r = f m + (1−f) m_{r−1}.

    Source: Ye, Hu, Meng and Zheng 2019; sun2021 §4.2.

    Parameters
    ----------
    records : Records with values in [−1, 1]
    d : int
        Number of keys.
    key_epsilon, value_epsilon : float
        ε₁, and ε₂ of all rounds together.  See `privkvm_epsilon` for what they come to.
    rounds : int
        c, at most.
    rng : Generator, SystemRandom or Paths
    stop : float, optional
        Stop once no key's mean has moved by more than this from one round to the next.  This rule
        is ours: PrivKVM+ chooses the number of rounds as well, but the text that we have (wang2024
        §2.1) names no rule.  It looks at public means only, so ε is never more; the budget of the
        rounds that were not run is not spent.
    """
    first = _first_round(d, key_epsilon, value_epsilon, rounds)
    if stop is not None and not (is_number(stop) and stop >= 0):
        raise ValueError(f"stop must be a number, at least 0, got {shown(stop)}")
    tally = first.tally(first.perturb(records, rng=rng))
    means = [first.printed_mean(tally)]
    for _ in range(rounds - 1):
        reports = first.follow_up(records, means[-1], rng=rng)
        means.append(first.printed_mean(first.tally(reports)))
        if stop is not None and np.max(np.abs(means[-1] - means[-2])) <= stop:
            break
    return PrivKVM(first.estimate(tally)[0], np.stack(means))


def privkvm_marginals(
    population: Holdings,
    *,
    key_epsilon: float,
    value_epsilon: float,
    rounds: int,
    trials: int,
    rng: Randomness,
) -> PrivKVM:
    """Simulate `privkvm`, exact for each key alone.

    Frequencies are (trials, d), means (trials, rounds, d).
    """
    first = _first_round(check_holdings(population).d, key_epsilon, value_epsilon, rounds)
    tally = first.simulate_marginals(population, trials=trials, rng=rng)
    means = [first.printed_mean(tally)]
    p = inexact(first.p2)
    for _ in range(rounds - 1):
        last = means[-1]
        fake = p * (1 + last) / 2 + (1 - p) * (1 - last) / 2  # chance that a fake sign becomes +
        plus = np.stack([np.full_like(fake, 1 - p), fake, np.full_like(fake, p)], -1)
        told = tell(first.ask(population, trials, rng), (1 - plus) / 2, plus / 2, rng)
        means.append(first.printed_mean(Tally(first, population.n, told)))
    return PrivKVM(first.estimate(tally)[..., 0, :], np.stack(means, -2))


def privkvm_epsilon(key_epsilon: float, value_epsilon: float, rounds: int) -> float:
    """Exact ε of all that a person sends to `privkvm`, if public means are as bad as can be.

    max(ε₂, ε₁ + ln[2/(1+e^−ε₂/c)] + (c−1)ε₂/c), from the rounded probabilities; at most ε₁ + ε₂,
    which is published.
    """
    first = _first_round(1, key_epsilon, value_epsilon, rounds)
    return chance.log_up(_transcript_ratio(first, rounds))


def privkvm_bias(f: ArrayLike, m: ArrayLike, key_epsilon: float, rounds: int) -> Floats:
    """Bias of the mean that PrivKVM prints after its last round, for a large population.

    −m (1−f)(1−p₁) / [f p₁ + (1−f)(1−p₁)] · (1−f)^(c−1); c = 1 is PrivKV.

    Parameters
    ----------
    f, m : array_like
        Frequency, in [0, 1], and mean, in [−1, 1], of a key; broadcast against each other.
    key_epsilon : float
    rounds : int
        c.
    """
    f = check_numbers(f, "f")
    m = check_unit(m, "m", np.ndim(m))
    if not np.all((f >= 0) & (f <= 1)):
        raise ValueError(f"f must be frequencies in [0, 1], got {f}")
    p = inexact(truthful(check_epsilon(key_epsilon, "key_epsilon")))
    fake = (1 - f) * (1 - p)
    later = (1 - f) ** (check_count(rounds, 1, "rounds") - 1)
    return np.asarray(-m * fake / (f * p + fake) * later)


def _first_round(d: int, key_epsilon: float, value_epsilon: float, rounds: int) -> PrivKV:
    share = check_epsilon(value_epsilon, "value_epsilon") / check_count(rounds, 1, "rounds")
    checked = check_epsilon(share, "value_epsilon / rounds")
    return PrivKV(d=d, key_epsilon=key_epsilon, value_epsilon=checked)
