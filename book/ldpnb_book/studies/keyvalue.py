"""Experiments of the lesson on key–value data: errors of one key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.core import Floats, Tally
from ldpnb.keyvalue.states import SampledKey
from ldpnb.keyvalue.ternary import mean_of

Kinds = Mapping[str, Callable[[float], SampledKey]]


def errors(
    kinds: Kinds, budgets: Iterable[float], *, f: float, m: float, n: int, rng: np.random.Generator, surveys: int = 2000
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate surveys about one key, and say how far the estimates scatter beside what theory says.

    Parameters
    ----------
    kinds : dict of str to function
        By name, from a stated budget to a mechanism for one key.
    budgets : iterable of float
    f, m : float
        Frequency and mean of the key in the population that the people are drawn from.
    n : int
        People of a survey, all of them asked about the key.
    rng : numpy.random.Generator
    surveys : int
        Surveys of each kind.

    Returns
    -------
    exact : pandas.DataFrame
        One row for each mechanism, budget and estimate ("frequency" or "mean"): its standard error, to first order for
        the mean.
    simulated : pandas.DataFrame
        One row for each survey, too, with what it ``found``.
    """
    exact, simulated, truth = [], [], np.array([[f], [f * m]])
    for name, make in kinds.items():
        for eps in budgets:
            mechanism = make(eps)
            counts = rng.multinomial(n, report_shares(mechanism, f, m), size=(surveys, 1))
            found = mechanism.estimate(Tally(mechanism, n, counts))[..., 0].T
            spread = mechanism.plug_in(truth, n)
            drawn = spread.variance[0, 0] + f * (1 - f) / n  # the share among the people drawn scatters, too
            theory = {"frequency": drawn**0.5, "mean": float(mean_of(truth, spread).error[0])}
            for (what, error), values in zip(theory.items(), (found[0], found[1] / found[0]), strict=True):
                point = {"mechanism": name, "ε": eps, "estimate": what}
                exact.append(point | {"error": error})
                simulated.append(pd.DataFrame(point | {"found": values}))
    return pd.DataFrame(exact), pd.concat(simulated)


def report_shares(mechanism: SampledKey, f: float, m: float) -> Floats:
    """Return the probabilities of −, absent and + in a report about a key with frequency f and mean m."""
    alpha, beta, gamma = map(float, mechanism.answer)
    first, last = ((f * (1 + s * m) * alpha + f * (1 - s * m) * beta) / 2 + (1 - f) * gamma for s in (-1, 1))
    return np.array([first, 1 - first - last, last])
