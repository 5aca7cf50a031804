"""Many attributes per person: clients that answer about all of them, every bit flipped alike."""

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
from ldpnb.checks import (
    HASHES_MAX,
    Limit,
    check_count,
    check_probability,
    is_number,
    out_of_range,
    shown,
)
from ldpnb.core import Bools, Floats, Ints, Layout, Reports, Tally, best_bits
from ldpnb.exact.formulas import Budget
from ldpnb.exact.questions import note_range, within
from ldpnb.hashing import digest64

BITS_MAX = 2**16  # of a filter; decoding inverts a matrix of so many columns


@dataclass(frozen=True, kw_only=True)
class Flip(RecordMechanism):
    r"""Base of `BitFlip` and `BloomFlip`: a subclass says which bits stand for each value.

    These codes are public, and the client flips every bit of a record's codes with probability
    f/2.  Bits are independent given the record, and a bit that two records have in common says
    nothing about which of them it is.  So with H_j the largest Hamming distance between two codes
    of attribute j, a record is protected by
    :math:`\varepsilon = \ln\frac{1-f/2}{f/2} \sum_j H_j`, and one attribute of it by the largest
    :math:`H_j` times the logarithm.  Both are attained.

    Reports are bits, bool (n, Σ w_j), attribute after attribute, with w_j bits for attribute j.
    Tallies count the ones, (Σ w_j,).  Estimates are shares, attribute after attribute, (Σκ_j,).

    Parameters
    ----------
    f : float in (0, 1)
        Twice the flip probability.
    """

    f: float
    limits: ClassVar[Mapping[str, Limit]] = {"f": check_probability}
    server_cost = "report and item"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not within(self.flip, 0, Fraction(1, 2)):
            rule = "f must be in (0, 1), with f/2 below 1/2 by at least 2**-53"
            raise ValueError(f"{rule}, got {self.f}")

    @property
    @abstractmethod
    def codes(self) -> tuple[Bools, ...]:
        """Code of each value of each attribute: bool (κ_j, w_j).  Public."""

    @cached_property
    def flip(self) -> Fraction:
        """Probability φ that a bit is flipped: f/2, rounded up."""
        return exact(round_up(exact(self.f) / 2))

    @cached_property
    def _distances(self) -> list[int]:
        """Largest number of bits in which two codes of an attribute differ, H_j: (d,)."""
        found = []
        for code in self.codes:
            differ = code[:, None] != code
            found.append(int(differ.sum(2).max()))
        return found

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
        """That of a whole record, with the rounded flip probability: Σ H_j ln[(1−φ)/φ]."""
        return log((1 - self.flip) / self.flip, self.distance)

    @property
    def layout(self) -> Layout:
        """As many bits as there are in the codes: Σ w_j."""
        return {"": (np.bool_, 2, sum(self._widths))}

    @property
    def _widths(self) -> list[int]:
        """Number of bits of each attribute's codes, w_j: (d,)."""
        return [code.shape[1] for code in self.codes]

    def split(self, bits: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut bits, or numbers that stand for bits, (…, Σ w_j), into those of each attribute."""
        return split(bits, self._widths)

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        bits = self._encode(values)
        return bits ^ bernoulli(inexact(self.flip), bits.shape, rng)

    def _encode(self, values: Ints) -> Bools:
        """Write the codes of a record one after another: (n, Σ w_j)."""
        parts = [code[values[:, j]] for j, code in enumerate(self.codes)]
        return np.concatenate(parts, axis=1)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Bools) -> Ints:
        """Count the ones of each bit, (Σ w_j,)."""
        return np.asarray(reports.sum(0, dtype=np.int64))

    def _score(self, tally: Tally) -> Floats:
        """Decode x = (C/n − φ)/(1 − 2φ), the shares of ones before flipping: (…, Σκ_j)."""
        shares = (tally.counts / tally.n - inexact(self.flip)) / inexact(1 - 2 * self.flip)
        return self._decoded(shares)

    def _decoded(self, shares: Floats) -> Floats:
        """Estimate the shares of values, Gx + o for each attribute, from those x of ones."""
        parts = []
        for x, (g, o) in zip(self.split(shares), self._decoders, strict=True):
            parts.append(x @ g.T + o)
        return np.concatenate(parts, axis=-1)

    @property
    def _decoders(self) -> list[tuple[Floats, Floats]]:
        """Matrix G and offset o of each attribute."""
        return [decoder(code) for code in self.codes]

    def influence(self, targets: int = 1) -> float:
        """How many honest people one forged report can stand for.

        All choices of `targets` values are tried.  See `Mechanism.influence`.
        """
        scale = inexact(1 - 2 * self.flip)
        bits = sum(self._widths)
        zeros = np.zeros((1, bits))
        nothing = self._decoded((zeros - inexact(self.flip)) / scale)[0]
        of_bits = (self._decoded(np.eye(bits)) - self._decoded(zeros)).T / scale
        return best_bits(of_bits, nothing, targets)

    # ------------------------------------------------------------------- expectation and variance

    def expected(self, values: ArrayLike) -> Floats:
        """Return what unflipped codes come to, (n, Σκ_j).

        It is one for the person's values if codes are independent.
        """
        return self._decoded(self._encode(self._values(values)).astype(np.float64))

    def variance(self, values: ArrayLike) -> Floats:
        """Variance φ(1−φ)/(1−2φ)² ΣG² of every entry: (n, Σκ_j)."""
        squares = [np.square(g).sum(1) for g, _ in self._decoders]
        row = np.concatenate(squares) * self._variance
        return np.tile(row, (len(self._values(values)), 1))

    @property
    def _variance(self) -> float:
        """Variance φ(1−φ)/(1−2φ)² of a bit that is divided by 1−2φ."""
        return inexact(self.flip * (1 - self.flip) / (1 - 2 * self.flip) ** 2)


@dataclass(frozen=True, kw_only=True)
class BitFlip(Flip):
    r"""One-hot encode each of d categorical attributes, then flip every bit with probability f/2.

    Two records differ in at most two bits for each attribute, so a record is protected by
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
    >>> people = np.tile([[0, 2], [1, 2]], (5000, 1))
    >>> reports = survey.perturb(people, rng=np.random.default_rng(0))
    >>> survey.estimate(survey.tally(reports)).round(2)
    array([0.5, 0.5, 0. , 0. , 1. ])
    """

    label = "bit flips"
    of_epsilon = "lambda e: replace(m, f=flip_for(e, m.distance))"
    shares = True
    tried = [
        {"sizes": (4,), "f": 0.1},
        {"sizes": (2, 3), "f": 0.9},
        {"sizes": (2, 2, 2), "f": 0.37},
    ]

    @cached_property
    def codes(self) -> tuple[Bools, ...]:
        """One bit for each value: the identity."""
        return tuple(np.eye(size, dtype=np.bool_) for size in self.sizes)

    @property
    def _decoders(self) -> list[tuple[Floats, Floats]]:
        """The identity, and 0: shares need not sum to 1."""
        return [(np.eye(size), np.zeros(size)) for size in self.sizes]

    def _squares(self, tally: Tally) -> Floats:
        """Add the noise of a bit to the square of what a person contributes, which is 0 or 1."""
        return np.asarray(self._score(tally) + self._variance)

    def influence(self, targets: int = 1) -> float:
        """How many honest people one forged report can stand for: all bits of the values are set.

        See `Mechanism.influence`.
        """
        return self._influence(targets)


@dataclass(frozen=True, kw_only=True)
class BloomFlip(Flip):
    r"""Encode each value in a Bloom filter, then flip every bit with probability f/2.

    The hash functions are public.  For attributes with many values: reports are shorter than
    one-hot ones.  Two filters differ in at most 2h bits; ε follows from the largest difference
    there is, `distance`.

    Estimates are least squares under shares that sum to 1.  They are unbiased if the codes of each
    attribute are affinely independent (so that there are at most `bits` + 1 of them); otherwise
    the expected estimate is the projection that `expected` states.

    Source: Ren et al. 2019, footnote 1; LoPub in ye2018 §4.1.2; filters, Bloom 1970.

    Values are records, int (n, d).  Reports are bits, bool (n, d·bits).  Estimates have κ_j entries
    for attribute j.

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
        Which hash functions.  If two values share a code, another seed, more bits or more hashes
        help.

    Examples
    --------
    >>> survey = BloomFlip(sizes=(2, 3), f=0.2, bits=8, hashes=2)
    >>> people = np.tile([[0, 2], [1, 2]], (5000, 1))
    >>> reports = survey.perturb(people, rng=np.random.default_rng(0))
    >>> survey.estimate(survey.tally(reports)).round(1)
    array([ 0.5,  0.5,  0. , -0. ,  1. ])
    """

    bits: int
    hashes: int
    seed: int = 0
    label = "Bloom filters"
    of_epsilon = "lambda e: replace(m, f=flip_for(e, m.distance))"
    tried = [
        # two filters have a bit in common
        {"sizes": (3,), "f": 0.5, "bits": 4, "hashes": 2, "seed": 3},
        {"sizes": (2, 3), "f": 0.8, "bits": 3, "hashes": 1},
        # too many values
        {"sizes": (5,), "f": 0.3, "bits": 4, "hashes": 2, "seed": 20},
    ]
    limits: ClassVar[Mapping[str, Limit]] = {
        "bits": (1, BITS_MAX),
        "hashes": (1, HASHES_MAX),
        "seed": (0, 2**63 - 1),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        for size, code in zip(self.sizes, self.codes, strict=True):
            if len(np.unique(code, axis=0)) < size:
                rule = "seed must be one under which values have codes of their own"
                raise ValueError(f"{rule}, got {self.seed}")

    @cached_property
    def codes(self) -> tuple[Bools, ...]:
        """Filters of the values: hash function i sets one bit of each."""
        code = np.zeros((max(self.sizes), self.bits), np.bool_)
        for value, i in np.ndindex(len(code), self.hashes):
            code[value, digest64(f"{self.seed},{i},{value}") % self.bits] = True
        return tuple(code[:size] for size in self.sizes)


def decoder(code: Bools) -> tuple[Floats, Floats]:
    """Return the matrix G and the offset o of the least-squares estimate of shares of values.

    Of shares of values that sum to 1, Gx + o are those whose shares of ones are nearest to x.

    Parameters
    ----------
    code : ndarray of bool (κ, w)
        Code of each value.
    """
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
        Bits H in which two neighbours differ: 2d for one-hot records, 2 for one attribute; see
        `Flip.distance`.
    """
    distance = check_count(distance, 1, "distance")
    if isinstance(epsilon, Budget):
        note_range(epsilon, 0, 36 * distance)
        return 2 / (1 + odds(exact(epsilon) / distance))
    if not is_number(epsilon) or not 0 < epsilon <= 36 * distance:
        rule = f"epsilon must be a number in (0, 36 distance] = (0, {36 * distance}]"
        raise out_of_range(f"{rule}, got {shown(epsilon)}")
    f = 2 / (1 + exp(epsilon / distance))
    while log_up((2 / exact(f) - 1) ** distance) > epsilon:
        f = nextafter(f, 1)
    return f
