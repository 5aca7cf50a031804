"""Block designs: a report is one block of a projective geometry, in ⌈log₂ v⌉ bits, as good as the best set of items.

The items are the points of the geometry PG(t, q) over a field of q elements, and blocks are its hyperplanes: as many as
points, v = (qᵗ⁺¹ − 1)/(q − 1), each of κ = (qᵗ − 1)/(q − 1) points.  Any two points share (qᵗ⁻¹ − 1)/(q − 1) blocks.
They can be numbered so that the blocks are the translates of one set D of numbers modulo v (Singer 1938): item x is in
block y if x − y is in D.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, binomial, exact, inexact, odds, round_down, scatter, uniform
from ldpnb.checks import Limit, check_count, check_histogram
from ldpnb.core import Example, Floats, Ints, Layout, Reports, Tally, blocks
from ldpnb.oracles.frequency import BLOCK, PureProtocol, check_weights

ORDER_MAX = 1024  # of a field: beyond, e^ε + 1 is above 2¹⁰, and hardly any item but one's own is worth reporting
POINTS_MAX = 2**22  # of a geometry, whose difference set is searched for in a field of q times as many elements


@dataclass(frozen=True, kw_only=True)
class BlockDesign(PureProtocol):
    r"""Report a block of a projective geometry, e^ε times as likely if it holds the own item as if it does not.

    :math:`p^* = \kappa e^\varepsilon/(\kappa e^\varepsilon + v - \kappa)` and :math:`q^* = (\kappa - p^*)/(v-1)`, as of
    `SubsetSelection` with sets of κ of v items, whose reports take :math:`\log_2\binom v\kappa` bits.  Items from k to
    v − 1 are nobody's: they cost nothing but that v is larger than k.

    The client draws from the blocks of its item with probability
    :math:`\kappa(e^\varepsilon-1)/[\kappa(e^\varepsilon-1) + v]`, and otherwise blindly from all.

    Source: Feldman, Nelson, Nguyen and Talwar 2022 (projective geometry response); Park, Nam and Lee 2023 (block
    designs in general).

    Reports are numbers of blocks, below v, (n,).  Tallies count each, (v,).

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    q : int
        Order of the field, a prime power; 0, the default, stands for the one with the least variance (see `order`).

    Examples
    --------
    >>> oracle, rng = BlockDesign(k=13, epsilon=1.0), np.random.default_rng(0)
    >>> (oracle.order, oracle.points, oracle.report_bits)
    (3, 13, 4)
    >>> oracle.estimate(oracle.tally(oracle.perturb(np.repeat([0, 1, 12], 9000), rng=rng)))[[0, 1, 2, 12]].round(1)
    array([ 0.3,  0.3, -0. ,  0.3])
    """

    q: int = 0
    label = "block design"
    chosen: ClassVar[Mapping[str, str]] = {"q": "order"}
    limits: ClassVar[Mapping[str, Limit]] = {"k": (2, POINTS_MAX - 1), "q": (0, ORDER_MAX)}
    tried = [{"k": 3, "epsilon": 1.0, "q": 2}, {"k": 7, "epsilon": 0.5, "q": 2}, {"k": 2, "epsilon": 3.0, "q": 4}]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.q and not _prime_power(self.q):
            raise ValueError(f"q must be a prime power, got {self.q}")
        if self.points > POINTS_MAX:
            raise ValueError(f"k must be at most {POINTS_MAX} points of a geometry, got {self.points} for k = {self.k}")

    @cached_property
    def order(self) -> int:
        """Order of the field: `q`, or the prime power with the least variance of the rarest item."""
        return self.q or best_order(self.k, self.epsilon)

    @property
    def dimension(self) -> int:
        """Dimension of the geometry, t: the least, from 2 on, that has k points."""
        return _dimension(self.k, self.order)

    @property
    def points(self) -> int:
        """Number of points, and of blocks, v."""
        return _points(self.order, self.dimension)

    @property
    def block_size(self) -> int:
        """Number of points of a block, κ."""
        return _points(self.order, self.dimension - 1)

    @cached_property
    def keep(self) -> Fraction:
        """Probability of a draw from the item's blocks; rounded down."""
        more = self.block_size * (odds(self.epsilon) - 1)
        return exact(round_down(more / (more + self.points)))

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*)."""
        p = self.keep + (1 - self.keep) * Fraction(self.block_size, self.points)
        return p, (self.block_size - p) / (self.points - 1)

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of the probability of a block with the item over that of one without it."""
        return chance.log(1 + self.keep * self.points / ((1 - self.keep) * self.block_size))

    @property
    def layout(self) -> Layout:
        """A block."""
        return {"": (np.int64, self.points)}

    @property
    def _steps(self) -> Ints:
        return difference_set(self.order, self.dimension)

    @property
    def _transform(self) -> NDArray[np.complex128]:
        """Fourier transform of the indicator of D."""
        inside = np.zeros(self.points)
        inside[self._steps] = 1
        return np.fft.rfft(inside)

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        reports, keep, steps, v = np.empty(len(values), np.int64), inexact(self.keep), self._steps, self.points
        for part in blocks(len(values), BLOCK):
            shape = values[part].shape
            kept, blind = bernoulli(keep, shape, rng), uniform(v, shape, rng)
            own = values[part] - steps[uniform(len(steps), shape, rng, used=kept)]
            own += v * (own < 0)
            reports[part] = np.where(kept, own, blind)
        return reports

    def _worst(self) -> Ints:
        """Name the block with most of the k items."""
        held = np.fft.irfft(np.fft.rfft(np.ones(self.k), self.points) * self._transform.conj(), self.points)
        return np.array([np.argmax(np.rint(held))])

    def supporters(self, tally: Tally) -> Floats:
        """How many reports hold each item, a circular correlation of the counts, (…, k): a fast Fourier transform.

        Rounded to whole numbers, which are exact: an error of one half takes some 10¹³ reports.
        """
        if tally.marginal:
            return super().supporters(tally)
        found = np.fft.irfft(np.fft.rfft(tally.counts) * self._transform, self.points)
        return np.asarray(np.rint(found)[..., : self.k] + 0.0)  # no −0.0

    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of the sum over the block's items: (…, k).  See `PureProtocol.linear_variance`.

        Sums over the weights in each block are a circular correlation, and their means over the blocks of each item,
        and those of their squares, are another; by fast Fourier transforms.
        """
        w, (p, q), v = check_weights(weights, self.k), self.support, self.points
        sums = np.fft.irfft(np.fft.rfft(w, v) * self._transform.conj(), v)
        sums -= sums.mean(-1, keepdims=True)

        def mean(x: Floats) -> Floats:
            """Mean over the reports about each item."""
            own = np.fft.irfft(np.fft.rfft(x) * self._transform, v)[..., : self.k] / self.block_size
            return np.asarray(inexact(self.keep) * own + inexact(1 - self.keep) * x.mean(-1, keepdims=True))

        return np.asarray((mean(np.square(sums)) - np.square(mean(sums))) / inexact(p - q) ** 2)

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population with this histogram, exact in their joint law, in O(k κ) each: (trials, v).

        What is drawn blindly is drawn for all people at once.
        """
        histogram, trials = check_histogram(counts, self.k), check_count(trials, 1, "trials")
        own = binomial(histogram, inexact(self.keep), (trials, self.k), rng)
        found = scatter(histogram.sum() - own.sum(-1), self.points, rng)
        for x in np.flatnonzero(histogram):
            found[:, (x - self._steps) % self.points] += scatter(own[:, x], self.block_size, rng)
        return Tally(self, int(histogram.sum()), found)

    def simulate_marginals(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Supporters of each item, exact for each item alone, in O(k) each: (trials, k), a tally marked as marginal.

        See `PureProtocol.simulate_marginals`.
        """
        return replace(super().simulate_marginals(counts, trials=trials, rng=rng), marginal=True)

    def _example(self) -> Example:
        return replace(super()._example(), histogram=False)


def best_order(k: int, epsilon: float, most: int = POINTS_MAX) -> int:
    """Return the prime power whose geometry has the least variance of an item that nobody holds; about e^ε + 1.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    most : int
        Points that the geometry may have, if there is one with so few.
    """

    def rare(q: int) -> float:
        t = _dimension(k, q)
        v, size = _points(q, t), _points(q, t - 1)
        p = size * e / (size * e + v - size)
        other = (size - p) / (v - 1)
        return float(other * (1 - other) / (p - other) ** 2)

    e = inexact(odds(epsilon))
    sizes = {q: _points(q, _dimension(k, q)) for q in range(2, ORDER_MAX + 1) if _prime_power(q)}
    few, right = ([q for q, points in sizes.items() if points <= limit] for limit in (most, POINTS_MAX))
    return min(few or right, key=rare)


def _points(q: int, t: int) -> int:
    return sum(q**i for i in range(t + 1))


def _dimension(k: int, q: int) -> int:
    t = 2
    while _points(q, t) < k:
        t += 1
    return t


@cache
def _prime_power(q: int) -> tuple[int, int] | None:
    """Return (p, m) with q = p^m, p prime; None if there are none."""
    p = next((p for p in range(2, q + 1) if q % p == 0), 0)
    m, rest = 0, q
    while p and rest % p == 0:
        m, rest = m + 1, rest // p
    return (p, m) if p and rest == 1 else None


@cache
def difference_set(q: int, t: int) -> Ints:
    """Return κ numbers modulo v whose differences are all numbers but 0, each λ times; ascending.

    With α a generator of the field of q^(t+1) elements, the i below v for which the trace of αⁱ to the field of q is 0.

    Source: Singer 1938.

    Parameters
    ----------
    q : int
        A prime power.
    t : int, at least 2
    """
    p, m = _prime_power(q) or (0, 0)
    degree = m * (t + 1)
    rule = next(rule[::-1] for rule in product(range(p), repeat=degree) if _generates(rule[::-1], p))
    powers = np.eye(degree, dtype=np.int64)  # of α, in the basis 1, α, α², …
    while len(powers) < _points(q, t):
        onwards = np.stack([_power(len(powers) + i, rule, p) for i in range(degree)])
        powers = np.concatenate([powers, powers @ onwards % p])
    # the trace is linear, and that of αⁱ the sum of its powers q⁰, …, qᵗ
    trace = sum(np.stack([_power(i * q**j, rule, p) for i in range(degree)]) for j in range(t + 1))
    found = np.flatnonzero(~np.any(powers[: _points(q, t)] @ trace % p, axis=1))
    found.flags.writeable = False
    return found


def _product(x: Ints, y: Ints, rule: tuple[int, ...], p: int) -> Ints:
    """Multiply two elements, by Horner's rule; the power `degree` of α is Σ rule_i αⁱ."""
    found = np.zeros_like(x)
    for c in y[::-1]:
        found = (np.append(0, found[:-1]) + found[-1] * np.array(rule) + c * x) % p
    return found


def _power(n: int, rule: tuple[int, ...], p: int) -> Ints:
    """Return αⁿ."""
    found, base = np.eye(2, len(rule), dtype=np.int64)
    while n:
        if n & 1:
            found = _product(found, base, rule, p)
        base, n = _product(base, base, rule, p), n >> 1
    return found


def _generates(rule: tuple[int, ...], p: int) -> bool:
    """Whether α has p^degree − 1 different powers."""
    n, one = p ** len(rule) - 1, _power(0, rule, p)
    if rule[0] == 0 or not np.array_equal(_power(n, rule, p), one):
        return False
    return not any(np.array_equal(_power(n // prime, rule, p), one) for prime in _primes(n))


def _primes(n: int) -> list[int]:
    """Prime factors of a number."""
    found, p = [], 2
    while p * p <= n:
        if n % p == 0:
            found.append(p)
            while n % p == 0:
                n //= p
        p += 1
    return [*found, n] if n > 1 else found
