"""What may be asked of a table of estimated shares: conditions, ratios, and their errors.

The table has the shares θ of all combinations x of keys' states.  Everything about correlation is
linear in them, or a ratio of two linear things:

    share of people who satisfy a condition C         F_C = Σ_x w_C(x) θ_x,
    frequency of key k among them                     f_{k|C} = F_{C, k held} / F_C,
    mean of key k's values among those who hold it    m_{k|C} = S_{k|C} / F_{C, k held},

where w_C(x) = 1 if x satisfies C, else 0, and S sums the signs of k.  A condition says of some keys
that they are held, or that they are not; its weights are an outer product of one factor per key:
(1, 0, 1) held, (0, 1, 0) not held, (−1, 0, 1) sign, (1, 1, 1) no matter.

The error of a weighted sum comes from the joint law of one report (`ItemOracle.linear_variance`):
with n people and true shares θ its variance is Σ_x θ_x Var[Σ_v w_v s_v | x] / n, if all are asked
(`Shares.variance`).  A ratio ρ = F₁/F₀ has, for many people, the variance of the one sum
(w₁ − ρ w₀)/F₀ (delta method).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from ldpnb.checks import shown
from ldpnb.core import Bools, Floats, Ints
from ldpnb.oracles.base import ItemOracle, check_weights
from ldpnb.postprocess import norm, norm_sub

Given = Mapping[str, int]  # the keys that a condition speaks of: 1 held, 0 not held

SIGN = (-1.0, 0.0, 1.0)  # factor of a key whose signs are summed
FACTORS = {None: (1.0, 1.0, 1.0), 1: (1.0, 0.0, 1.0), 0: (0.0, 1.0, 0.0)}  # no matter, held, not


def to_bits(given: Given, keys: Sequence[str]) -> tuple[str, str]:
    """Write a condition as the paper's (α, β): which keys it speaks of, and which of them are held.

    Source: sun2021 Definition 2 and Fig. 3.

    Parameters
    ----------
    given : mapping from key name to 1 (held) or 0 (not held)
    keys : sequence of str

    Returns
    -------
    tuple of two strings of 0 and 1, one character per key

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
    alpha = "".join(str(int(key in said)) for key in names)
    beta = "".join(str(said.get(key, 0)) for key in names)
    return alpha, beta


def check_names(keys: Sequence[str], name: str = "keys") -> tuple[str, ...]:
    """Return distinct names as a tuple, at least one."""
    if not _are_names(keys):
        rule = f"{name} must be a tuple of distinct names, at least one"
        raise ValueError(f"{rule}, got {shown(keys)}")
    return tuple(keys)


def _are_names(keys: object) -> bool:
    if not isinstance(keys, Sequence) or isinstance(keys, str):
        return False
    if not all(isinstance(key, str) for key in keys):
        return False
    return 0 < len(set(keys)) == len(keys)


def check_known(key: object, keys: tuple[str, ...]) -> str:
    """Return a key that is among these."""
    if not isinstance(key, str) or key not in keys:
        raise ValueError(f"key must be one of {', '.join(keys)}, got {shown(key)}")
    return key


def _condition(given: Given, keys: tuple[str, ...]) -> dict[str, int]:
    """Return a condition that was checked, with 1 and 0 for held and not held."""
    if not isinstance(given, Mapping):
        raise ValueError(f"given must be a mapping from key to 1 or 0, got {shown(given)}")
    for key, held in given.items():
        check_known(key, keys)
        if not isinstance(held, int | np.integer | np.bool_) or held not in (0, 1):
            rule = f"given must say 1 (held) or 0 (not held) of {key}"
            raise ValueError(f"{rule}, got {shown(held)}")
    return {key: int(held) for key, held in given.items()}


def _within(keys: tuple[str, ...], few: tuple[str, ...]) -> Ints:
    """Cell of a table of few keys that holds each cell of the table of all `keys`: (3^d,)."""
    states = dict(zip(keys, np.indices((3,) * len(keys), np.int32), strict=True))
    found = np.ravel_multi_index([states[key] for key in few], (3,) * len(few))
    return np.ravel(found)


# ------------------------------------------------------------------------------------------- tables


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to a query.

    Attributes
    ----------
    value : float, or ndarray (…)
        Never clipped; nan where the denominator of a ratio is not positive, since there is nobody
        to speak of.
    error : float, or ndarray (…)
        Its standard error; nan where it is not known.
    reliable : bool, or ndarray (…)
        Whether the denominator of a ratio exceeds three standard errors of its own.  Otherwise the
        ratio has no bell-shaped law, and `error` says little.  A share has no denominator and is
        always reliable.
    """

    value: Any  # a number of numpy where there are no trials, and so are the next two
    error: Any
    reliable: Any


@dataclass(frozen=True, eq=False)
class Shares:
    """How the shares of all combinations were estimated, from which all errors are computed.

    Attributes
    ----------
    keys : tuple of str
    shares : ndarray (…, 3^d)
        Estimates, linear in the reports of those who were asked; leading axes run over trials.
    n : int
        Number of people.
    oracle : ItemOracle
    pairs : int
        Number of pairs of which each person was asked about one.
    asked : int or ndarray (…), optional
        How many people were asked about these keys, N; without it, n/pairs.
    """

    keys: tuple[str, ...]
    shares: Floats
    n: int
    oracle: ItemOracle
    pairs: int = 1
    asked: int | Ints | None = None

    def variance(self, weights: Floats) -> Floats:
        r"""Variance of the weighted sum of shares, for weights (…, 3^d), given all signs and N.

        With V_x the variance of the sum of the scores of one answer,
        :math:`\operatorname{Var}[\sum_v w_v s_v \mid x]`, and those asked a random sample of all n
        people, it is

        .. math:: \frac1N \sum_x \theta_x V_x + \frac{n-N}{N(n-1)}
           \Big(\sum_x \theta_x w_x^2 - \Big(\sum_x \theta_x w_x\Big)^2\Big).

        The estimated shares, normalised, stand for θ; as they may be negative, the mean of V is
        kept between its least and its largest value, and the scatter of w between 0 and a quarter
        of its squared width.
        """
        each = self.oracle.linear_variance(weights)
        theta = norm(self.shares)
        noise = np.clip((theta * each).sum(-1), each.min(-1), each.max(-1))
        mean = (theta * weights).sum(-1)
        scatter = (theta * np.square(weights)).sum(-1) - np.square(mean)
        widest = np.square(weights.max(-1) - weights.min(-1)) / 4
        asked = np.asarray(self.n / self.pairs)
        if self.asked is not None:
            asked = np.asarray(self.asked)
        left = (self.n - asked) / max(self.n - 1, 1)
        return np.asarray((noise + left * np.clip(scatter, 0, widest)) / asked)


@dataclass(frozen=True, eq=False)
class Table:
    """Estimated shares of all combinations of some keys' states, and queries about them.

    Combination Σ_j 3^(d−j) s_j has the digits s_1 … s_d, the states of the keys in their order: 0
    (held, sign −), 1 (not held), 2 (held, sign +).  Leading axes run over trials, and answers have
    the same ones.

    A condition `given` is a mapping from key to 1 (held) or 0 (not held), in any order; True and
    False will do.

    Attributes
    ----------
    keys : tuple of str
    cells : ndarray (…, 3^d)
    collected : Shares, optional
        How they were estimated; None if they are no longer linear in the reports, so that no error
        is known.
    normal : bool
        Whether cells were shifted to sum to 1.
    """

    keys: tuple[str, ...]
    cells: Floats
    collected: Shares | None = None
    normal: bool = False

    def __post_init__(self) -> None:
        size = 3 ** len(check_names(self.keys))
        object.__setattr__(self, "cells", check_weights(self.cells, size, "cells"))

    # ------------------------------------------------------------------------------- the queries

    def count(self, given: Given) -> Answer:
        """Estimate the share of people who satisfy the condition; unbiased.

        Source: sun2021 §3.2, F^α_β over n.
        """
        w = self._weights(_condition(given, self.keys))
        value = self.cells @ w
        error = np.sqrt(self._variance(w))
        return _answer(value, error, np.ones(value.shape, np.bool_))

    def frequency(self, key: str, given: Given | None = None) -> Answer:
        """Estimate how frequent a key is among the people who satisfy a condition.

        Both parts of the ratio are estimates, also where nothing is given: then the denominator is
        the sum of all cells, which is 1 once the table is `normalised`.

        Source: sun2021 §3.2.

        Raises
        ------
        ValueError
            If the table has no such key, or the condition is about the key itself.
        """
        said = self._other(key, given)
        part = self._weights(said | {key: 1})
        return self._ratio(part, self._weights(said))

    def mean(self, key: str, given: Given | None = None) -> Answer:
        """Estimate the mean of a key's values among its holders who satisfy a condition.

        The error includes what the random signs may add at most: as if all these people had one
        value.

        Source: sun2021 §3.3.

        Raises
        ------
        ValueError
            If the table has no such key, or the condition is about the key itself.
        """
        said = self._other(key, given)
        part = self._weights(said, sign=key)
        return self._ratio(part, self._weights(said | {key: 1}), signs=True)

    # --------------------------------------------------------------------- tables from the table

    def normalised(self) -> Table:
        """Add one constant to all cells, so that they sum to 1.

        The result is unbiased, and errors allow for it.
        """
        return replace(self, cells=norm(self.cells), normal=True)

    def projected(self) -> Table:
        """Move to the nearest non-negative cells with sum 1.

        The result is biased: errors are not known any more.  It trades noise for bias: where the
        table is hardly more than noise it helps, where it is not, what is cut off many small cells
        adds up in sums.  On the `marginal` of the few keys a question is about it is harmless.
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
        together = np.argsort(_within(self.keys, names), kind="stable")
        cells = self.cells[..., together]
        grouped = cells.reshape(*cells.shape[:-1], 3 ** len(names), -1)
        return replace(self, keys=names, cells=grouped.sum(-1))

    # ----------------------------------------------------------------- weights, ratios, variances

    def _other(self, key: str, given: Given | None) -> dict[str, int]:
        """Return a condition that was checked, and that is not about the key asked for."""
        if given is None:
            given = {}
        said = _condition(given, self.keys)
        if check_known(key, self.keys) in said:
            raise ValueError(f"given must not be about the key asked for, got {key}")
        return said

    def _weights(self, said: dict[str, int], sign: str | None = None) -> Floats:
        """One weight per cell: the outer product of a factor per key."""
        factors = []
        for key in self.keys:
            if key == sign:
                factor = SIGN
            else:
                factor = FACTORS[said.get(key)]
            factors.append(np.array(factor))
        return reduce(np.kron, factors)

    def _ratio(self, part: Floats, whole: Floats, signs: bool = False) -> Answer:
        """Estimate a ratio of two weighted sums; `signs`, if the part is a sum of random signs."""
        below = np.asarray(self.cells @ whole)
        below = np.where(below > 0, below, np.nan)
        value = np.asarray(self.cells @ part / below)
        # where there is no ratio, any number will do for weights that have to be finite
        safe = np.nan_to_num(below, nan=1.0)[..., None]
        rho = np.nan_to_num(value, nan=1.0)[..., None]
        variance = self._variance((part - rho * whole) / safe)
        if signs and self.collected is not None:  # Σ(1 − v²) is largest for equal v
            variance = variance + np.maximum(1 - value**2, 0) / (below * self.collected.n)
        error = np.where(np.isnan(value), np.nan, np.sqrt(variance))
        return _answer(value, error, below > 3 * np.sqrt(self._variance(whole)))

    def _variance(self, weights: Floats) -> Floats:
        """Variance of the weighted sum of cells, for weights (…, 3^d); nan if it is not known."""
        if self.collected is None:
            return np.full(self.cells.shape[:-1], np.nan)
        if self.keys != self.collected.keys:
            # a sum over cells of the marginal is one over all cells
            weights = weights[..., _within(self.collected.keys, self.keys)]
        if self.normal:
            weights = weights - weights.mean(-1, keepdims=True)
        return self.collected.variance(weights)


def _answer(value: Floats, error: Floats, reliable: Bools) -> Answer:
    """Return numbers where there are no trials, and arrays elsewhere."""
    return Answer(value[()], error[()], reliable[()])
