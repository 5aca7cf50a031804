"""Strings from an open domain: public cohorts with their own hash functions, and candidates named when counting.

`RAPPOR` sends a Bloom filter with noise that is remembered, `ORR` one slot.  What both share is `Hashed`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import exp, floor
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import lapack
from scipy.sparse import csc_array

from ldpnb import crowds
from ldpnb.chance import Randomness, bernoulli, binomial, log, log_up, odds, round_down, round_up, scatter, uniform
from ldpnb.checks import (
    HASHES_MAX,
    SIZE_MAX,
    Limit,
    check_codes,
    check_count,
    check_epsilon,
    check_fields,
    check_histogram,
    check_people,
    check_probability,
)
from ldpnb.core import Example, OpenMechanism, Reports, Tally
from ldpnb.hashing import digest64
from ldpnb.oracles.frequency import GRR

Name = int | str

BLOCK = 2**13  # people whose bits are drawn at a time, so that memory is that of their reports
DIGITS = 1200  # binary places that a power of a ratio keeps: enough for the smallest f that a float can hold
APART = 1e-10  # a filter depends on others if its squared distance from their span is below this part of the largest


class Hashed(OpenMechanism):
    r"""What mechanisms for an open domain share: cohorts, hash functions, and least squares over named candidates.

    A person joins one of C public cohorts.  The h hash functions of the cohort set cells of a filter of the value.
    The report is about the cells of one cohort: a cell is counted with probability :math:`q^*` if the filter sets it
    and with :math:`p^*` if not.  The estimate solves the linear equations between the candidates' shares and the
    expected counts by least squares: :math:`X^+ y`, with X the filters of the candidates, one below the other for all
    cohorts (`design`), and :math:`y = (C/n)(\text{counts} - p^* N_c)/(q^* - p^*)` for the :math:`N_c` reports of a
    cohort.  The factor C/n, rather than :math:`1/N_c`, makes it linear and exactly unbiased for every n.

    Somebody whose value is not among the candidates contributes :math:`X^+ x` to the expected estimate, x being
    the filters of that value: values from outside spill into the candidates that share cells with them.

    A subclass adds its client, its probabilities and how the cells of one report vary together.  Values and candidates
    (`items`) are integers or strings; 1 and "1" are two values.  Reports have the public field ``cohort``.
    """

    cohorts: Any  # int: fields, or fixed by the mechanism
    hashes: Any
    limits: ClassVar[Mapping[str, Limit]] = {"cohorts": (1, SIZE_MAX)}
    public_fields: ClassVar[tuple[str, ...]] = ("cohort",)

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of cells of a filter."""

    @property
    @abstractmethod
    def support(self) -> tuple[Fraction, Fraction]:
        """(q*, p*): probability that a report counts a cell which the filter sets, and one which it does not."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""

    @property
    def public_bits(self) -> int:
        """⌈log₂ C⌉."""
        return int(self.cohorts - 1).bit_length()

    @abstractmethod
    def _counted(self, reports: Reports) -> NDArray[np.int64]:
        """Count the cells of each cohort's reports: (C, width)."""

    @abstractmethod
    def _drawn(self, own: NDArray[np.int64], people: NDArray[np.int64], rng: Randomness) -> NDArray[np.int64]:
        """Draw these counts for `people` in each cohort (C,), of whom `own` (C, width) have a cell set."""

    @abstractmethod
    def _spread(self, g: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Variance of a report's weighted cells, given the cohort, summed over cohorts; over (q* − p*)².

        It is linear in the filter: returned are that of an empty filter (candidates,) and what each set cell adds
        (C width, candidates), for weights (C width, candidates).
        """

    # ------------------------------------------------------------------------------------------------- filters

    def _positions(self, pairs: Sequence[tuple[Name, int]]) -> NDArray[np.int64]:
        """Cells set for values in cohorts, (len(pairs), h)."""
        numbers = range(self.hashes)
        found = [position(item, cohort, number, self.width) for item, cohort in pairs for number in numbers]
        return np.array(found, np.int64).reshape(len(pairs), self.hashes)

    def design(self, items: ArrayLike | Sequence[Name]) -> csc_array[np.float64]:
        """X: filters of values in all cohorts, one below the other, a sparse matrix of zeros and ones.

        (C width, len(items)); row ``c * width + b`` is cell b of cohort c.
        """
        listed = _listed(items, "items")
        cells = self._positions([(item, cohort) for item in listed for cohort in range(self.cohorts)])
        cells += np.tile(np.arange(self.cohorts) * self.width, len(listed))[:, None]
        ends = np.arange(len(listed) + 1) * (self.cohorts * self.hashes)
        x = csc_array((np.ones(cells.size), cells.ravel(), ends), shape=(self.cohorts * self.width, len(listed)))
        x.sum_duplicates()
        x.data[:] = 1  # hash functions that meet set one cell
        return x

    def filters(self, items: ArrayLike | Sequence[Name]) -> NDArray[np.bool_]:
        """Write out the filters of values in all cohorts: bool (len(items), C, width)."""
        x = self.design(items)
        return np.asarray(x.toarray().T.astype(np.bool_).reshape(-1, self.cohorts, self.width))

    def _values(self, values: ArrayLike | Sequence[Name]) -> list[Name]:
        return _listed(values, "values")

    def _assign(self, values: list[Name], rng: Randomness) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw each person's cohort, (n,), and look up the cells of the value in it, (n, h)."""
        codes, distinct = _coded(values)
        cohort = uniform(self.cohorts, codes.shape, rng)
        pairs, which = np.unique(codes * self.cohorts + cohort, return_inverse=True)
        return cohort, self._positions([(distinct[i // self.cohorts], i % self.cohorts) for i in pairs.tolist()])[which]

    # -------------------------------------------------------------------------------------------------- server

    def _reports(self, reports: Reports) -> Reports:
        found = check_fields(reports, self.dtype)
        check_codes(found["cohort"], self.cohorts, "cohort")
        return found

    def _items(self, items: ArrayLike | Sequence[Name] | None) -> tuple[Name, ...] | None:
        return None if items is None else check_candidates(items)

    def _count(self, reports: Reports, items: tuple[Name, ...] | None) -> NDArray[np.int64]:
        """Count each cell in the reports of each cohort, and these reports: (C, width + 1), whatever the candidates."""
        return np.column_stack([self._counted(reports), np.bincount(reports["cohort"], minlength=self.cohorts)])

    def _score(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the share of each candidate by least squares: (…, candidates).

        Raises
        ------
        ValueError
            If the tally names no candidates, or their filters are linearly dependent.
        """
        x, inverse = _decoder(self, check_candidates(tally.items))
        q, p = (float(s) for s in self.support)
        y = (tally.counts[..., :-1] - p * tally.counts[..., -1:]) / (q - p) * (self.cohorts / tally.n)
        flat = y.reshape(-1, x.shape[0])
        return np.asarray((x.T @ flat.T).T @ inverse).reshape(*y.shape[:-2], -1)

    def expected(self, values: ArrayLike | Sequence[Name], items: Any = None) -> NDArray[np.float64]:
        """One for the person's value if it is a candidate, zero for the others; otherwise X⁺ x: (n, candidates)."""
        codes, distinct = _coded(self._values(values))
        return self._shares(distinct, check_candidates(items))[codes]

    def _shares(self, distinct: Sequence[Name], candidates: tuple[Name, ...]) -> NDArray[np.float64]:
        x, inverse = _decoder(self, candidates)
        place = {item: i for i, item in enumerate(candidates)}
        shares = np.zeros((len(distinct), len(candidates)))
        inside = [i for i, item in enumerate(distinct) if item in place]
        shares[inside, [place[distinct[i]] for i in inside]] = 1
        outside = [i for i, item in enumerate(distinct) if item not in place]
        shares[outside] = (self.design([distinct[i] for i in outside]).T @ x).toarray() @ inverse
        return shares

    def variance(self, values: ArrayLike | Sequence[Name], items: Any = None) -> NDArray[np.float64]:
        """Variance of each person's score, cohort draw included: (n, candidates).

        With g the column of X⁺ (transposed) of one candidate, cut into cohorts, x the filters of the value and S the
        cells of a report over q* − p*: C Σ_c {Var[Σ_b g S] + (Σ_b g x)²} − expected².
        """
        (codes, distinct), candidates = _coded(self._values(values)), check_candidates(items)
        x, inverse = _decoder(self, candidates)
        g, own = np.asarray(x @ inverse), self.design(distinct).tocsr()
        empty, each = self._spread(g)
        second = empty + own.T @ each
        for start in range(0, len(g), self.width):
            part = slice(start, start + self.width)
            second += np.square(own[part].T @ g[part])
        return np.asarray(self.cohorts * second - np.square(self._shares(distinct, candidates)))[codes]

    # ---------------------------------------------------------------------------------------------- simulation

    def simulate(
        self, counts: ArrayLike, values: ArrayLike | Sequence[Name], *, trials: int, rng: Randomness, items: Any = None
    ) -> Tally:
        """Tallies of a population, exact in their joint law, in O(C h values + C width) each.

        Parameters
        ----------
        counts : array_like of int (k,)
            How many people hold each of the values.
        values : sequence of int or str (k,)
            Distinct; candidates and others.
        trials : int
        rng : numpy.random.Generator or Paths
        items : sequence, optional
            Candidates, as for `tally`.

        Returns
        -------
        Tally
            Counts (trials, C, width + 1).
        """
        listed, trials = _distinct(values, "values"), check_count(trials, 1, "trials")
        histogram = check_histogram(counts, len(listed))
        cell, value = self.design(listed).nonzero()
        found = np.empty((trials, self.cohorts, self.width + 1), np.int64)
        for one in found:
            people = scatter(histogram, self.cohorts, rng)
            own = np.bincount(cell, people[value, cell // self.width], self.cohorts * self.width)  # exact below 2**53
            one[:, -1] = people.sum(0)
            one[:, :-1] = self._drawn(own.astype(np.int64).reshape(self.cohorts, -1), one[:, -1], rng)
        return Tally(self, int(histogram.sum()), found, self._items(items))

    def crowd(self, n: int, rng: np.random.Generator | None) -> NDArray[np.str_]:
        """Names, most of them different."""
        return crowds.names(10**5, n, rng)

    def candidates(self) -> list[str]:
        """Return some of the names."""
        return [f"item {i}" for i in range(20)]

    def _example(self, values: list[Any]) -> Example:
        """Return candidates, of which two attain ε, and last a stranger to them."""
        return Example(self, np.array(values), items=tuple(values[:-1]), histogram=True, pairs=self.report_bits < 4)


@dataclass(frozen=True, kw_only=True)
class RAPPOR(Hashed):
    r"""Bloom filter, permanent response, instantaneous response.

    A person joins one of C cohorts, once.  The h public hash functions of the cohort set bits of a Bloom filter B
    of the value.  The *permanent response* flips each bit with probability f/2, once, and is kept.  Each report
    reads it afresh: a bit is sent as 1 with probability q where the permanent bit is 1, and with probability p
    where it is 0.  So a report's bit is 1 with probability

    .. math:: q^* = (1-f/2)\,q + (f/2)\,p \quad\text{or}\quad p^* = (f/2)\,q + (1-f/2)\,p

    where the bit of the filter is 1 or 0.  Counting, estimate and noise are those of `Hashed`; the bits of a report are
    independent.

    Source: Erlingsson, Pihur and Korolova 2014; ye2018 §4.1.1, which swaps the letters p and q and calls h the length
    of the filter.

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

    Reports have the fields ``cohort`` (public) and ``bits``, (n,).
    """

    bits: int
    hashes: int
    cohorts: int
    f: float
    p: float
    q: float
    label = "RAPPOR"
    limits: ClassVar[Mapping[str, Limit]] = {
        "bits": (1, SIZE_MAX),
        "hashes": (1, HASHES_MAX),
        "f": check_probability,
        "p": check_probability,
        "q": check_probability,
    }
    scope = (16, 128, 10**4)
    epsilons = (1e-6, 16.0)

    def __post_init__(self) -> None:
        super().__post_init__()
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
        return log(_odds_ratio(*self.support), self.hashes)

    @property
    def lifetime_epsilon(self) -> float:
        """Of the permanent response, hence of all reports on one value together: 2h ln[(1−f/2)/(f/2)].

        A bound as `epsilon` is.  It does not cover a value that changes: every new value has a new permanent response.
        """
        return log_up((2 / Fraction(self.f) - 1) ** (2 * self.hashes))

    def exposure(self, reports: int) -> float:
        r"""Of this many reports on one value, all read off one permanent response: `epsilon` for one.

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
        for a in (p / q) ** times, ((1 - q) / (1 - p)) ** times:
            # rounded down, which can only add to ε: the whole power has millions of digits where reports are many
            one, zero = _support(flip, Fraction(floor(a * 2**DIGITS), 2**DIGITS), Fraction(1))
            ratio *= one / zero
        return log_up(ratio**self.hashes)

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

    def memoise(self, values: ArrayLike | Sequence[Name], *, rng: Randomness) -> NDArray[np.void]:
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
        listed = self._values(values)
        check_people(listed)
        return self._memoise(listed, rng)

    def _memoise(self, values: list[Name], rng: Randomness) -> NDArray[np.void]:
        cohort, cells = self._assign(values, rng)
        state = np.empty(len(cohort), self.state_dtype)
        state["cohort"] = cohort
        for start in range(0, len(cohort), BLOCK):
            some = cells[start : start + BLOCK]
            bloom = np.zeros((len(some), self.bits), np.bool_)
            bloom[np.arange(len(some))[:, None], some] = True
            state["permanent"][start : start + BLOCK] = bloom ^ bernoulli(float(self.flip), bloom.shape, rng)
        return state

    def respond(self, state: NDArray[np.void], *, rng: Randomness) -> Reports:
        """Draw one report from each state, as often as one likes: (n,) with the fields ``cohort`` and ``bits``."""
        state = check_fields(state, self.state_dtype, "state")
        check_codes(state["cohort"], self.cohorts, "cohort")
        p, q = (float(x) for x in self.instantaneous)
        reports = np.empty(len(state), self.dtype)
        reports["cohort"] = state["cohort"]
        for start in range(0, len(state), BLOCK):
            permanent = state["permanent"][start : start + BLOCK]
            reports["bits"][start : start + BLOCK] = bernoulli(np.where(permanent, q, p), permanent.shape, rng)
        return reports

    def _perturb(self, values: list[Name], rng: Randomness) -> Reports:
        """Draw one report a person from a fresh state."""
        return self.respond(self._memoise(values, rng), rng=rng)

    # -------------------------------------------------------------------------------------------------- server

    @property
    def width(self) -> int:
        """Length of a filter."""
        return self.bits

    def _counted(self, reports: Reports) -> NDArray[np.int64]:
        cohort = reports["cohort"]
        order, ends = np.argsort(cohort, kind="stable"), np.cumsum(np.bincount(cohort, minlength=self.cohorts))
        groups = np.split(order, ends[:-1])
        return np.array([reports["bits"][group].sum(0, dtype=np.int64) for group in groups])

    def _drawn(self, own: NDArray[np.int64], people: NDArray[np.int64], rng: Randomness) -> NDArray[np.int64]:
        q, p = (float(s) for s in self.support)
        return binomial(own, q, own.shape, rng) + binomial(people[:, None] - own, p, own.shape, rng)

    def _spread(self, g: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bits are independent: Σ_b g² q*(1−q*) or Σ_b g² p*(1−p*)."""
        q, p = self.support
        one, zero = (float(s * (1 - s) / (q - p) ** 2) for s in (q, p))
        square = np.square(g)
        return zero * square.sum(0), (one - zero) * square

    @classmethod
    def example(cls) -> list[Example]:
        """One hash function; the permanent response alone; two hash functions."""
        return [
            cls(bits=2, hashes=1, cohorts=2, f=0.4, p=0.5, q=0.75)._example([0, 2, 1000]),
            cls(bits=3, hashes=1, cohorts=3, f=0.3, p=0, q=1)._example(["0", "1", "2", "x0"]),
            cls(bits=4, hashes=2, cohorts=2, f=0.5, p=0.5, q=0.75)._example(["0", "2", "3", "x0"]),
        ]

    @classmethod
    def sized(cls, size: int, epsilon: float) -> Self:
        """For filters of so many bits; ε is that of all reports on one value together."""
        return cls(bits=size, hashes=2, cohorts=4, f=2 / (1 + exp(epsilon / 4)), p=0.25, q=0.75)


def one_time(*, bits: int, hashes: int, cohorts: int, epsilon: float) -> RAPPOR:
    r"""RAPPOR that sends its permanent response itself (O-RAPPOR), for a given ε: all reports are one and the same.

    :math:`f = 2/(1 + e^{\varepsilon/2h})`, rounded up, p = 0 and q = 1.  With one hash function and a filter that has a
    bit for every item it would be `frequency.SUE`.

    Source: Kairouz, Bonawitz and Ramage 2016; ye2018 §4.1.1.

    Parameters
    ----------
    bits, hashes, cohorts : int, at least 1
    epsilon : float
        `RAPPOR.epsilon` and `RAPPOR.lifetime_epsilon` of what is returned are at most this, and next to it.
    """
    share = Fraction(check_epsilon(epsilon)) / (2 * check_count(hashes, 1, "hashes", HASHES_MAX))
    f = 2 * round_up(1 / (odds(share) + 1))
    return RAPPOR(bits=bits, hashes=hashes, cohorts=cohorts, f=f, p=0, q=1)


@dataclass(frozen=True, kw_only=True)
class ORR(Hashed):
    r"""O-RR: hash the value into one of k slots by the public hash function of one's cohort, then k-RR over the slots.

    Given the cohort the law is that of k-RR, :math:`e^\varepsilon/(e^\varepsilon+k-1)` for the value's slot and
    :math:`1/(e^\varepsilon+k-1)` for any other; the joint law of cohort and slot has a factor 1/C, which is public and
    cancels in every ratio.

    The k cells of a cohort sum to one in every filter.  So X has at most rank C(k−1) + 1, and no more candidates can
    be told apart.  Counting, estimate and noise are those of `Hashed`; a report counts one slot.

    Source: Kairouz, Bonawitz and Ramage 2016; ye2018 §4.1.1.

    Parameters
    ----------
    k : int, at least 2
        Number of slots.
    cohorts : int, at least 1
        C.
    epsilon : float
        A bound for all values, attained by two that have different slots in some cohort.

    Reports have the fields ``cohort`` (public) and ``slot``, (n,).
    """

    k: int
    cohorts: int
    epsilon: float
    label = "O-RR"
    limits: ClassVar[Mapping[str, Limit]] = {"k": (2, SIZE_MAX), "epsilon": check_epsilon}
    scope = (2, 128, 4000)

    @cached_property
    def slots(self) -> GRR:
        """The oracle over slots that protects the report."""
        return GRR(k=self.k, epsilon=self.epsilon)

    @property
    def hashes(self) -> int:
        """One hash function a cohort."""
        return 1

    @property
    def width(self) -> int:
        """Number of slots."""
        return self.k

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(q*, p*): probability that a report names the value's own slot, and any other one."""
        return self.slots.support

    @property
    def realised_epsilon(self) -> float:
        """That of the oracle over slots."""
        return self.slots.realised_epsilon

    @property
    def report_bits(self) -> int:
        """⌈log₂ k⌉; the cohort is public."""
        return self.slots.report_bits

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""
        return np.dtype([("cohort", np.int64), ("slot", np.int64)])

    def _perturb(self, values: list[Name], rng: Randomness) -> Reports:
        cohort, cells = self._assign(values, rng)
        reports = np.empty(len(cohort), self.dtype)
        reports["cohort"], reports["slot"] = cohort, self.slots.perturb(cells[:, 0], rng=rng)
        return reports

    def _reports(self, reports: Reports) -> Reports:
        found = super()._reports(reports)
        check_codes(found["slot"], self.k, "slot")
        return found

    def _counted(self, reports: Reports) -> NDArray[np.int64]:
        cells = reports["cohort"] * self.k + reports["slot"]
        return np.bincount(cells, minlength=self.cohorts * self.k).reshape(self.cohorts, -1)

    def _drawn(self, own: NDArray[np.int64], people: NDArray[np.int64], rng: Randomness) -> NDArray[np.int64]:
        kept = binomial(own, self.slots.keep, own.shape, rng)
        return kept + scatter(people - kept.sum(-1), self.k, rng)

    def _spread(self, g: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """One slot a report, hence the variance of the weight of one draw, which each filter's one slot chooses."""
        weights = g.reshape(self.cohorts, self.k, -1).swapaxes(1, 2)
        return np.zeros(g.shape[1]), self.slots.linear_variance(weights).swapaxes(1, 2).reshape(g.shape)

    @classmethod
    def example(cls) -> list[Example]:
        """Integers, and strings, as many as the slots tell apart."""
        return [
            cls(k=3, cohorts=2, epsilon=1.0)._example([0, 1, 1000]),
            cls(k=2, cohorts=3, epsilon=3.0)._example(["0", "1", "2", "4", "x0"]),
        ]

    @classmethod
    def sized(cls, size: int, epsilon: float) -> Self:
        """For so many slots."""
        return cls(k=size, cohorts=32, epsilon=epsilon)


def position(item: Name, cohort: int, number: int, bits: int) -> int:
    """Bit in {0, …, bits−1} that a hash function of a cohort sets for an item; the same on every machine."""
    text = f"{cohort},{number},{'s' if isinstance(item, str) else 'i'},{item}"
    return digest64(text) % bits


def pivoted(x: Any) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
    """Cholesky factor of XᵀX with pivoting, the order of its columns, and the rank.

    XᵀX holds integers and is exact.  Each pivot is the squared distance of a column from the span of those before it,
    the largest first.
    """
    gram = (x.T @ x).toarray()
    factor, order, rank, _ = lapack.dpstrf(gram, tol=APART * gram.diagonal().max())
    return factor, order - 1, int(rank)


@lru_cache(maxsize=4)
def _decoder(mechanism: Hashed, items: tuple[Name, ...]) -> tuple[csc_array[np.float64], NDArray[np.float64]]:
    """Return X and (XᵀX)⁻¹, so that X⁺ = (XᵀX)⁻¹ Xᵀ."""
    x = mechanism.design(items)
    if len(items) > x.shape[0]:
        rank = f"at most {x.shape[0]}"
    else:
        factor, order, found = pivoted(x)
        if found == len(items):
            half, _ = lapack.dpotri(factor)
            inverse = np.empty_like(half)
            inverse[np.ix_(order, order)] = np.triu(half) + np.triu(half, 1).T
            return x, inverse
        rank = str(found)
    raise ValueError(
        f"items must have linearly independent filters, got {len(items)} candidates of rank {rank}: "
        "use more bits, slots or cohorts"
    )


def _support(flip: Fraction, p: Fraction, q: Fraction) -> tuple[Fraction, Fraction]:
    return (1 - flip) * q + flip * p, flip * q + (1 - flip) * p


def _odds_ratio(q: Fraction, p: Fraction) -> Fraction:
    return q * (1 - p) / (p * (1 - q))


def _listed(values: Any, name: str) -> list[Name]:
    array = values if isinstance(values, np.ndarray) else np.asarray(values, object)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of integers or strings, got shape {array.shape}")
    listed: list[Name] = array.tolist()
    if array.dtype == object:
        listed = [x.item() if isinstance(x, np.generic) else x for x in listed]
    wrong = {type(x) for x in listed} - {int, str}
    if wrong:
        raise ValueError(f"{name} must be integers or strings, got {sorted(kind.__name__ for kind in wrong)}")
    return listed


def _coded(listed: list[Name]) -> tuple[NDArray[np.int64], list[Name]]:
    """Return each person's value as a place in the list of distinct ones, and that list."""
    place = {item: i for i, item in enumerate(dict.fromkeys(listed))}
    return np.fromiter(map(place.__getitem__, listed), np.int64, len(listed)), list(place)


def _distinct(values: Any, name: str) -> list[Name]:
    listed = _listed(values, name)
    if len(set(listed)) < len(listed):
        raise ValueError(f"{name} must be distinct, got {len(listed) - len(set(listed))} of {len(listed)} repeated")
    return listed


def check_candidates(items: Any) -> tuple[Name, ...]:
    """Return candidates if they are integers or strings, distinct and at least one."""
    if items is None:
        raise ValueError("items must name the candidates, got None")
    listed = _distinct(items, "items")
    if not listed:
        raise ValueError("items must hold at least one candidate, got none")
    return tuple(listed)
