r"""Correlation of keys: the joint table of all keys' states, and what may be asked of it.

A key has three states for a person: 0 (held, sign −), 1 (not held) and 2 (held, sign +), after a value in [−1, 1] has
become a sign with its mean (`ldpnb.keyvalue.discretise`).  `IOH` numbers the 3^d combinations of d keys' states and
sends the number through a frequency oracle; `PairSampling` does so for one public pair of keys.  Both give a `Table` of
estimated shares of all combinations, and everything about correlation is linear in it, or a ratio of two linear things:

    share of people who satisfy a condition C         F_C = Σ_x w_C(x) θ_x,      w_C(x) = 1 if x satisfies C, else 0,
    frequency of key k among them                     f_{k|C} = F_{C, k held} / F_C,
    mean of key k's values among those who hold it    m_{k|C} = S_{k|C} / F_{C, k held},

where S sums the signs of k.  A condition says of some keys that they are held, or that they are not; its weights are an
outer product of one factor a key: (1, 0, 1) held, (0, 1, 0) not held, (−1, 0, 1) sign, (1, 1, 1) no matter.

The error of a weighted sum comes from the joint law of one report (`PureProtocol.linear_variance`): with n people
and true shares θ its variance is Σ_x θ_x Var[Σ_v w_v s_v | x] / n.  A ratio ρ = F₁/F₀ has, for many people, the
variance of the one sum (w₁ − ρ w₀)/F₀ (delta method).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import crowds
from ldpnb.chance import Randomness, uniform
from ldpnb.checks import Limit, check_codes, check_count, check_fields, check_numbers, check_people
from ldpnb.core import Example, Mechanism, Records, Reports, Tally
from ldpnb.keyvalue.ternary import FEW, check_pairs, discretise, entries
from ldpnb.oracles.frequency import GRR, OUE, PureProtocol
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.oracles.succinct import SHist
from ldpnb.postprocess import norm, norm_sub

D_MAX = 12  # keys of one table: 3^12 is half a million cells, and the next a million and a half
BLOCK = 2**24  # numbers in memory at a time

Given = Mapping[str, int]  # the keys that a condition speaks of: 1 held, 0 not held


# ------------------------------------------------------------------------------------------------------ conditions


def to_bits(given: Given, keys: Sequence[str]) -> tuple[str, str]:
    """Write a condition as the paper's (α, β): which keys it speaks of, and which of these are held.

    Source: sun2021 Definition 2 and Fig. 3.

    Parameters
    ----------
    given : mapping from key name to 1 (held) or 0 (not held)
    keys : sequence of str

    Returns
    -------
    tuple of two strings of 0 and 1, one character a key

    Raises
    ------
    ValueError
        If a key is not among `keys`, or its value is not 1 or 0.

    Examples
    --------
    >>> to_bits({"cough": 1, "cancer": 0}, ("cancer", "fever", "cough"))
    ('101', '001')
    """
    names = check_names(keys)
    said = _condition(given, names)
    return "".join(str(int(key in said)) for key in names), "".join(str(said.get(key, 0)) for key in names)


def check_names(keys: Sequence[str], name: str = "keys") -> tuple[str, ...]:
    """Return distinct names as a tuple, at least one."""
    if isinstance(keys, str) or not isinstance(keys, Sequence) or not all(isinstance(key, str) for key in keys):
        raise ValueError(f"{name} must be a tuple of names, got {keys!r}")
    if len(keys) == 0 or len(set(keys)) < len(keys):
        raise ValueError(f"{name} must be distinct names, at least one, got {tuple(keys)}")
    return tuple(keys)


def check_few(d: int) -> int:
    """Return a number of keys that one table can have."""
    if d > D_MAX:
        raise ValueError(
            f"keys must be at most {D_MAX} for a table of all 3**d combinations, got {d}: PairSampling collects pairs"
        )
    return d


def check_known(key: Any, keys: tuple[str, ...]) -> str:
    """Return a key that is among these."""
    if not isinstance(key, str) or key not in keys:
        raise ValueError(f"key must be one of {', '.join(keys)}, got {key!r}")
    return key


def _condition(given: Given, keys: tuple[str, ...]) -> dict[str, int]:
    if not isinstance(given, Mapping):
        raise ValueError(f"given must be a mapping from key to 1 or 0, got {given!r}")
    for key, held in given.items():
        check_known(key, keys)
        if not isinstance(held, int | np.integer | np.bool_) or held not in (0, 1):
            raise ValueError(f"given must say 1 (held) or 0 (not held) of {key}, got {held!r}")
    return {key: int(held) for key, held in given.items()}


# ---------------------------------------------------------------------------------------------------------- tables


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to a query.

    Attributes
    ----------
    value : float, or ndarray (…)
        Never clipped; nan where the denominator of a ratio is not positive, since there is nobody to speak of.
    error : float, or ndarray (…)
        Its standard error; nan where it is not known.
    reliable : bool, or ndarray (…)
        Whether the denominator of a ratio exceeds three standard errors of its own.  Otherwise the ratio has no
        bell-shaped law, and `error` says little.  A share has no denominator and is always reliable.
    """

    value: Any
    error: Any
    reliable: Any


@dataclass(frozen=True, eq=False)
class Shares:
    """How the shares of all combinations were estimated: what the errors of all that follows are computed from.

    Attributes
    ----------
    keys : tuple of str
    shares : ndarray (…, 3^d)
        Linear estimates; leading axes run over trials.
    n : int
        Number of people.
    oracle : PureProtocol
    pairs : int
        Number of pairs of which each person was asked about one.
    """

    keys: tuple[str, ...]
    shares: NDArray[np.float64]
    n: int
    oracle: PureProtocol
    pairs: int = 1

    def variance(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        r"""Variance of the weighted sum of shares, for weights (…, 3^d), given everybody's signs.

        With g_x the variance for a person of combination x, it is :math:`\sum_x \theta_x g_x / n`; of L pairs,
        :math:`g_x = L \operatorname{Var}[\sum_v w_v s_v \mid x] + (L-1) w_x^2`.  The estimated shares, normalised,
        stand for θ; as they may be negative, the mean is kept between the least and the largest g.
        """
        g = self.pairs * self.oracle.linear_variance(weights) + (self.pairs - 1) * np.square(weights)
        mean = (norm(self.shares) * g).sum(-1)
        return np.asarray(np.clip(mean, g.min(-1), g.max(-1)) / self.n)


@dataclass(frozen=True, eq=False)
class Table:
    """Estimated shares of all combinations of some keys' states, and queries about them.

    Combination Σ_j 3^(d−j) s_j has the digits s_1 … s_d, the states of the keys in their order: 0 (held, sign −),
    1 (not held), 2 (held, sign +).  Leading axes run over trials, and answers have the same ones.

    A condition `given` is a mapping from key to 1 (held) or 0 (not held), in any order; True and False will do.

    Attributes
    ----------
    keys : tuple of str
    cells : ndarray (…, 3^d)
    collected : Shares, optional
        How they were estimated; None if they are no longer linear in the reports, so that no error is known.
    normal : bool
        Whether cells were shifted to sum to 1.
    """

    keys: tuple[str, ...]
    cells: NDArray[np.float64]
    collected: Shares | None = None
    normal: bool = False

    def __post_init__(self) -> None:
        size = 3 ** len(check_names(self.keys))
        cells = check_numbers(self.cells, "cells")
        if cells.ndim == 0 or cells.shape[-1] != size:
            raise ValueError(f"cells must have 3**d = {size} entries along the last axis, got shape {cells.shape}")
        object.__setattr__(self, "cells", cells)

    def count(self, given: Given) -> Answer:
        """Estimate the share of people who satisfy the condition; unbiased.  Source: sun2021 §3.2, F^α_β over n."""
        w = self._weights(_condition(given, self.keys))
        value = self.cells @ w
        return Answer(value[()], np.sqrt(self._variance(w))[()], np.ones(value.shape, np.bool_)[()])

    def frequency(self, key: str, given: Given | None = None) -> Answer:
        """Estimate how frequent a key is among the people who satisfy a condition.

        Both parts of the ratio are estimates, also where nothing is given: then the denominator is the sum of all
        cells, which is 1 once the table is `normalised`.

        Source: sun2021 §3.2.

        Raises
        ------
        ValueError
            If the table has no such key, or the condition is about the key itself.
        """
        said = self._other(key, given)
        whole = self._weights(said)
        return self._ratio(self._weights(said | {key: 1}), whole)

    def mean(self, key: str, given: Given | None = None) -> Answer:
        """Estimate the mean of a key's values among the people who satisfy a condition and hold the key.

        The error includes what the random signs may add at most: as if all these people had one value.

        Source: sun2021 §3.3.

        Raises
        ------
        ValueError
            If the table has no such key, or the condition is about the key itself.
        """
        said = self._other(key, given)
        held = self._weights(said | {key: 1})
        return self._ratio(self._weights(said, sign=key), held, signs=True)

    def normalised(self) -> Table:
        """Add one constant to all cells, so that they sum to 1.  Unbiased, and errors allow for it."""
        return replace(self, cells=norm(self.cells), normal=True)

    def projected(self) -> Table:
        """Move to the nearest non-negative cells with sum 1.  Biased: errors are not known any more.

        It trades noise for bias: where the table is hardly more than noise it helps, where it is not, what is cut off
        many small cells adds up in sums.  On the `marginal` of the few keys a question is about it is harmless.
        """
        return replace(self, cells=norm_sub(self.cells), collected=None, normal=True)

    def marginal(self, keys: Sequence[str]) -> Table:
        """Sum over all other keys; the keys left come in the order in which they are named.

        Raises
        ------
        ValueError
            If the table has no such key, or one is named twice.
        """
        names = tuple(check_known(key, self.keys) for key in check_names(keys))
        lead, d = self.cells.ndim - 1, len(self.keys)
        cube = self.cells.reshape(*self.cells.shape[:-1], *(3,) * d)
        cube = cube.sum(tuple(lead + j for j, key in enumerate(self.keys) if key not in names))
        left = [key for key in self.keys if key in names]
        cube = cube.transpose(*range(lead), *(lead + left.index(key) for key in names))
        return replace(self, keys=names, cells=cube.reshape(*cube.shape[:lead], -1))

    def _other(self, key: str, given: Given | None) -> dict[str, int]:
        said = _condition({} if given is None else given, self.keys)
        if check_known(key, self.keys) in said:
            raise ValueError(f"given must not be about the key asked for, got {key}")
        return said

    def _weights(self, said: dict[str, int], sign: str | None = None) -> NDArray[np.float64]:
        """One weight a cell: the outer product of a factor a key."""
        factor = {None: (1.0, 1.0, 1.0), 1: (1.0, 0.0, 1.0), 0: (0.0, 1.0, 0.0)}
        factors = [np.array((-1.0, 0.0, 1.0) if key == sign else factor[said.get(key)]) for key in self.keys]
        return reduce(lambda a, b: np.multiply.outer(a, b).reshape(-1), factors)

    def _ratio(self, part: NDArray[np.float64], whole: NDArray[np.float64], signs: bool = False) -> Answer:
        below = np.asarray(self.cells @ whole)
        below = np.where(below > 0, below, np.nan)
        value = np.asarray(self.cells @ part / below)
        # where there is no ratio, any number will do for weights that have to be finite
        safe, rho = (np.nan_to_num(x, nan=1.0)[..., None] for x in (below, value))
        variance = self._variance((part - rho * whole) / safe)
        if signs and self.collected is not None:  # Σ(1 − v²) is largest for equal v
            variance = variance + np.maximum(1 - value**2, 0) / (below * self.collected.n)
        reliable = below > 3 * np.sqrt(self._variance(whole))
        return Answer(value[()], np.where(np.isnan(value), np.nan, np.sqrt(variance))[()], reliable[()])

    def _variance(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Variance of the weighted sum of cells, for weights (…, 3^d); nan where it is not known."""
        if self.collected is None:
            return np.full(self.cells.shape[:-1], np.nan)
        lead, names = weights.shape[:-1], self.collected.keys
        if self.keys != names:  # a sum over cells of the marginal is one over all cells
            places = [self.keys.index(key) if key in self.keys else None for key in names]
            order = [len(lead) + j for j in places if j is not None]
            cube = weights.reshape(*lead, *(3,) * len(self.keys)).transpose(*range(len(lead)), *order)
            cube = cube.reshape(*lead, *(1 if j is None else 3 for j in places))
            weights = np.broadcast_to(cube, (*lead, *(3,) * len(names))).reshape(*lead, -1)
        if self.normal:
            weights = weights - weights.mean(-1, keepdims=True)
        return self.collected.variance(weights)


# --------------------------------------------------------------------------------------------------- all keys at once


def encode(values: Records, d: int, rng: Randomness) -> NDArray[np.int64]:
    """Draw a sign for each value and return the number of each person's combination of d states, Σ_j 3^(d−j) s_j.

    Source: sun2021 §3.1 (IOH).

    Parameters
    ----------
    values : Records with values in [−1, 1]
        Keys are 0, …, d − 1.
    d : int
    rng : Generator, SystemRandom or Paths

    Returns
    -------
    ndarray of int64 (n,), in [0, 3^d)

    Raises
    ------
    ValueError
        If a key or value is out of range, or d is above 12.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> encode(Records.of({0: 1.0, 2: -1.0}, {}), 3, rng).tolist()  # digits 2 1 0, and 1 1 1
    [21, 13]
    """
    d = check_few(check_count(d, 1, "d"))
    return encoded(check_pairs(values, d), d, rng)


def encoded(records: Records, d: int, rng: Randomness) -> NDArray[np.int64]:
    """As `encode`, for checked records."""
    moves = discretise(entries(records), rng) * 3 ** (d - 1 - records.keys)
    return np.asarray((3**d - 1) // 2 + per_person(moves, records.offsets))


def per_person(moves: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum of each person's entries."""
    total = np.zeros(len(moves) + 1, np.int64)
    np.cumsum(moves, out=total[1:])
    return np.diff(total[offsets])


def shares_of(values: Records, d: int) -> NDArray[np.float64]:
    """Mean over people of the law of their combination, (3^d,)."""
    records = check_pairs(values, d)
    check_people(records)
    plus, held = np.zeros((2, len(records), d))
    who = records.users, records.keys
    plus[who], held[who] = (1 + entries(records)) / 2, 1
    pattern = (held @ 2.0 ** np.arange(d)).astype(np.int64)
    order = np.argsort(pattern, kind="stable")
    total = np.zeros((3,) * d)
    for group in np.split(order, np.flatnonzero(np.diff(pattern[order])) + 1):
        # people who hold the same keys have two states of each of them and one of every other
        keys = np.flatnonzero(held[group[0]])
        signs = np.zeros((2,) * len(keys))
        for start in range(0, len(group), max(1, BLOCK >> len(keys))):
            up = plus[group[start : start + max(1, BLOCK >> len(keys))]][:, keys]
            law = np.ones((len(up), 1))
            for p in up.T:
                law = (law[:, :, None] * np.stack([1 - p, p], -1)[:, None]).reshape(len(up), -1)
            signs += law.sum(0).reshape(signs.shape)
        total[tuple(slice(None, None, 2) if one else 1 for one in held[group[0]])] = signs
    return total.reshape(-1) / len(records)


@dataclass(frozen=True, kw_only=True)
class Encoded(Mechanism):
    """What both designs share: records become numbers, which go through a frequency oracle and spend what it spends.

    Parameters
    ----------
    keys : tuple of str
        Names of the d keys.
    oracle : PureProtocol
        With unbiased shares: not `SHist`.
    """

    keys: tuple[str, ...]
    oracle: PureProtocol
    limits: ClassVar[Mapping[str, Limit]] = {"keys": check_names}

    def __post_init__(self) -> None:
        super().__post_init__()
        k = self.combinations(self.d)
        if not isinstance(self.oracle, PureProtocol) or isinstance(self.oracle, SHist):
            # the matrix of SHist adds an error that no number of people averages away
            raise ValueError(f"oracle must be a pure protocol with unbiased shares, got {self.oracle!r}")
        if self.oracle.k != k:
            raise ValueError(f"oracle must have k = {k}, got {self.oracle.k}")

    @staticmethod
    @abstractmethod
    def combinations(d: int) -> int:
        """How many combinations of states the oracle is asked about, where there are d keys."""

    @classmethod
    def of(cls, keys: Sequence[str], make: Callable[..., PureProtocol], epsilon: float) -> Self:
        """Make the oracle too: ``make(k=combinations, epsilon=epsilon)``.

        Examples
        --------
        >>> from ldpnb.oracles import OUE
        >>> IOH.of(("cancer", "fever", "cough"), OUE, 1.0).oracle
        OUE(k=27, epsilon=1.0, packed=False)
        """
        names = check_names(keys)
        return cls(keys=names, oracle=make(k=cls.combinations(len(names)), epsilon=epsilon))

    @property
    def d(self) -> int:
        """Number of keys."""
        return len(self.keys)

    @property
    def epsilon(self) -> float:
        """That of the oracle."""
        return float(self.oracle.epsilon)

    @property
    def realised_epsilon(self) -> float:
        """That of the oracle: two records may have any two numbers."""
        return self.oracle.realised_epsilon

    @property
    def report_bits(self) -> int:
        """That of the oracle, without what is public."""
        return self.oracle.report_bits

    @property
    def public_bits(self) -> int:
        """That of the oracle."""
        return self.oracle.public_bits

    @property
    def public_fields(self) -> tuple[str, ...]:  # type: ignore[override]  # a fact about the oracle, not the class
        """Those of the oracle's reports."""
        return self.oracle.public_fields

    @property
    def server_cost(self) -> str:  # type: ignore[override]  # as above
        """That of the oracle."""
        return self.oracle.server_cost

    def cells(self, values: Records, *, trials: int, rng: Randomness) -> NDArray[np.int64]:
        """Draw everybody's number anew for each trial and count the people of each: (trials, …) as `simulate` takes it.

        That depends neither on the oracle nor on ε: draw it once and hand it to `simulate` of several mechanisms.
        """
        trials, records = check_count(trials, 1, "trials"), self._values(values)
        check_people(records)
        found = np.empty((trials, prod(self._shape)), np.int64)
        for one in found:
            one[:] = np.bincount(self._cells(records, rng), minlength=found.shape[1])
        return found.reshape(trials, *self._shape)

    @property
    @abstractmethod
    def _shape(self) -> tuple[int, ...]:
        """Shape of the estimates."""

    @abstractmethod
    def _cells(self, records: Records, rng: Randomness) -> NDArray[np.int64]:
        """Draw the place of each person in estimates that are laid out flat, (n,)."""

    def _values(self, values: Records) -> Records:
        return check_pairs(values, self.d)

    def _states(self, values: Records) -> NDArray[np.float64]:
        """Return the law of each key's state, (n, d, 3)."""
        records = self._values(values)
        law, v = np.zeros((len(records), self.d, 3)), entries(records)
        law[..., 1] = 1
        law[records.users, records.keys] = np.stack([(1 - v) / 2, np.zeros(len(v)), (1 + v) / 2], -1)
        return law

    def _oracle_variance(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Variance of the oracle's score for a combination that people have with these probabilities, in their mean."""
        own, other = self.oracle.variance(np.zeros(1, np.int64))[0, :2]
        return np.asarray(other + (own - other) * t)

    @classmethod
    def sized(cls, size: int, epsilon: float) -> Self:
        """For so many keys, through k-RR."""
        return cls.of(tuple(f"key {i}" for i in range(size)), GRR, epsilon)

    def crowd(self, n: int, rng: np.random.Generator | None) -> Records:
        """Any number of keys."""
        return crowds.pairs(self.d, self.d, n, rng)


@dataclass(frozen=True, kw_only=True)
class IOH(Encoded):
    r"""Index one-hot (IOH): the number of the combination of all keys' states, through a frequency oracle.

    All of a record is in one number of :math:`3^d`, so a record is protected by the oracle's ε, whatever d, and any
    correlation of keys can be asked for afterwards (`table`).  The paper's oracles are unary encodings, which send
    3^d bits; `HadamardBit` sends one, and has
    nearly the error of `OUE` at small ε.

    Source: sun2021 §3.1, Algorithm 1.

    Parameters
    ----------
    keys : tuple of str
        Names of the d keys, at most 12.
    oracle : PureProtocol
        With k = 3^d, and unbiased shares: not `SHist`.

    Values are `Records` with values in [−1, 1]; keys are numbered as they are named.  Reports and tallies are the
    oracle's.  Estimates are the shares of the combinations, (3^d,).
    """

    label = "IOH"
    scope = (1, 4, 8)

    @staticmethod
    def combinations(d: int) -> int:
        """3^d."""
        return int(3 ** check_few(d))

    @property
    def _shape(self) -> tuple[int, ...]:
        return (self.oracle.k,)

    def _cells(self, records: Records, rng: Randomness) -> NDArray[np.int64]:
        return encoded(records, self.d, rng)

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        return self.oracle.perturb(self._cells(values, rng), rng=rng)

    def tally(self, reports: Reports) -> Tally:
        """Count as the oracle does, which also checks its reports."""
        return replace(self.oracle.tally(reports), mechanism=self)

    def _score(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the share of each combination: (…, 3^d)."""
        return self.oracle.estimate(replace(tally, mechanism=self.oracle))

    def expected(self, values: Records) -> NDArray[np.float64]:
        """Probability of each combination after the signs are drawn: (n, 3^d)."""
        states = self._states(values)
        law = np.ones((len(states), 1))
        for j in range(self.d):
            law = np.asarray(law[:, :, None] * states[:, j, None, :]).reshape(len(states), -1)
        return law

    def variance(self, values: Records) -> NDArray[np.float64]:
        """Variance of each cell's score: that of the oracle, in the mean over the signs, and t(1−t): (n, 3^d)."""
        t = self.expected(values)
        return self._oracle_variance(t) + t * (1 - t)

    def table(self, tally: Tally) -> Table:
        """Estimate the table of all combinations, to be asked about correlations."""
        return self._table(self.estimate(tally), tally.n)

    def truth(self, values: Records) -> Table:
        """Return the table that estimates have in expectation, as if this mechanism had collected it.

        Values are the truth about these people, and errors what theory says of the estimates.
        """
        return self._table(shares_of(values, self.d), len(values))

    def simulate(self, cells: ArrayLike, *, rng: Randomness) -> Tally:
        """Tallies of populations, exact in their joint law, one for each row of `cells`: (trials, …).

        As fast as the oracle's `simulate`; an oracle without one is simulated person by person.

        Parameters
        ----------
        cells : array_like of int (trials, 3^d)
            How many people are in each combination, as `cells` draws them; as many in each trial.
        rng : numpy.random.Generator or Paths
        """
        counts = check_cells(cells, self._shape)
        tallies = [counts_of(self.oracle, one, rng) for one in counts]
        return Tally(self, int(counts[0].sum()), np.stack(tallies))

    def _table(self, shares: NDArray[np.float64], n: int) -> Table:
        return Table(self.keys, shares, Shares(self.keys, shares, n, self.oracle))

    @classmethod
    def example(cls) -> list[Example]:
        """One to three keys, through oracles that name a combination, send a bit for each, and send one bit."""
        shapes = ((2, GRR, 1.0), (3, GRR, 3.0), (1, OUE, 20.0), (2, HadamardBit, 1.0))
        return [Example(cls.of(tuple("abc"[:d]), make, epsilon), FEW[d], pairs=d < 3) for d, make, epsilon in shapes]


def check_cells(cells: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return counts of people by cell, (trials, *shape), as many people in each trial."""
    found = check_codes(cells, None, "cells", ndim=1 + len(shape))
    if found.shape[1:] != shape or len(found) == 0:
        raise ValueError(f"cells must be of shape (trials, {', '.join(map(str, shape))}), got {found.shape}")
    people = found.reshape(len(found), -1).sum(1)
    if np.any(people != people[0]) or people[0] == 0:
        raise ValueError(f"cells must hold as many people in each trial, at least one, got {people.tolist()}")
    return found


def counts_of(oracle: PureProtocol, histogram: NDArray[np.int64], rng: Randomness) -> NDArray[np.int64]:
    """Return the counts of one tally of a population with this histogram, exact in their joint law."""
    n, simulate = int(histogram.sum()), getattr(oracle, "simulate", None)
    if simulate is not None and n > 0:
        return np.asarray(simulate(histogram, trials=1, rng=rng).counts[0])
    codes, step = np.repeat(np.arange(oracle.k), histogram), max(1, BLOCK // oracle.k)
    total = no_counts(oracle)
    for start in range(0, n, step):
        total = total + oracle.tally(oracle.perturb(codes[start : start + step], rng=rng)).counts
    return total


def no_counts(oracle: PureProtocol) -> NDArray[np.int64]:
    """Return the counts of no reports."""
    return oracle.tally(any_report(oracle)[:0]).counts


def any_report(oracle: PureProtocol) -> Reports:
    """Return any report, to see what reports look like."""
    return oracle.perturb(np.zeros(1, np.int64), rng=np.random.default_rng(0))


# --------------------------------------------------------------------------------------------- a pair of keys each


@dataclass(frozen=True, kw_only=True)
class PairSampling(Encoded):
    r"""One public pair of keys, drawn uniformly, and the number of its nine combinations through a frequency oracle.

    For many keys: where `IOH` spreads people over 3^d cells, this asks everybody about nine, with all of ε, and has
    1/L of the people for each of the L = d(d−1)/2 pairs.  It answers questions about two keys, and no others.

    Scores are multiplied by L, so that estimates are linear; a `Table` of a pair has people's number n, not the random
    number of those who were asked.  A frequency or mean is a ratio of two such numbers, in which the factor cancels.

    Source: sampled marginals (Cormode, Kulkarni and Srivastava 2018), for the states of sun2021 §3.1; sampling is what
    sun2021 §5 leaves for later.

    Parameters
    ----------
    keys : tuple of str
        Names of the d keys, at least 2.
    oracle : PureProtocol
        With k = 9, and unbiased shares: not `SHist`.

    Values are `Records` with values in [−1, 1]; keys are numbered as they are named.  Reports have the field ``pair``
    (public; pairs (a, b), a < b, in lexicographic order) and the fields of the oracle's reports, or ``report`` where
    these have none, (n,).  Tallies count for each pair the reports, and then what the oracle counts: (L, 1 + …).
    Estimates are the shares of the nine combinations 3 s_a + s_b for each pair, (L, 9).
    """

    label = "pairs"
    scope = (2, 16, 100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d < 2:
            raise ValueError(f"keys must be distinct names, at least two, got {self.keys}")

    @staticmethod
    def combinations(d: int) -> int:
        """Nine, of two keys."""
        return 9

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """All pairs of key numbers a < b, (L, 2), read-only."""
        found = np.stack(np.triu_indices(self.d, 1), -1)
        found.flags.writeable = False
        return found

    @property
    def public_fields(self) -> tuple[str, ...]:  # type: ignore[override]  # a fact about the oracle, not the class
        """The pair, and those of the oracle's reports."""
        return ("pair", *super().public_fields)

    @property
    def public_bits(self) -> int:
        """⌈log₂ L⌉ for the pair, and that of the oracle."""
        return (len(self.pairs) - 1).bit_length() + super().public_bits

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""
        like = any_report(self.oracle)
        own = like.dtype.descr if like.dtype.names else [("report", like.dtype, like.shape[1:])]
        return np.dtype([("pair", np.int64), *own])

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        pairs, codes = np.divmod(self._cells(values, rng), 9)
        told = self.oracle.perturb(codes, rng=rng)
        reports = np.empty(len(codes), self.dtype)
        reports["pair"] = pairs
        for name in told.dtype.names or ("report",):
            reports[name] = told[name] if told.dtype.names else told
        return reports

    def _reports(self, reports: Reports) -> NDArray[Any]:
        found = check_fields(reports, self.dtype)
        check_codes(found["pair"], len(self.pairs), "pair")
        return found

    def _count(self, reports: NDArray[Any]) -> NDArray[np.int64]:
        """Count for each pair its reports, and what the oracle counts of them: (L, 1 + …), flat."""
        each = np.bincount(reports["pair"], minlength=len(self.pairs))
        like = any_report(self.oracle)
        told = np.empty(len(reports), like.dtype) if like.dtype.names else reports["report"]
        for name in like.dtype.names or ():
            told[name] = reports[name]
        told, counts = told[np.argsort(reports["pair"], kind="stable")], self._nothing()
        counts[:, 0], ends = each, np.cumsum(each)
        for pair in np.flatnonzero(each):
            part = told[ends[pair] - each[pair] : ends[pair]]
            counts[pair, 1:] = self.oracle.tally(part).counts.reshape(-1)
        return counts

    def _score(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the share of each combination of each pair: (…, L, 9)."""
        counts = tally.counts
        asked, told = counts[..., :1], counts[..., 1:].reshape(*counts.shape[:-1], *no_counts(self.oracle).shape)
        # an oracle's estimate times n is linear in its counts and n: of no counts, it is what a report costs
        nothing = self.oracle.estimate(Tally(self.oracle, 1, np.zeros_like(told)))
        scores = self.oracle.estimate(Tally(self.oracle, 1, told)) + (asked - 1) * nothing
        return np.asarray(scores * (len(self.pairs) / tally.n))

    def expected(self, values: Records) -> NDArray[np.float64]:
        """Probability of each combination of each pair after the signs are drawn: (n, L, 9)."""
        states = self._states(values)
        first, second = states[:, self.pairs[:, 0]], states[:, self.pairs[:, 1]]
        return (first[..., :, None] * second[..., None, :]).reshape(len(states), -1, 9)

    def variance(self, values: Records) -> NDArray[np.float64]:
        """Variance of each cell's score, L times its mean square for those who are asked, less t²: (n, L, 9)."""
        t = self.expected(values)
        return len(self.pairs) * (self._oracle_variance(t) + t) - np.square(t)

    def table(self, names: Sequence[str], tally: Tally) -> Table:
        """Estimate the table of two keys, in the order in which they are named.

        Raises
        ------
        ValueError
            If these are not two different keys of this mechanism.
        """
        pair = self._pair(names)
        return self._table(names, self.estimate(tally)[..., pair, :], tally.n)

    def truth(self, names: Sequence[str], values: Records) -> Table:
        """Return the table that estimates have in expectation, as if this mechanism had collected it.

        See `IOH.truth`.
        """
        records = self._values(values)
        a, b = self.pairs[self._pair(names)]
        chosen = (records.keys == a) | (records.keys == b)
        key = (records.keys[chosen] == b).astype(np.int64)
        two = Records.from_arrays(records.users[chosen], key, entries(records)[chosen], n=len(records))
        return self._table(names, shares_of(two, 2), len(records))

    def simulate(self, cells: ArrayLike, *, rng: Randomness) -> Tally:
        """Tallies of populations, exact in their joint law, one for each row of `cells`: (trials, L, …).

        See `IOH.simulate`.
        """
        found = check_cells(cells, self._shape)
        counts = np.stack([self._nothing() for _ in found])
        counts[..., 0] = found.sum(-1)
        for trial, pair in np.ndindex(found.shape[:2]):
            counts[trial, pair, 1:] = counts_of(self.oracle, found[trial, pair], rng).reshape(-1)
        return Tally(self, int(found[0].sum()), counts)

    @property
    def _shape(self) -> tuple[int, ...]:
        return len(self.pairs), 9

    def _cells(self, records: Records, rng: Randomness) -> NDArray[np.int64]:
        """Draw 9 times the number of each person's pair, and the number of its combination."""
        pairs = uniform(len(self.pairs), (len(records),), rng)
        users = records.users
        a, b = self.pairs[pairs].T
        power = 3 * (records.keys == a[users]) + (records.keys == b[users])
        asked = np.flatnonzero(power)  # no sign is drawn of a value that is not used
        moves = np.zeros(len(power), np.int64)
        moves[asked] = power[asked] * discretise(entries(records)[asked], rng)
        return np.asarray(9 * pairs + 4 + per_person(moves, records.offsets))

    def _nothing(self) -> NDArray[np.int64]:
        return np.zeros((len(self.pairs), 1 + no_counts(self.oracle).size), np.int64)

    def _pair(self, names: Sequence[str]) -> int:
        chosen = [self.keys.index(check_known(key, self.keys)) for key in check_names(names)]
        if len(chosen) != 2:
            raise ValueError(f"names must be two keys, got {tuple(names)}")
        a, b = sorted(chosen)
        return a * (2 * self.d - a - 1) // 2 + b - a - 1

    def _table(self, names: Sequence[str], shares: NDArray[np.float64], n: int) -> Table:
        keys = tuple(sorted(names, key=self.keys.index))
        return Table(keys, shares, Shares(keys, shares, n, self.oracle, len(self.pairs))).marginal(names)

    @classmethod
    def example(cls) -> list[Example]:
        """One pair and three, through oracles that name a combination, send one bit, and send a bit for each."""
        shapes = ((3, GRR, 1.0), (2, GRR, 3.0), (3, HadamardBit, 0.4), (2, OUE, 1.0))
        return [
            Example(cls.of(tuple("abc"[:d]), make, epsilon), FEW[d][: 2 * d + 1], pairs=make is GRR)
            for d, make, epsilon in shapes
        ]
