"""RAPPOR: strings from an open domain through Bloom filters, with answers that are remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, bernoulli, log, log_up, round_down, round_up, uniform
from ldpnb.core import Mechanism, Reports, Tally, check_codes, check_count, check_people, check_probability

Item = int | str


@dataclass(frozen=True, kw_only=True)
class RAPPOR(Mechanism):
    r"""Bloom filter, permanent response, instantaneous response.

    A person joins one of C cohorts, once.  The h public hash functions of the cohort set bits of a Bloom filter B
    of the value.  The *permanent response* flips each bit with probability f/2, once, and is kept.  Each report
    reads it afresh: a bit is sent as 1 with probability q where the permanent bit is 1, and with probability p
    where it is 0.  So a report's bit is 1 with probability

    .. math:: q^* = (1-f/2)\,q + (f/2)\,p \quad\text{or}\quad p^* = (f/2)\,q + (1-f/2)\,p

    where the bit of the filter is 1 or 0.  The estimate solves the linear equations between the candidates' shares
    and the bits' expectations by least squares: :math:`X^+ y`, with X the filters of the candidates, one below the
    other for all cohorts, and :math:`y = (C/n)(\text{ones} - p^* N_c)/(q^* - p^*)` for the :math:`N_c` reports of a
    cohort.  The factor C/n, rather than :math:`1/N_c`, makes it linear and exactly unbiased for every n.

    Somebody whose value x is not among the candidates contributes :math:`X^+ x` to the expected estimate, x being
    the filters of that value: values from outside spill into the candidates that share bits with them.

    Source: Erlingsson, Pihur and Korolova 2014; ye2018 §4.1.1, which swaps the letters p and q and calls h the length
    of the filter.

    Parameters
    ----------
    bits : int, at least 1
        Length of a filter.
    hashes : int, at least 1
        h; some may fall on the same bit.
    cohorts : int, at least 1
        C.
    f : float in (0, 1)
        Twice the probability that a permanent bit is flipped.
    p, q : float in [0, 1], p < q
        Probability that a report's bit is 1 where the permanent bit is 0, or 1.  p = 0 and q = 1 send the permanent
        response itself.

    Values and candidates (`items`) are integers or strings; 1 and "1" are two values.
    Reports have the fields ``cohort`` (public) and ``bits``, (n,).
    """

    bits: int
    hashes: int
    cohorts: int
    f: float
    p: float
    q: float
    public_fields: ClassVar[tuple[str, ...]] = ("cohort",)

    def __post_init__(self) -> None:
        for name in ("bits", "hashes", "cohorts"):
            object.__setattr__(self, name, check_count(getattr(self, name), 1, name))
        for name in ("f", "p", "q"):
            object.__setattr__(self, name, check_probability(getattr(self, name), name))
        if not 0 < self.flip < Fraction(1, 2):
            raise ValueError(f"f must be in (0, 1), with f/2 below 1/2 by at least 2**-53, got {self.f}")
        low, high = self.instantaneous
        if not low < high:
            raise ValueError(f"p must be below q by at least 2**-52, got p = {self.p} and q = {self.q}")

    # ------------------------------------------------------------------------------------------------- privacy

    @cached_property
    def flip(self) -> Fraction:
        """Probability that a permanent bit is flipped: f/2, rounded up."""
        return Fraction(round_up(Fraction(self.f) / 2))

    @cached_property
    def instantaneous(self) -> tuple[Fraction, Fraction]:
        """(p, q), rounded up and down: the closer they are, the less a report shows."""
        return Fraction(round_up(Fraction(self.p))), Fraction(round_down(Fraction(self.q)))

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
        return log_up(_odds_ratio(*_support(Fraction(self.f) / 2, Fraction(self.p), Fraction(self.q))) ** self.hashes)

    @property
    def realised_epsilon(self) -> float:
        """That of one report with the rounded probabilities, for two filters with h bits each and none in common."""
        return log(_odds_ratio(*self.support) ** self.hashes)

    @property
    def lifetime_epsilon(self) -> float:
        """Of the permanent response, hence of all reports on one value together: 2h ln[(1−f/2)/(f/2)].

        A bound as `epsilon` is.  It does not cover a value that changes: every new value has a new permanent response.
        """
        return log_up((2 / Fraction(self.f) - 1) ** (2 * self.hashes))

    @property
    def report_bits(self) -> int:
        """Length of the filter; the cohort is public."""
        return self.bits

    # -------------------------------------------------------------------------------------------------- client

    @property
    def state_dtype(self) -> np.dtype[np.void]:
        """Layout of what a client keeps."""
        return np.dtype([("cohort", np.int64), ("permanent", np.bool_, (self.bits,))])

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""
        return np.dtype([("cohort", np.int64), ("bits", np.bool_, (self.bits,))])

    def memoise(self, values: ArrayLike | Sequence[Item], *, rng: Randomness) -> NDArray[np.void]:
        """Draw each person's cohort and permanent response: what a client keeps; only the cohort is public.

        One call a person and value, ever: a second one would average the permanent noise away.

        Parameters
        ----------
        values : array_like of int or str (n,)
        rng : numpy.random.Generator, SystemRandom or Paths

        Returns
        -------
        ndarray (n,)
            With the fields ``cohort`` and ``permanent``.
        """
        listed = _listed(values, "values")
        check_people(listed)
        state = np.empty(len(listed), self.state_dtype)
        state["cohort"] = uniform(self.cohorts, (len(listed),), rng)
        pairs = list(zip(listed, state["cohort"].tolist(), strict=True))
        number = {pair: i for i, pair in enumerate(dict.fromkeys(pairs))}
        bloom = self._bloom(list(number))[[number[pair] for pair in pairs]]
        state["permanent"] = bloom ^ bernoulli(float(self.flip), bloom.shape, rng)
        return state

    def respond(self, state: NDArray[np.void], *, rng: Randomness) -> Reports:
        """Draw one report from each state, as often as one likes: (n,) with the fields ``cohort`` and ``bits``."""
        state = np.asarray(state)
        if state.dtype != self.state_dtype or state.ndim != 1:
            raise ValueError(f"state must be as memoise returns it, got {state.dtype} of shape {state.shape}")
        check_codes(state["cohort"], self.cohorts, "cohort")
        p, q = (float(x) for x in self.instantaneous)
        reports = np.empty(len(state), self.dtype)
        reports["cohort"] = state["cohort"]
        reports["bits"] = bernoulli(np.where(state["permanent"], q, p), state["permanent"].shape, rng)
        return reports

    def perturb(self, values: ArrayLike | Sequence[Item], *, rng: Randomness) -> Reports:
        """Draw one report a person from a fresh state: (n,) with the fields ``cohort`` and ``bits``."""
        return self.respond(self.memoise(values, rng=rng), rng=rng)

    # ------------------------------------------------------------------------------------------------- filters

    def _bloom(self, pairs: Sequence[tuple[Item, int]]) -> NDArray[np.bool_]:
        bloom = np.zeros((len(pairs), self.bits), np.bool_)
        for i, (item, cohort) in enumerate(pairs):
            for number in range(self.hashes):
                bloom[i, position(item, cohort, number, self.bits)] = True
        return bloom

    def filters(self, items: ArrayLike | Sequence[Item]) -> NDArray[np.bool_]:
        """Bloom filters of values in all cohorts: bool (len(items), C, bits)."""
        listed = _listed(items, "items")
        bloom = self._bloom([(item, cohort) for item in listed for cohort in range(self.cohorts)])
        return bloom.reshape(len(listed), self.cohorts, self.bits)

    # -------------------------------------------------------------------------------------------------- server

    def tally(self, reports: Reports, items: ArrayLike | Sequence[Item] | None = None) -> Tally:
        """Count the ones of each bit in each cohort, and the reports of each cohort: (C, bits + 1).

        The counts do not depend on the candidates; `estimate` wants them.
        """
        reports = np.asarray(reports)
        if reports.dtype != self.dtype or reports.ndim != 1:
            raise ValueError(f"reports must have the fields cohort and bits, got {reports.dtype} of {reports.shape}")
        cohort = check_codes(reports["cohort"], self.cohorts, "cohort")
        counts = np.empty((self.cohorts, self.bits + 1), np.int64)
        for c in range(self.cohorts):
            counts[c, :-1] = reports["bits"][cohort == c].sum(0)
        counts[:, -1] = np.bincount(cohort, minlength=self.cohorts)
        return Tally(self, len(reports), counts, None if items is None else _candidates(items))

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the share of each candidate by least squares: (…, candidates).

        Raises
        ------
        ValueError
            If the tally names no candidates, or their filters are linearly dependent.
        """
        counts = self._own(tally).counts
        q, p = (float(x) for x in self.support)
        ones = (counts[..., :-1] - p * counts[..., -1:]) / (q - p) * (self.cohorts / tally.n)
        return np.asarray(ones.reshape(*ones.shape[:-2], -1) @ _decoder(self, _candidates(tally.items)))

    def target(self, values: ArrayLike | Sequence[Item], items: Any = None) -> NDArray[np.float64]:
        """One for the person's value if it is a candidate, zero for the others; otherwise X⁺ x: (n, candidates)."""
        listed, candidates = _listed(values, "values"), _candidates(items)
        decoder = _decoder(self, candidates)
        share = {item: row for item, row in zip(candidates, np.eye(len(candidates)), strict=True)}
        outside = [item for item in dict.fromkeys(listed) if item not in share]
        share.update(zip(outside, self.filters(outside).reshape(len(outside), len(decoder)) @ decoder, strict=True))
        return np.array([share[item] for item in listed]).reshape(-1, len(candidates))

    def noise(self, values: ArrayLike | Sequence[Item], items: Any = None) -> NDArray[np.float64]:
        """Variance of each person's score, cohort draw included: (n, candidates).

        With g the column of X⁺ (transposed) of one candidate, cut into cohorts, x the filters of the value and w the
        bits' variances q*(1−q*) or p*(1−p*) over (q*−p*)²: C Σ_c [Σ_b g² w + (Σ_b g x)²] − target².
        """
        listed, candidates = _listed(values, "values"), _candidates(items)
        g = _decoder(self, candidates).reshape(self.cohorts, self.bits, -1)
        q, p = self.support
        one, zero = (float(s * (1 - s) / (q - p) ** 2) for s in (q, p))
        found = {}
        for item in dict.fromkeys(listed):
            x = self.filters([item])[0]
            bits = np.einsum("cbs,cb->s", g**2, np.where(x, one, zero))
            cohort = (np.einsum("cbs,cb->cs", g, x) ** 2).sum(0)
            found[item] = self.cohorts * (bits + cohort)
        second = np.array([found[item] for item in listed]).reshape(-1, len(candidates))
        return second - self.target(values, items) ** 2


def position(item: Item, cohort: int, number: int, bits: int) -> int:
    """Bit in {0, …, bits−1} that a hash function of a cohort sets for an item; the same on every machine."""
    text = f"{cohort},{number},{'s' if isinstance(item, str) else 'i'},{item}"
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % bits


@lru_cache(maxsize=4)
def _decoder(mechanism: RAPPOR, items: tuple[Item, ...]) -> NDArray[np.float64]:
    """Return X⁺ transposed, (C bits, candidates)."""
    x = mechanism.filters(items).reshape(len(items), -1)
    u, s, v = np.linalg.svd(x.astype(np.float64), full_matrices=False)
    rank = int((s > s[0] * max(x.shape) * np.finfo(np.float64).eps).sum())
    if rank < len(items):
        raise ValueError(
            f"items must have linearly independent filters, got {len(items)} candidates of rank {rank}: "
            "use more bits or cohorts"
        )
    return np.asarray((u / s) @ v).T


def _support(flip: Fraction, p: Fraction, q: Fraction) -> tuple[Fraction, Fraction]:
    return (1 - flip) * q + flip * p, flip * q + (1 - flip) * p


def _odds_ratio(q: Fraction, p: Fraction) -> Fraction:
    return q * (1 - p) / (p * (1 - q))


def _listed(values: Any, name: str) -> list[Item]:
    array = values if isinstance(values, np.ndarray) else np.asarray(values, object)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of integers or strings, got shape {array.shape}")
    listed: list[Item] = array.tolist()
    if array.dtype == object:
        listed = [x.item() if isinstance(x, np.generic) else x for x in listed]
    wrong = {type(x) for x in listed} - {int, str}
    if wrong:
        raise ValueError(f"{name} must be integers or strings, got {sorted(kind.__name__ for kind in wrong)}")
    return listed


def _candidates(items: Any) -> tuple[Item, ...]:
    if items is None:
        raise ValueError("items must name the candidates, got None")
    listed = _listed(items, "items")
    if not listed:
        raise ValueError("items must hold at least one candidate, got none")
    if len(set(listed)) < len(listed):
        raise ValueError(f"items must be distinct, got {len(listed) - len(set(listed))} of {len(listed)} repeated")
    return tuple(listed)
