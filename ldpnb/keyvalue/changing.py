r"""Keys that come and go: estimates from several batches of reports, put together.

A batch is the tally of one period, and it counts the keys that were alive in that period.  A key
that was not alive was held by nobody: its share there is zero, and zero is known without any noise.
So whatever is wanted of several batches is a weighted sum over those in which the key was alive,

.. math:: \hat f_k = \sum_t w_{tk}\,\hat f_{tk}, \qquad
   \operatorname{Var}\hat f_k = \sum_t w_{tk}^2 V_{tk},

and the same for ŝ and the covariance, because batches are drawn independently.  The weights say
what is wanted:

==========  ====================  ================================================================
`everyone`  n_t / n               the share of all who ever reported (of "pooled" data)
`exposed`   n_t / Σ_{alive} n_t   the share of those who reported while the key was alive
`latest`    1 for the last one    the share of those who reported last while it was alive
`steady`    ∝ 1/V_t               the same, with the least variance, *if* the share did not change
==========  ====================  ================================================================

All of them are linear, and unbiased for what they say.  Mechanisms and ε may differ from batch to
batch.

Source: wang2024 §3.1 and §4.3.4–4.3.5 ("in batches" against "all data alike"); its formulas are
lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.checks import check_numbers, shown
from ldpnb.core import Bools, Floats, Ints, Tally
from ldpnb.keyvalue.ternary import SignedTernary, Spread

Item = int | str
Entry = TypeVar("Entry", np.bool_, np.float64)


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

    items: tuple[Item, ...]
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
            wrong = w[~self.alive & (w != 0)][0]
            raise ValueError(f"weights must be zero where a key was not alive, got {wrong}")
        estimate = _sum_of_batches(w, self.estimates)
        variance = _sum_of_batches(w * w, self.variance)
        covariance = _sum_of_batches(w * w, self.covariance)
        rare = (w * w * self.rare).sum(0)
        return estimate, Spread(variance, covariance, rare)


def batches(tallies: Sequence[Tally], *, spreads: Sequence[Spread] | None = None) -> Batches:
    """Line up the tallies of several periods, in the order of time.

    Parameters
    ----------
    tallies : sequence of Tally
        Of signed ternary mechanisms.  The keys alive in a batch are its candidates; where the
        client knows the domain, they are 0, …, d − 1.
    spreads : sequence of Spread, optional
        Exact ones, for the same keys; by default those that a collector can tell
        (`SignedTernary.plug_in`).

    Returns
    -------
    Batches
        Of all keys that were ever alive, in the order of their first batch.
    """
    if not isinstance(tallies, Sequence) or not tallies:
        raise ValueError(f"tallies must be a list of at least one tally, got {shown(tallies)}")
    mechanisms = [_mechanism_of(tally) for tally in tallies]
    estimates = [m.estimate(tally) for m, tally in zip(mechanisms, tallies, strict=True)]
    if spreads is None:
        each = zip(mechanisms, estimates, tallies, strict=True)
        spreads = [m.plug_in(estimate, tally.n) for m, estimate, tally in each]
    if not _are_spreads(spreads, len(tallies)):
        rule = f"spreads must be a list of Spread, one per tally, {len(tallies)}"
        raise ValueError(f"{rule}, got {shown(spreads)}")
    columns: dict[Item, int] = {}  # of all keys that were ever alive
    alive: list[list[int]] = []
    for tally, estimate in zip(tallies, estimates, strict=True):
        items = tally.items
        if items is None:
            items = tuple(range(estimate.shape[-1]))
        alive.append([columns.setdefault(item, len(columns)) for item in items])
    k = len(columns)
    rare = [np.full(len(at), s.rare) for s, at in zip(spreads, alive, strict=True)]
    return Batches(
        items=tuple(columns),
        people=np.array([tally.n for tally in tallies]),
        alive=_in_columns([np.ones(len(at), np.bool_) for at in alive], alive, k),
        estimates=_in_columns(estimates, alive, k),
        variance=_in_columns([s.variance for s in spreads], alive, k),
        covariance=_in_columns([s.covariance for s in spreads], alive, k),
        rare=_in_columns(rare, alive, k),
    )


def _mechanism_of(tally: Tally) -> SignedTernary:
    if isinstance(tally, Tally) and isinstance(tally.mechanism, SignedTernary):
        return tally.mechanism
    raise ValueError(f"tallies must be of signed ternary mechanisms, got {shown(tally)}")


def _are_spreads(spreads: object, number: int) -> bool:
    if not isinstance(spreads, Sequence) or len(spreads) != number:
        return False
    return all(type(spread) is Spread for spread in spreads)


def _in_columns(
    parts: list[NDArray[Entry]],
    columns: list[list[int]],
    k: int,
) -> NDArray[Entry]:
    """Put each batch's entries into its columns of k, and zeros into the others: (T, …, k)."""
    whole = np.zeros((len(parts), *parts[0].shape[:-1], k), parts[0].dtype)
    for row, part, at in zip(whole, parts, columns, strict=True):
        row[..., at] = part
    return whole


def _sum_of_batches(weights: Floats, x: Floats) -> Floats:
    """Weighted sum over batches: (T, k) and (T, …, k) become (…, k)."""
    return np.asarray(np.einsum("tk,t...k->...k", weights, x))


# ---------------------------------------------------------------------------------- the weights


def everyone(found: Batches) -> Floats:
    """Weights for the share of all who ever reported: n_t/n where the key was alive, (T, k)."""
    return np.asarray(found.alive * found.people[:, None] / found.people.sum())


def exposed(found: Batches) -> Floats:
    """Weights for the share of those who reported while the key was alive, (T, k)."""
    return _shared(found.alive * found.people[:, None])


def latest(found: Batches) -> Floats:
    """Weights for the share in the last batch in which the key was alive, (T, k)."""
    number = len(found.alive)
    last = number - 1 - np.argmax(found.alive[::-1], 0)
    return np.asarray((np.arange(number)[:, None] == last).astype(np.float64))


def steady(found: Batches) -> Floats:
    """Weights with the least variance for a rare key whose share and mean did not change, (T, k).

    They are inverse to the variance of a key that nobody holds.  That is not estimated, so the
    weights do not depend on reports and the sum stays unbiased; with weights inverse to *estimated*
    variances it would not be.
    """
    nothing = np.zeros_like(found.rare)
    return _shared(np.divide(1, found.rare, out=nothing, where=found.alive))


def _shared(weights: Ints | Floats) -> Floats:
    """Scale weights to sum 1 over the batches."""
    return np.asarray(weights / weights.sum(0))
