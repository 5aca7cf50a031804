r"""Keys that come and go: estimates from several batches of reports, put together.

A batch is the tally of one period, and it counts the keys that were alive in that period.  A key that was not alive
was held by nobody: its share there is zero, and zero is known without any noise.  So whatever is wanted of several
batches is a weighted sum over those in which the key was alive,

.. math:: \hat f_k = \sum_t w_{tk}\,\hat f_{tk}, \qquad \operatorname{Var}\hat f_k = \sum_t w_{tk}^2 V_{tk},

and the same for ŝ and the covariance, because batches are drawn independently.  The weights say what is wanted:

==========  ====================  ==========================================================================
`everyone`  n_t / n               the share of all who ever reported (what "pooled" data would give)
`exposed`   n_t / Σ_{alive} n_t   the share of those who reported while the key was alive
`latest`    1 for the last one    the share of those who reported last while it was alive
`steady`    ∝ 1/V_t               the same, with the least variance, *if* the share did not change meanwhile
==========  ====================  ==========================================================================

All of them are linear, and unbiased for what they say.  Mechanisms and ε may differ from batch to batch.

Source: wang2024 §3.1 and §4.3.4–4.3.5 ("in batches" against "all data alike"); its formulas are lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.checks import check_numbers, shown
from ldpnb.core import Bools, Floats, Ints, Tally
from ldpnb.keyvalue.ternary import SignedTernary, Spread


@dataclass(frozen=True, eq=False)
class Batches:
    """Estimates of T batches about k keys, zero and without variance where a key was not alive.

    Attributes
    ----------
    items : tuple
        The k keys.
    people : ndarray of int64, (T,)
    alive : ndarray of bool, (T, k)
    estimates : ndarray (T, …, 2, k)
        Frequency and frequency × mean.
    variance : ndarray (T, …, 2, k)
    covariance : ndarray (T, …, k)
    rare : ndarray (T, k)
        Variance of the frequency estimate of a key that nobody holds.
    """

    items: tuple[Any, ...]
    people: Ints
    alive: Bools
    estimates: Floats
    variance: Floats
    covariance: Floats
    rare: Floats

    def weighted(self, weights: ArrayLike) -> tuple[Floats, Spread]:
        """Sum the batches with these weights.

        Parameters
        ----------
        weights : array_like (T, k)

        Returns
        -------
        estimate : ndarray (…, 2, k)
        spread : Spread
            With `rare` for each key, (k,).

        Raises
        ------
        ValueError
            If a weight is not finite, or not zero where a key was not alive.
        """
        w = check_numbers(weights, "weights")
        if w.shape != self.alive.shape:
            raise ValueError(f"weights must have shape {self.alive.shape}, got {w.shape}")
        if np.any(w[~self.alive] != 0):
            raise ValueError(f"weights must be zero where a key was not alive, got {w[~self.alive & (w != 0)][0]}")
        variance, covariance = (np.einsum("tk,t...k->...k", w * w, x) for x in (self.variance, self.covariance))
        return np.einsum("tk,t...k->...k", w, self.estimates), Spread(variance, covariance, (w * w * self.rare).sum(0))


def batches(tallies: Sequence[Tally], *, spreads: Sequence[Spread] | None = None) -> Batches:
    """Line up the tallies of several periods, in the order of time.

    Parameters
    ----------
    tallies : sequence of Tally
        Of signed ternary mechanisms.  The keys alive in a batch are its candidates; where the client knows the domain,
        they are 0, …, d − 1.
    spreads : sequence of Spread, optional
        Exact ones, for the same keys; by default those that a collector can tell (`SignedTernary.plug_in`).

    Returns
    -------
    Batches
        Of all keys that were ever alive, in the order of their first batch.
    """
    if not isinstance(tallies, Sequence) or not tallies:
        raise ValueError(f"tallies must be a list of at least one tally, got {shown(tallies)}")
    for tally in tallies:
        if not isinstance(tally, Tally) or not isinstance(tally.mechanism, SignedTernary):
            raise ValueError(f"tallies must be of signed ternary mechanisms, got {shown(tally)}")
    estimates = [tally.mechanism.estimate(tally) for tally in tallies]
    if spreads is None:
        spreads = [t.mechanism.plug_in(e, t.n) for t, e in zip(tallies, estimates, strict=True)]  # type: ignore[attr-defined]
    if not isinstance(spreads, Sequence) or [type(spread) for spread in spreads] != [Spread] * len(tallies):
        raise ValueError(f"spreads must be a list of Spread, one a tally, {len(tallies)}, got {shown(spreads)}")
    alive_in = [range(e.shape[-1]) if t.items is None else t.items for t, e in zip(tallies, estimates, strict=True)]
    items = tuple(dict.fromkeys(item for alive in alive_in for item in alive))
    at = {item: i for i, item in enumerate(items)}
    columns = [[at[item] for item in alive] for alive in alive_in]

    def spread_out(parts: list[NDArray[Any]]) -> NDArray[Any]:
        whole = np.zeros((len(parts), *parts[0].shape[:-1], len(items)), parts[0].dtype)
        for row, part, column in zip(whole, parts, columns, strict=True):
            row[..., column] = part
        return whole

    return Batches(
        items,
        np.array([tally.n for tally in tallies]),
        spread_out([np.ones(len(column), np.bool_) for column in columns]),
        spread_out(estimates),
        spread_out([spread.variance for spread in spreads]),
        spread_out([spread.covariance for spread in spreads]),
        spread_out([np.full(len(column), s.rare) for s, column in zip(spreads, columns, strict=True)]),
    )


def everyone(found: Batches) -> Floats:
    """Weights for the share of all who ever reported: n_t/n in batches where the key was alive, (T, k)."""
    return np.asarray(found.alive * found.people[:, None] / found.people.sum())


def exposed(found: Batches) -> Floats:
    """Weights for the share of those who reported while the key was alive, (T, k)."""
    return _shared(found.alive * found.people[:, None])


def latest(found: Batches) -> Floats:
    """Weights for the share in the last batch in which the key was alive, (T, k)."""
    last = len(found.alive) - 1 - np.argmax(found.alive[::-1], 0)
    return np.asarray((np.arange(len(found.alive))[:, None] == last).astype(np.float64))


def steady(found: Batches) -> Floats:
    """Weights with the least variance for a rare key whose share and mean did not change, (T, k).

    They are inverse to the variance of a key that nobody holds.  That is not estimated, so the weights do not depend on
    reports and the sum stays unbiased; weights inverse to *estimated* variances would not be.
    """
    return _shared(np.divide(1, found.rare, out=np.zeros_like(found.rare), where=found.alive))


def _shared(weights: NDArray[Any]) -> Floats:
    return np.asarray(weights / weights.sum(0))
