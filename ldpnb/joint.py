"""Many attributes a person: the bit-flip client that answers about all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, bernoulli, log, log_up, round_up
from ldpnb.core import (
    Mechanism,
    Reports,
    Tally,
    check_columns,
    check_count,
    check_people,
    check_probability,
)


@dataclass(frozen=True, kw_only=True)
class BitFlip(Mechanism):
    r"""One-hot encode each of d categorical attributes, then flip every bit with probability f/2.

    Two records differ in at most two bits an attribute, so a record is protected by
    :math:`\varepsilon = 2d \ln\frac{1-f/2}{f/2}`, and one attribute of it by a d-th of that.
    The estimates are all one-way marginals.

    Source: Ren et al. 2019, Algorithm 1 and Theorem 1.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j.
    f : float in (0, 1)
        Twice the flip probability.

    Values are records, int (n, d), attribute j in {0, …, κ_j−1}.
    Reports are bits, bool (n, Σκ_j), attribute after attribute; estimates have the same order.
    """

    sizes: tuple[int, ...]
    f: float

    def __post_init__(self) -> None:
        if not isinstance(self.sizes, Sequence) or isinstance(self.sizes, str) or not self.sizes:
            raise ValueError(f"sizes must be a tuple of integers, at least one, got {self.sizes!r}")
        object.__setattr__(self, "sizes", tuple(check_count(size, 2, "sizes") for size in self.sizes))
        object.__setattr__(self, "f", check_probability(self.f, "f"))
        if not 0 < self.flip < Fraction(1, 2):
            raise ValueError(f"f must be in (0, 1), with f/2 below 1/2 by at least 2**-53, got {self.f}")

    @cached_property
    def flip(self) -> Fraction:
        """Probability that a bit is flipped: f/2, rounded up."""
        return Fraction(round_up(Fraction(self.f) / 2))

    @property
    def epsilon(self) -> float:
        """Of a whole record: 2d ln[(1−f/2)/(f/2)].  Often far above what protects anybody."""
        return log_up((2 / Fraction(self.f) - 1) ** (2 * len(self.sizes)))

    @property
    def attribute_epsilon(self) -> float:
        """Of one attribute, the others being equal: 2 ln[(1−f/2)/(f/2)]."""
        return log_up((2 / Fraction(self.f) - 1) ** 2)

    @property
    def realised_epsilon(self) -> float:
        """That of a whole record, with the rounded flip probability."""
        return log(((1 - self.flip) / self.flip) ** (2 * len(self.sizes)))

    @property
    def report_bits(self) -> int:
        """One bit a value of each attribute: Σκ_j."""
        return sum(self.sizes)

    def _one_hot(self, values: ArrayLike) -> NDArray[np.bool_]:
        records = check_columns(values, self.sizes)
        offsets = np.cumsum((0, *self.sizes[:-1]))
        bits = np.zeros((len(records), sum(self.sizes)), np.bool_)
        bits[np.arange(len(records))[:, None], records + offsets] = True
        return bits

    def perturb(self, values: ArrayLike, *, rng: Randomness) -> Reports:
        """Draw reports: bits, (n, Σκ_j)."""
        bits = self._one_hot(values)
        check_people(bits)
        return bits ^ bernoulli(float(self.flip), bits.shape, rng)

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the ones of each bit, (Σκ_j,)."""
        bits, width = np.asarray(reports), sum(self.sizes)
        if bits.dtype != np.bool_ or bits.ndim != 2 or bits.shape[1] != width:
            raise ValueError(f"reports must be bool of shape (n, {width}), got {bits.dtype} of shape {bits.shape}")
        return Tally(self, len(bits), bits.sum(0, dtype=np.int64))

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the share of each value of each attribute: (…, Σκ_j)."""
        flip = self.flip
        return (self._own(tally).counts / tally.n - float(flip)) / float(1 - 2 * flip)

    def target(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """One for the person's value of each attribute, zero for the others: (n, Σκ_j)."""
        return self._one_hot(values).astype(np.float64)

    def noise(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Variance φ(1−φ)/(1−2φ)² of every bit, with φ the flip probability: (n, Σκ_j)."""
        flip = self.flip
        return np.full(self._one_hot(values).shape, float(flip * (1 - flip) / (1 - 2 * flip) ** 2))
