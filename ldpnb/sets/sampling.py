"""One item of a padded set is drawn, and hidden in one of three ways: by a sign, bits, or k-RR."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, exact, inexact, odds, round_down
from ldpnb.core import Bools, Floats, Ints, Layout, Reports, Tally, check_tally
from ldpnb.kernels import fwht
from ldpnb.oracles.base import Support, keep_or_blind
from ldpnb.oracles.bits import bit_layout, check_bit_reports, count_bits
from ldpnb.oracles.hadamard import HadamardBit, count_signs, tell_signs
from ldpnb.oracles.unary import SUE
from ldpnb.records import Records, pad_and_sample
from ldpnb.sets.base import (
    SetMechanism,
    SetSampling as SetSampling,  # where 1.0.0 had it, and every_set
    count_items,
    every_set as every_set,
)


@dataclass(frozen=True, kw_only=True)
class SampledHadamardBit(SetMechanism):
    r"""Sampling S-Hist: one item drawn from the padded set, and one sign of its Hadamard column.

    A public row of Sylvester's matrix is drawn; the sign of the item's entry in it is told
    truthfully with probability :math:`p = e^\varepsilon/(e^\varepsilon+1)`, as by `HadamardBit`.
    For a dummy the sign is a fair bit.  A score is :math:`\pm\ell c`, whatever was drawn, so its
    variance is :math:`\ell^2c^2 - t^2`, where t is 1 for an item of the person (ℓ/size in a long
    set) and 0 for another one.

    The chance of a sign is a mean over the padded set of p, 1 − p and 1/2, and lies between 1 − p
    and p.  Both are attained if in some row ℓ items have + and ℓ others −, which is so for
    :math:`2\ell \le d`; otherwise ε is a bound that no pair of sets attains (see
    `realised_epsilon`).

    Source: zhang2018 §3.2.2, Algorithm 2.  It lists the rows of the matrix in another order.  They
    are the same rows, so that transposing it gives items other columns of one matrix: the columns
    are orthogonal all the same, and nothing more is used.

    Reports have the fields ``row`` (public) and ``bit`` (True for a minus sign), (n,).
    Tallies count the plus and minus signs of each row, (m, 2); m is the least power of two that is
    not below d, and at least 2.

    Examples
    --------
    >>> baskets = SampledHadamardBit(d=4, ell=2, epsilon=2.0)
    >>> people = Records.of(*[{0, 1}, {1}, {1, 3}] * 5000)
    >>> reports = baskets.perturb(people, rng=np.random.default_rng(0))
    >>> baskets.estimate(baskets.tally(reports)).round(2)
    array([ 0.32,  1.  , -0.01,  0.35])
    """

    label = "sampled S-Hist"
    public_fields = ("row",)

    @cached_property
    def oracle(self) -> HadamardBit:
        """The oracle of the item drawn."""
        return HadamardBit(k=max(self.d, 2), epsilon=self.epsilon)

    @property
    def support(self) -> Support:
        """(p, q): p = e^ε/(e^ε + 1), rounded down, and q = 1/2."""
        return self.oracle.support

    @property
    def realised_epsilon(self) -> float:
        """ln[(1 + Bδ)/(1 − Aδ)], largest over the rows; δ = 2p − 1.

        In a row with a signs of one kind among the d items and b <= a of the other,
        A = min(a, ℓ)/ℓ and B = min(b, ℓ)/ℓ are how much of a set they can fill.
        """
        p, _ = self.support
        delta = (2 * p - 1) / self.ell  # of an item
        items = (np.arange(self.oracle.m) < self.d).astype(np.int64)
        balances = np.unique(np.abs(fwht(items)))  # a − b of each row
        ratios = []
        for balance in balances.tolist():
            a = (self.d + balance) // 2
            b = self.d - a
            ratios.append((1 + min(b, self.ell) * delta) / (1 - min(a, self.ell) * delta))
        return chance.log(max(ratios))

    @property
    def layout(self) -> Layout:
        """A public row, and a sign."""
        return self.oracle.layout

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        drawn, _ = pad_and_sample(values, self.d, self.ell, rng)
        real = drawn < self.d
        items = np.where(real, drawn, 0)
        truth = np.where(real, inexact(self.support[0]), 0.5)
        reports = np.empty(len(items), self.dtype)
        return tell_signs(reports, self.oracle.m, items, truth, rng)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports) -> Ints:
        """Count the plus and minus signs of each row: (m, 2)."""
        return count_signs(reports["row"], reports["bit"], self.oracle.m)

    def supporters(self, tally: Tally) -> Floats:
        """Count the reports that support each item, in O(m log m) whatever n: (…, d)."""
        check_tally(tally, SetMechanism, "sets")
        signs = Tally(self.oracle, tally.n, tally.counts)
        return self.oracle.supporters(signs)[..., : self.d]


@dataclass(frozen=True, kw_only=True)
class SampledSUE(SetMechanism):
    r"""Sampling RAPPOR: one item drawn from the padded set, and a bit for each of the d items.

    The bit of the item drawn is set with probability :math:`p = s/(s+1)`,
    :math:`s = e^{\varepsilon/2}`, any other with :math:`q = 1 - p`.  A dummy is the empty vector:
    bits of its own would tell the server nothing that it uses.

    A report is between 1/s times and s times as likely for one item drawn as for a dummy, and so
    for any set.  Both are attained if ℓ items have set bits and ℓ others have not, which takes
    :math:`2\ell \le d`; with fewer items ε is a bound that no pair of sets attains.

    Source: zhang2018 §2.2.3, eq. (2-16); Qin et al. 2016.

    Reports are bits, bool (n, d).  Tallies count the ones of each item, (d,).

    Examples
    --------
    >>> baskets = SampledSUE(d=4, ell=2, epsilon=2.0)
    >>> people = Records.of(*[{0, 1}, {1}, {1, 3}] * 5000)
    >>> reports = baskets.perturb(people, rng=np.random.default_rng(0))
    >>> baskets.estimate(baskets.tally(reports)).round(2)
    array([0.33, 0.99, 0.01, 0.32])
    """

    label = "sampled RAPPOR"
    server_cost = "report and item"

    @cached_property
    def support(self) -> Support:
        """(p, q) of `SUE`: p = s/(s + 1), rounded down, and q = 1 − p."""
        return SUE(k=2, epsilon=self.epsilon).support

    @property
    def realised_epsilon(self) -> float:
        """ln[(1 + A(s−1))/(1 − B(1−1/s))].

        A is how much of one set are items with set bits, B how much of another are items without.
        The report that tells most has B = 1 where d >= ℓ items allow it, and the other bits set;
        all bits set, B = 0, where d < ℓ.
        """
        p, q = self.support
        unset = self.ell if self.d >= self.ell else 0
        a = Fraction(min(self.d - unset, self.ell), self.ell)
        b = Fraction(unset, self.ell)
        return chance.log((1 + a * (p / q - 1)) / (1 - b * (1 - q / p)))

    @property
    def layout(self) -> Layout:
        """A bit for each item."""
        return bit_layout(self.d, packed=False)

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Bools:
        p, q = self.support
        drawn, _ = pad_and_sample(values, self.d, self.ell, rng)
        real = drawn < self.d
        bits = bernoulli(inexact(q), (len(drawn), self.d), rng)
        own = bernoulli(inexact(p), real.shape, rng, used=real)
        bits[real, drawn[real]] = own[real]
        return bits

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Bools:
        return check_bit_reports(reports, self.layout)

    def _count(self, reports: Bools) -> Ints:
        """Count the ones of each item, (d,)."""
        return count_bits(reports, self.d, packed=False)


@dataclass(frozen=True, kw_only=True)
class SampledGRR(SetMechanism):
    r"""k-RR on one item drawn from the padded set, with all that sampling allows.

    Keep the item drawn with probability :math:`\ell(e^\varepsilon-1)/Z`, and otherwise report any
    of the d items and ℓ dummies, all alike; :math:`Z = \ell(e^\varepsilon-1) + d + \ell`.  Each
    item of the padded set is drawn with probability 1/ℓ.  So a report names it with probability
    :math:`e^\varepsilon/Z` and any other item with 1/Z: ε is kept, and attained, whatever d and ℓ,
    though the k-RR alone has :math:`e^{\varepsilon'} = 1 + \ell(e^\varepsilon-1)`.

    This takes ℓ *distinct* dummies.  One dummy for all would be drawn from the empty set always
    and from a full one never, and show :math:`\varepsilon'` itself, if a set can be full.

    Source: Wang, Li and Jha 2018 (padding and sampling).

    Reports are items, dummies after the d items, (n,).  Tallies count the reports of each item,
    without dummies, (d,).

    Examples
    --------
    >>> baskets = SampledGRR(d=4, ell=2, epsilon=2.0)
    >>> people = Records.of(*[{0, 1}, {1}, {1, 3}] * 5000)
    >>> reports = baskets.perturb(people, rng=np.random.default_rng(0))
    >>> baskets.estimate(baskets.tally(reports)).round(2)
    array([0.32, 1.  , 0.  , 0.32])
    """

    label = "sampled k-RR"

    @cached_property
    def keep(self) -> Fraction:
        """Probability of keeping the item drawn, ℓ(e^ε − 1)/Z, rounded down."""
        more = self.ell * (odds(self.epsilon) - 1)  # e^ε' − 1
        return exact(round_down(more / (more + self.width)))

    @property
    def support(self) -> Support:
        """(p, q): p = keep + (1 − keep)/(d + ℓ), of the item drawn, and q = (1 − keep)/(d + ℓ)."""
        blind = (1 - self.keep) / self.width
        return self.keep + blind, blind

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of keep/ℓ + q, for an item of the padded set, over q."""
        return chance.log(1 + self.keep * self.width / ((1 - self.keep) * self.ell))

    @property
    def layout(self) -> Layout:
        """An item or a dummy."""
        return {"": (np.int64, self.width)}

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Ints:
        drawn, _ = pad_and_sample(values, self.d, self.ell, rng)
        return keep_or_blind(drawn, self.keep, self.width, rng)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Ints) -> Ints:
        """Count the reports of each item, (d,)."""
        return count_items(reports, self.d, self.width)
