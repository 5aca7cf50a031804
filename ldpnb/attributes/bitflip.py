"""Many attributes a person: clients that answer about all of them at once, every bit flipped with one probability."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp, nextafter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.attributes.records import RecordMechanism, split
from ldpnb.chance import Randomness, bernoulli, exact, inexact, log, log_up, odds, round_up
from ldpnb.checks import HASHES_MAX, Limit, check_count, check_probability, is_number, out_of_range, shown
from ldpnb.core import Bools, Floats, Ints, Layout, Mechanism, Reports, Tally, best_bits
from ldpnb.exact.formulas import Budget
from ldpnb.exact.questions import note_range, within
from ldpnb.hashing import digest64

BITS_MAX = 2**16  # of a filter; decoding inverts a matrix of so many columns


@dataclass(frozen=True, kw_only=True)
class Flip(RecordMechanism):
    r"""What the clients share: a public code of bits for each value, and every bit flipped with probability f/2.

    Bits are independent given the record, and a bit that two records have in common says nothing about which of them
    it is.  So with H_j the largest Hamming distance between two codes of attribute j, a record is protected by
    :math:`\varepsilon = \ln\frac{1-f/2}{f/2} \sum_j H_j`, and one attribute of it by the largest :math:`H_j` times the
    logarithm.  Both are attained.
    """

    f: float
    limits: ClassVar[Mapping[str, Limit]] = {"f": check_probability}
    server_cost = "report and item"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not within(self.flip, 0, Fraction(1, 2)):
            raise ValueError(f"f must be in (0, 1), with f/2 below 1/2 by at least 2**-53, got {self.f}")

    @property
    @abstractmethod
    def codes(self) -> tuple[Bools, ...]:
        """Code of each value of each attribute: bool (κ_j, w_j).  Public."""

    @cached_property
    def flip(self) -> Fraction:
        """Probability that a bit is flipped: f/2, rounded up."""
        return exact(round_up(exact(self.f) / 2))

    @cached_property
    def _distances(self) -> list[int]:
        return [int((code[:, None] != code).sum(2).max()) for code in self.codes]

    @property
    def distance(self) -> int:
        """Largest number of bits in which two records differ: Σ H_j."""
        return sum(self._distances)

    @property
    def epsilon(self) -> float:
        """Of a whole record: Σ H_j ln[(1−f/2)/(f/2)].  Often far above what protects anybody."""
        return log_up((2 / exact(self.f) - 1) ** self.distance)

    @property
    def attribute_epsilon(self) -> float:
        """Of one attribute, the others being equal: max H_j ln[(1−f/2)/(f/2)]."""
        return log_up((2 / exact(self.f) - 1) ** max(self._distances))

    @property
    def realised_epsilon(self) -> float:
        """That of a whole record, with the rounded flip probability."""
        return log((1 - self.flip) / self.flip, self.distance)

    @property
    def layout(self) -> Layout:
        """One bit a bit of the codes: Σ w_j."""
        return {"": (np.bool_, 2, sum(code.shape[1] for code in self.codes))}

    def split(self, bits: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut bits, or numbers that stand for bits, (…, Σ w_j), into those of each attribute."""
        return split(bits, (code.shape[1] for code in self.codes))

    def _encode(self, values: Ints) -> Bools:
        return np.concatenate([code[values[:, j]] for j, code in enumerate(self.codes)], axis=1)

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        bits = self._encode(values)
        return bits ^ bernoulli(inexact(self.flip), bits.shape, rng)

    def _count(self, reports: Bools) -> Ints:
        """Count the ones of each bit, (Σ w_j,)."""
        return reports.sum(0, dtype=np.int64)  # type: ignore[no-any-return]

    @property
    def _decoders(self) -> list[tuple[Floats, Floats]]:
        """For each attribute, the matrix G and offset o that make estimates Gx + o of the shares x of ones."""
        return [decoder(code) for code in self.codes]

    def _decoded(self, shares: Floats) -> Floats:
        parts = zip(self.split(shares), self._decoders, strict=True)
        return np.concatenate([x @ g.T + o for x, (g, o) in parts], axis=-1)

    @property
    def _variance(self) -> float:
        """Variance φ(1−φ)/(1−2φ)² of a bit that is divided by 1−2φ, with φ the flip probability."""
        return inexact(self.flip * (1 - self.flip) / (1 - 2 * self.flip) ** 2)

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each value of each attribute: (…, Σκ_j)."""
        return self._decoded((tally.counts / tally.n - inexact(self.flip)) / inexact(1 - 2 * self.flip))

    def influence(self, targets: int = 1) -> float:
        """How many honest people one forged report can stand for; all choices of `targets` values are tried.

        See `Mechanism.influence`.
        """
        scale, zero = inexact(1 - 2 * self.flip), np.zeros((1, self.layout[""][2]))
        nothing = self._decoded((zero - inexact(self.flip)) / scale)[0]
        return best_bits((self._decoded(np.eye(zero.size)) - self._decoded(zero)).T / scale, nothing, targets)

    def expected(self, values: ArrayLike) -> Floats:
        """Return what unflipped codes come to, (n, Σκ_j): one for the person's values if codes are independent."""
        return self._decoded(self._encode(self._values(values)).astype(np.float64))

    def variance(self, values: ArrayLike) -> Floats:
        """Variance φ(1−φ)/(1−2φ)² ΣG² of every entry, with φ the flip probability: (n, Σκ_j)."""
        row = np.concatenate([np.square(g).sum(1) for g, _ in self._decoders]) * self._variance
        return np.tile(row, (len(self._values(values)), 1))


@dataclass(frozen=True, kw_only=True)
class BitFlip(Flip):
    r"""One-hot encode each of d categorical attributes, then flip every bit with probability f/2.

    Two records differ in at most two bits an attribute, so a record is protected by
    :math:`\varepsilon = 2d \ln\frac{1-f/2}{f/2}`, and one attribute of it by a d-th of that.
    The estimates are all one-way marginals.

    Source: Ren et al. 2019, Algorithm 1 and Theorem 1.

    Values are records, int (n, d), attribute j in {0, …, κ_j−1}.
    Reports are bits, bool (n, Σκ_j), attribute after attribute; estimates have the same order.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j.
    f : float in (0, 1)
        Twice the flip probability.

    Examples
    --------
    >>> survey = BitFlip(sizes=(2, 3), f=0.2)
    >>> reports = survey.perturb(np.tile([[0, 2], [1, 2]], (5000, 1)), rng=np.random.default_rng(0))
    >>> survey.estimate(survey.tally(reports)).round(2)
    array([0.5, 0.5, 0. , 0. , 1. ])
    """

    label = "bit flips"
    of_epsilon = "lambda e: replace(m, f=flip_for(e, m.distance))"
    shares = True
    tried = [{"sizes": (4,), "f": 0.1}, {"sizes": (2, 3), "f": 0.9}, {"sizes": (2, 2, 2), "f": 0.37}]

    influence = Mechanism.influence

    def _squares(self, tally: Tally) -> Floats:
        """Add the noise of the bits, whatever the record, to the square of what a person contributes, 0 or 1."""
        return np.asarray(self._score(tally) + self._variance)

    @cached_property
    def codes(self) -> tuple[Bools, ...]:
        """One bit a value: the identity."""
        return tuple(np.eye(size, dtype=np.bool_) for size in self.sizes)

    @property
    def _decoders(self) -> list[tuple[Floats, Floats]]:
        return [(np.eye(size), np.zeros(size)) for size in self.sizes]


@dataclass(frozen=True, kw_only=True)
class BloomFlip(Flip):
    r"""Encode each value in a Bloom filter by public hash functions, then flip every bit with probability f/2.

    For attributes with many values: reports are shorter than one-hot ones.  Two filters differ in at most 2h bits;
    ε follows from the largest difference there is, `distance`.

    Estimates are least squares under shares that sum to 1.  They are unbiased if the codes of each attribute are
    affinely independent (so not more than one more than `bits`); otherwise the expected estimate is the projection
    that `expected` states.

    Source: Ren et al. 2019, footnote 1; LoPub in ye2018 §4.1.2; filters, Bloom 1970.

    Values are records, int (n, d).  Reports are bits, bool (n, d·bits).  Estimates have κ_j entries an attribute.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j.
    f : float in (0, 1)
        Twice the flip probability.
    bits : int
        Bits of a filter, for each attribute.
    hashes : int
        Hash functions, each of which sets one bit; the same for every attribute.
    seed : int
        Which hash functions.  If two values share a code, another seed, more bits or more hashes help.

    Examples
    --------
    >>> survey = BloomFlip(sizes=(2, 3), f=0.2, bits=8, hashes=2)
    >>> reports = survey.perturb(np.tile([[0, 2], [1, 2]], (5000, 1)), rng=np.random.default_rng(0))
    >>> survey.estimate(survey.tally(reports)).round(1)
    array([ 0.5,  0.5,  0. , -0. ,  1. ])
    """

    bits: int
    hashes: int
    seed: int = 0
    label = "Bloom filters"
    of_epsilon = "lambda e: replace(m, f=flip_for(e, m.distance))"
    tried = [
        {"sizes": (3,), "f": 0.5, "bits": 4, "hashes": 2, "seed": 3},  # two filters have a bit in common
        {"sizes": (2, 3), "f": 0.8, "bits": 3, "hashes": 1},
        {"sizes": (5,), "f": 0.3, "bits": 4, "hashes": 2, "seed": 20},  # too many values
    ]
    limits: ClassVar[Mapping[str, Limit]] = {"bits": (1, BITS_MAX), "hashes": (1, HASHES_MAX), "seed": (0, 2**63 - 1)}

    def __post_init__(self) -> None:
        super().__post_init__()
        for size, code in zip(self.sizes, self.codes, strict=True):
            if len(np.unique(code, axis=0)) < size:
                raise ValueError(f"seed must be one under which values have codes of their own, got {self.seed}")

    @cached_property
    def codes(self) -> tuple[Bools, ...]:
        """Filters of the values: hash function i sets one bit of each."""
        code = np.zeros((max(self.sizes), self.bits), np.bool_)
        for value, i in np.ndindex(len(code), self.hashes):
            code[value, digest64(f"{self.seed},{i},{value}") % self.bits] = True
        return tuple(code[:size] for size in self.sizes)


def decoder(code: Bools) -> tuple[Floats, Floats]:
    """Matrix G and offset o: shares Gx + o are the least-squares fit to x of shares of the codes that sum to 1."""
    mean = code.mean(0)
    g = np.linalg.pinv((code - mean).T)
    return g, 1 / len(code) - g @ mean


def flip_for(epsilon: float, distance: int) -> float:
    r"""Return the f that gives an ε: :math:`2/(1+e^{\varepsilon/H})`, rounded so that ε is kept.

    Parameters
    ----------
    epsilon : float
        In (0, 36 H]: flip probabilities are multiples of 2**-53.
    distance : int
        Bits H in which two neighbours differ: 2d for one-hot records, 2 for one attribute; see `Flip.distance`.
    """
    distance = check_count(distance, 1, "distance")
    if isinstance(epsilon, Budget):
        note_range(epsilon, 0, 36 * distance)
        return 2 / (1 + odds(exact(epsilon) / distance))
    if not is_number(epsilon) or not 0 < epsilon <= 36 * distance:
        raise out_of_range(f"epsilon must be a number in (0, 36 distance] = (0, {36 * distance}], got {shown(epsilon)}")
    f = 2 / (1 + exp(epsilon / distance))
    while log_up((2 / exact(f) - 1) ** distance) > epsilon:
        f = nextafter(f, 1)
    return f
