"""Correlation of keys: everybody is asked about all of them at once, or about one public pair.

`IOH` numbers the 3^d combinations of d keys' states and sends the number through a frequency oracle; `PairSampling`
does so for one public pair of keys.  Both give a `Table` of estimated shares of all combinations, which answers
questions about correlation (`ldpnb.keyvalue.queries`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldpnb.asked import AsksSome
from ldpnb.chance import Randomness, uniform
from ldpnb.core import Example, Floats, Ints, Reports, Tally
from ldpnb.keyvalue.encoding import Encoded, combined, joint, numbered
from ldpnb.keyvalue.population import FEW, entries, signs
from ldpnb.keyvalue.queries import Table, check_known, check_names
from ldpnb.oracles.asking import Asking
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.oracles.unary import OUE
from ldpnb.records import Records


@dataclass(frozen=True, kw_only=True)
class IOH(Encoded):
    r"""Index one-hot (IOH): the number of the combination of all keys' states, through a frequency oracle.

    All of a record is in one number of :math:`3^d`, so a record is protected by the oracle's ε, whatever d, and any
    correlation of keys can be asked for afterwards (`table`).  The paper's oracles are unary encodings, which send
    3^d bits; `HadamardBit` sends one, and has
    nearly the error of `OUE` at small ε.

    Source: sun2021 §3.1, Algorithm 1.

    Values are `Records` with values in [−1, 1]; keys are numbered as they are named.  Reports and tallies are the
    oracle's.  Estimates are the shares of the combinations, (3^d,).

    Parameters
    ----------
    keys : tuple of str
        Names of the d keys, at most 12.
    oracle : ItemOracle
        With k = 3^d, and unbiased shares: not `SHist`.

    Examples
    --------
    >>> from ldpnb import OUE
    >>> health = IOH.of(("cough", "fever"), OUE, 3.0)
    >>> people = Records.of(*[{0: 1.0}, {0: 1.0, 1: -1.0}, {}] * 5000)
    >>> tally = health.tally(health.perturb(people, rng=np.random.default_rng(0)))
    >>> health.estimate(tally).round(2)  # of the 9 combinations
    array([-0.01, -0.  ,  0.  ,  0.  ,  0.34,  0.  ,  0.34,  0.33, -0.  ])
    """

    label = "IOH"
    of_epsilon = "lambda e: replace(m, oracle=replace(m.oracle, epsilon=e))"
    errors = "its table"

    combinations = staticmethod(combined)

    def _cells(self, records: Records, rng: Randomness) -> Ints:
        return numbered(records, self.d, rng)

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        return self.oracle.perturb(self._cells(values, rng), rng=rng)

    def _reports(self, reports: Reports) -> NDArray[Any]:
        return self.oracle._reports(reports)

    def _count(self, reports: NDArray[Any]) -> Ints:
        """Count as the oracle does."""
        return self.oracle._count(reports)

    def _worst(self) -> Reports:
        return self.oracle._worst()

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each combination: (…, 3^d)."""
        return self.oracle.estimate(replace(tally, mechanism=self.oracle))

    def expected(self, values: Records) -> Floats:
        """Probability of each combination after the signs are drawn: (n, 3^d)."""
        return joint(self._states(values))

    def table(self, tally: Tally) -> Table:
        """Estimate the table of all combinations, to be asked about correlations."""
        return self._table(self.keys, self.estimate(tally), tally.n)

    def truth(self, values: Records) -> Table:
        """Return the table that estimates have in expectation, as if this mechanism had collected it.

        Values are the truth about these people, and errors what theory says of the estimates.
        """
        return self._true_table(self.keys, values)

    @classmethod
    def example(cls) -> list[Example]:
        """One to three keys, through oracles that name a combination, send a bit for each, and send one bit."""
        shapes = ((2, GRR, 1.0), (3, GRR, 3.0), (1, OUE, 20.0), (2, HadamardBit, 1.0))
        return [Example(cls.of(tuple("abc"[:d]), make, epsilon), FEW[d], pairs=d < 3) for d, make, epsilon in shapes]


@dataclass(frozen=True, kw_only=True)
class PairSampling(Asking, Encoded, AsksSome):
    r"""One public pair of keys, drawn uniformly, and the number of its nine combinations through a frequency oracle.

    For many keys: where `IOH` spreads people over 3^d cells, this asks everybody about nine, with all of ε, and has
    1/L of the people for each of the L = d(d−1)/2 pairs.  It answers questions about two keys, and no others.

    `estimate` divides by the number of people expected to be asked about a pair, n/L; the `Table` of a pair, as
    `estimate_of_asked`, by the number N of those who were (`ldpnb.asked`), so that its cells scatter less.  In a
    frequency or mean, which is a ratio of two cells' sums, the factor cancels.

    Source: sampled marginals (Cormode, Kulkarni and Srivastava 2018), for the states of sun2021 §3.1; sampling is what
    sun2021 §5 leaves for later.

    Values are `Records` with values in [−1, 1]; keys are numbered as they are named.  Reports have the field ``pair``
    (public; pairs (a, b), a < b, in lexicographic order) and the fields of the oracle's reports, or ``report`` where
    these have none, (n,).  Tallies count for each pair the reports, and then what the oracle counts: (L, 1 + …).
    Estimates are the shares of the nine combinations 3 s_a + s_b for each pair, (L, 9).

    Parameters
    ----------
    keys : tuple of str
        Names of the d keys, at least 2.
    oracle : ItemOracle
        With k = 9, and unbiased shares: not `SHist`.

    Examples
    --------
    >>> from ldpnb import OUE
    >>> health = PairSampling.of(("cough", "fever", "cold"), OUE, 3.0)
    >>> people = Records.of(*[{0: 1.0}, {0: 1.0, 1: -1.0}, {}] * 5000)
    >>> tally = health.tally(health.perturb(people, rng=np.random.default_rng(0)))
    >>> health.estimate(tally).round(2)[0]  # of the 9 combinations of the first pair of keys
    array([-0.  ,  0.01, -0.  , -0.  ,  0.35, -0.  ,  0.31,  0.34,  0.01])
    """

    label = "pairs"
    of_epsilon = "lambda e: replace(m, oracle=replace(m.oracle, epsilon=e))"
    question = "pair"

    @staticmethod
    def combinations(d: int) -> int:
        """Nine, of two keys."""
        if d < 2:
            raise ValueError(f"keys must be at least two, since pairs are drawn, got {d}")
        return 9

    @cached_property
    def pairs(self) -> Ints:
        """All pairs of key numbers a < b, (L, 2), read-only."""
        found = np.stack(np.triu_indices(self.d, 1), -1)
        found.flags.writeable = False
        return found

    @property
    def questions(self) -> int:
        """Number of pairs."""
        return len(self.pairs)

    @property
    def asked(self) -> float:
        """1/L."""
        return 1 / self.questions

    def _numbers_asked(self, tally: Tally) -> Ints:
        """Count the reports about each pair: (…, L, 1)."""
        return np.asarray(tally.counts[..., :1])

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        pairs, codes = np.divmod(self._cells(values, rng), 9)
        return self._asked(pairs, self.oracle.perturb(codes, rng=rng))

    def expected(self, values: Records) -> Floats:
        """Probability of each combination of each pair after the signs are drawn: (n, L, 9)."""
        states = self._states(values)[:, self.pairs]
        return joint(states.reshape(-1, 2, 3)).reshape(len(states), -1, 9)

    def table(self, names: Sequence[str], tally: Tally) -> Table:
        """Estimate the table of two keys, in the order in which they are named, from those who were asked about them.

        Raises
        ------
        ValueError
            If these are not two different keys of this mechanism, or nobody was asked about them.
        """
        pair = self._pair(names)
        asked = self._own(tally).counts[..., pair, 0]
        if not asked.all():
            raise ValueError(f"names must be two keys that somebody was asked about, got {tuple(names)}: collect more")
        return self._table(names, self._mean_of_asked(tally)[..., pair, :], tally.n, asked)

    def truth(self, names: Sequence[str], values: Records) -> Table:
        """Return the table that estimates have in expectation, as if this mechanism had collected it.

        See `IOH.truth`.
        """
        self._pair(names)
        return self._true_table(names, values)

    def _simulated(self, histogram: Ints, rng: Randomness) -> Ints:
        simulated = super()._simulated
        return np.array([np.append(one.sum(), simulated(one, rng)) for one in histogram])

    @property
    def _shape(self) -> tuple[int, ...]:
        return len(self.pairs), 9

    def _cells(self, records: Records, rng: Randomness) -> Ints:
        """Draw 9 times the number of each person's pair, and the number of its combination."""
        pairs, users = uniform(len(self.pairs), (len(records),), rng), records.users
        entry, place = np.nonzero(records.keys[:, None] == self.pairs[pairs[users]])
        moves = signs((len(records), 2), (users[entry], place), entries(records)[entry], rng)
        return np.asarray(9 * pairs + 4 + moves @ (3, 1))

    def _pair(self, names: Sequence[str]) -> int:
        chosen = [self.keys.index(check_known(key, self.keys)) for key in check_names(names)]
        if len(chosen) != 2:
            raise ValueError(f"names must be two keys, got {tuple(names)}")
        a, b = sorted(chosen)
        return a * (2 * self.d - a - 1) // 2 + b - a - 1

    @classmethod
    def example(cls) -> list[Example]:
        """One pair and three, through oracles that name a combination, send one bit, and send a bit for each."""
        shapes = ((3, GRR, 1.0), (2, GRR, 3.0), (3, HadamardBit, 0.4), (2, OUE, 1.0))
        made = [cls.of(tuple("abc"[:d]), make, epsilon) for d, make, epsilon in shapes]
        return [Example(one, FEW[one.d][: 2 * one.d + 1], pairs=isinstance(one.oracle, GRR)) for one in made]
