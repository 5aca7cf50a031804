"""Correlation of keys: everybody is asked about all of them at once, or about one public pair.

`IOH` numbers the 3^d combinations of d keys' states and sends the number through a frequency
oracle; `PairSampling` does so for one public pair of keys.  Both give a `Table` of estimated shares
of all combinations, which answers questions about correlation (`ldpnb.keyvalue.queries`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import asked as people_asked
from ldpnb.chance import Randomness, uniform
from ldpnb.checks import Limit, check_count, check_people
from ldpnb.core import Example, Floats, Ints, Reports, Tally
from ldpnb.keyvalue.encoding import (
    check_cells,
    check_oracle,
    combined,
    draw_cells,
    encoded_variance,
    joint,
    laws_of_states,
    numbered,
    simulated_counts,
    table_of,
    true_shares,
)
from ldpnb.keyvalue.population import FEW, check_pairs, entries, signs
from ldpnb.keyvalue.queries import Table, check_known, check_names
from ldpnb.oracles.asking import Asking, Through
from ldpnb.oracles.base import ItemOracle
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.oracles.unary import OUE
from ldpnb.records import Records


@dataclass(frozen=True, kw_only=True)
class IOH(Through):
    r"""Index one-hot (IOH): the number of the combination of all keys' states, through an oracle.

    All of a record is in one number of :math:`3^d`, so a record is protected by the oracle's ε,
    whatever d, and any correlation of keys can be asked for afterwards (`table`).  The paper's
    oracles are unary encodings, which send 3^d bits; `HadamardBit` sends one, and has nearly the
    error of `OUE` at small ε.

    Source: sun2021 §3.1, Algorithm 1.

    Values are `Records` with values in [−1, 1]; keys are numbered as they are named.  Reports and
    tallies are the oracle's.  Estimates are the shares of the combinations, (3^d,).

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

    keys: tuple[str, ...]
    oracle: ItemOracle
    label = "IOH"
    limits: ClassVar[Mapping[str, Limit]] = {"keys": check_names}
    of_epsilon = "lambda e: replace(m, oracle=replace(m.oracle, epsilon=e))"
    errors = "its table"
    questions = 1  # everybody is asked about the one table

    def __post_init__(self) -> None:
        super().__post_init__()
        check_oracle(self.oracle, self.combinations(self.d))

    combinations = staticmethod(combined)

    @classmethod
    def of(cls, keys: Sequence[str], make: Callable[..., ItemOracle], epsilon: float) -> Self:
        """Make the oracle too: ``make(k=combinations, epsilon=epsilon)``.

        Examples
        --------
        >>> from ldpnb import IOH, OUE
        >>> IOH.of(("cancer", "fever", "cough"), OUE, 1.0).oracle
        OUE(k=27, epsilon=1.0, packed=False)
        """
        names = check_names(keys)
        k = cls.combinations(len(names))
        return cls(keys=names, oracle=make(k=k, epsilon=epsilon))

    @property
    def d(self) -> int:
        """Number of keys."""
        return len(self.keys)

    # ------------------------------------------------------------------------ values and target

    def _values(self, values: Records) -> Records:
        return check_pairs(values, self.d)

    def expected(self, values: Records) -> Floats:
        """Probability of each combination after the signs are drawn: (n, 3^d)."""
        return joint(laws_of_states(self._values(values), self.d))

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        return self.oracle.perturb(numbered(values, self.d, rng), rng=rng)

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Reports:
        return self.oracle._reports(reports)

    def _count(self, reports: Reports) -> Ints:
        """Count as the oracle does."""
        return self.oracle._count(reports)

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each combination: (…, 3^d)."""
        return self.oracle.estimate(replace(tally, mechanism=self.oracle))

    def _worst(self) -> Reports:
        return self.oracle._worst()

    def table(self, tally: Tally) -> Table:
        """Estimate the table of all combinations, to be asked about correlations."""
        return table_of(self.keys, self.keys, self.estimate(tally), tally.n, self.oracle)

    def truth(self, values: Records) -> Table:
        """Return the table that estimates have in expectation, as if it had been collected.

        Values are the truth about these people, and errors what theory says of the estimates.
        """
        records = self._values(values)
        shares = true_shares(records, self.d, range(self.d))
        return table_of(self.keys, self.keys, shares, len(records), self.oracle)

    # ------------------------------------------------------------------- variance and simulation

    def variance(self, values: Records) -> Floats:
        """Variance of each cell's score, the draw of the signs included: (n, 3^d).

        See `ldpnb.keyvalue.encoding.encoded_variance`.
        """
        return encoded_variance(self.expected(values), self.oracle)

    def cells(self, values: Records, *, trials: int, rng: Randomness) -> Ints:
        """Draw everybody's number anew for each trial, and count the people of each.

        That depends neither on the oracle nor on ε: draw it once and hand it to `simulate` of
        several mechanisms.

        Returns
        -------
        ndarray of int64 (trials, 3^d)
        """
        trials = check_count(trials, 1, "trials")
        records = self._values(values)
        check_people(records)
        return draw_cells(lambda: numbered(records, self.d, rng), (self.oracle.k,), trials)

    def simulate(self, cells: ArrayLike, *, rng: Randomness) -> Tally:
        """Draw tallies of populations, exact in their joint law, one for each row of `cells`.

        As fast as the oracle's `simulate`; an oracle without one is simulated person by person.

        Parameters
        ----------
        cells : array_like of int (trials, 3^d)
            How many people have each combination, as `cells` draws them; as many in each trial.
        rng : numpy.random.Generator or Paths
        """
        trials, n = check_cells(cells, (self.oracle.k,))
        counts = [simulated_counts(self.oracle, trial, rng) for trial in trials]
        return Tally(self, n, np.stack(counts))

    @classmethod
    def example(cls) -> list[Example]:
        """One to three keys, through oracles that name a combination, send all bits, or one."""
        shapes = ((2, GRR, 1.0), (3, GRR, 3.0), (1, OUE, 20.0), (2, HadamardBit, 1.0))
        found = []
        for d, make, epsilon in shapes:
            one = cls.of(tuple("abc"[:d]), make, epsilon)
            found.append(Example(one, FEW[d], pairs=d < 3))
        return found


@dataclass(frozen=True, kw_only=True)
class PairSampling(Asking):
    r"""One public pair of keys, and the number of its nine combinations through an oracle.

    The pair is drawn uniformly.  This is for many keys: where `IOH` spreads people over 3^d cells,
    it asks everybody about nine, with all of ε, and has 1/L of the people for each of the
    L = d(d−1)/2 pairs.  It answers questions about two keys, and no others.

    `estimate` divides by the number of people expected to be asked about a pair, n/L; the `Table`
    of a pair, as `estimate_of_asked`, by the number N of those who were (`ldpnb.asked`), so that
    its cells scatter less.  In a frequency or mean, which is a ratio of two cells' sums, the factor
    cancels.

    Source: sampled marginals (Cormode, Kulkarni and Srivastava 2018), for the states of sun2021
    §3.1; sampling is what sun2021 §5 leaves for later.

    Values are `Records` with values in [−1, 1]; keys are numbered as they are named.  Reports have
    the field ``pair`` (public; pairs (a, b), a < b, in lexicographic order) and the fields of the
    oracle's reports, or ``report`` where these have none, (n,).  Tallies count for each pair the
    reports, and then what the oracle counts: (L, 1 + …).  Estimates are the shares of the nine
    combinations 3 s_a + s_b for each pair, (L, 9).

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

    keys: tuple[str, ...]
    oracle: ItemOracle
    label = "pairs"
    limits: ClassVar[Mapping[str, Limit]] = {"keys": check_names}
    of_epsilon = "lambda e: replace(m, oracle=replace(m.oracle, epsilon=e))"
    question = "pair"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_oracle(self.oracle, self.combinations(self.d))

    @staticmethod
    def combinations(d: int) -> int:
        """Nine, of two keys."""
        if d < 2:
            raise ValueError(f"keys must be at least two, since pairs are drawn, got {d}")
        return 9

    @classmethod
    def of(cls, keys: Sequence[str], make: Callable[..., ItemOracle], epsilon: float) -> Self:
        """Make the oracle too: ``make(k=9, epsilon=epsilon)``."""
        names = check_names(keys)
        k = cls.combinations(len(names))
        return cls(keys=names, oracle=make(k=k, epsilon=epsilon))

    # --------------------------------------------------------------------------------- the pairs

    @property
    def d(self) -> int:
        """Number of keys."""
        return len(self.keys)

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

    def _pair(self, names: Sequence[str]) -> int:
        """Return the number of the pair of these keys."""
        chosen = [self.keys.index(check_known(key, self.keys)) for key in check_names(names)]
        if len(chosen) != 2:
            raise ValueError(f"names must be two keys, got {tuple(names)}")
        a, b = sorted(chosen)
        before = a * (2 * self.d - a - 1) // 2  # pairs of a key below a
        return before + b - a - 1

    # ------------------------------------------------------------------------ values and target

    def _values(self, values: Records) -> Records:
        return check_pairs(values, self.d)

    def expected(self, values: Records) -> Floats:
        """Probability of each combination of each pair after the signs are drawn: (n, L, 9)."""
        states = laws_of_states(self._values(values), self.d)[:, self.pairs]
        return joint(states.reshape(-1, 2, 3)).reshape(len(states), -1, 9)

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        pairs, codes = np.divmod(self._cells(values, rng), 9)
        return self._asked(pairs, self.oracle.perturb(codes, rng=rng))

    def _cells(self, records: Records, rng: Randomness) -> Ints:
        """Draw 9 times the number of each person's pair, and the number of its combination."""
        pairs = uniform(len(self.pairs), (len(records),), rng)
        users = records.users
        asked = self.pairs[pairs[users]]  # (entries, 2)
        entry, place = np.nonzero(records.keys[:, None] == asked)
        values = entries(records)[entry]
        moves = signs((len(records), 2), (users[entry], place), values, rng)
        return np.asarray(9 * pairs + 4 + moves @ (3, 1))

    # -------------------------------------------------------------------------------- the server

    numbers_asked = people_asked.numbers_asked
    estimate_of_asked = people_asked.estimate_of_asked
    standard_error_of_asked = people_asked.standard_error_of_asked
    interval_of_asked = people_asked.interval_of_asked
    variance_of_asked = people_asked.variance_of_asked
    contrast_variance_of_asked = people_asked.contrast_variance_of_asked
    _mean_of_asked = people_asked._mean_of_asked
    _error_of_asked = people_asked._error_of_asked

    def _numbers_asked(self, tally: Tally) -> Ints:
        """Count the reports about each pair: (…, L, 1)."""
        return np.asarray(tally.counts[..., :1])

    def table(self, names: Sequence[str], tally: Tally) -> Table:
        """Estimate the table of two keys, named in any order, from those who were asked about them.

        Raises
        ------
        ValueError
            If these are not two different keys of this mechanism, or nobody was asked about them.
        """
        pair = self._pair(names)
        asked = self._own(tally).counts[..., pair, 0]
        if not asked.all():
            rule = "names must be two keys that somebody was asked about"
            raise ValueError(f"{rule}, got {tuple(names)}: collect more")
        shares = self._mean_of_asked(tally)[..., pair, :]
        return table_of(
            names, self.keys, shares, tally.n, self.oracle, pairs=self.questions, asked=asked
        )

    def truth(self, names: Sequence[str], values: Records) -> Table:
        """Return the table that estimates have in expectation, as if it had been collected.

        See `IOH.truth`.
        """
        self._pair(names)
        records = self._values(values)
        columns = sorted(self.keys.index(name) for name in names)
        shares = true_shares(records, self.d, columns)
        return table_of(names, self.keys, shares, len(records), self.oracle, pairs=self.questions)

    # ------------------------------------------------------------------- variance and simulation

    def variance(self, values: Records) -> Floats:
        """Variance of each cell's score, the draws of pair and signs included: (n, L, 9).

        See `ldpnb.keyvalue.encoding.encoded_variance`.
        """
        return encoded_variance(self.expected(values), self.oracle, self.questions)

    def cells(self, values: Records, *, trials: int, rng: Randomness) -> Ints:
        """Draw everybody's pair and combination anew for each trial, and count the people of each.

        That depends neither on the oracle nor on ε: draw it once and hand it to `simulate` of
        several mechanisms.

        Returns
        -------
        ndarray of int64 (trials, L, 9)
        """
        trials = check_count(trials, 1, "trials")
        records = self._values(values)
        check_people(records)
        return draw_cells(lambda: self._cells(records, rng), (self.questions, 9), trials)

    def simulate(self, cells: ArrayLike, *, rng: Randomness) -> Tally:
        """Draw tallies of populations, exact in their joint law, one for each row of `cells`.

        As fast as the oracle's `simulate`; an oracle without one is simulated person by person.

        Parameters
        ----------
        cells : array_like of int (trials, L, 9)
            How many people are asked about each pair and have each combination, as `cells` draws
            them; as many in each trial.
        rng : numpy.random.Generator or Paths
        """
        trials, n = check_cells(cells, (self.questions, 9))
        counts = [self._simulated(trial, rng) for trial in trials]
        return Tally(self, n, np.stack(counts))

    def _simulated(self, histogram: Ints, rng: Randomness) -> Ints:
        """Draw the counts of one tally of people with these pairs and combinations, (L, 1 + …)."""
        counts = []
        for one in histogram:
            told = simulated_counts(self.oracle, one, rng)
            counts.append(np.append(one.sum(), told))
        return np.array(counts)

    @classmethod
    def example(cls) -> list[Example]:
        """One pair and three, through oracles that name a combination, send one bit, or nine."""
        shapes = ((3, GRR, 1.0), (2, GRR, 3.0), (3, HadamardBit, 0.4), (2, OUE, 1.0))
        found = []
        for d, make, epsilon in shapes:
            one = cls.of(tuple("abc"[:d]), make, epsilon)
            found.append(Example(one, FEW[d][: 2 * d + 1], pairs=make is GRR))
        return found
