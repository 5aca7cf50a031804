"""Experiments of the lesson on correlation: how far off one key's frequency given another is, design by design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.core import Floats, Tally
from ldpnb.keyvalue import IOH, PairSampling
from ldpnb.keyvalue.queries import Shares, Table

Designs = Mapping[str, Callable[[float], IOH | PairSampling]]
FourShares = tuple[float, float, float, float]


def errors(
    designs: Designs, at: Iterable[float], *, shares: FourShares, n: int, rng: np.random.Generator, surveys: int = 200
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate surveys of a random sample, which ask how frequent the last key but one is, given the last.

    Parameters
    ----------
    designs : dict of str to function
        By name, from a number on the figure's axis to a mechanism.
    at : iterable of float
        The numbers on the axis.
    shares : tuple of four floats
        Of people with the last key; with the last but one, among these and among the others; with any other key.
    n : int
        People of a survey.
    rng : numpy.random.Generator
    surveys : int
        Surveys of each design.

    Returns
    -------
    exact : pandas.DataFrame
        One row for each ``design`` and number ``at``: the standard ``error``, to first order.
    simulated : pandas.DataFrame
        One row for each survey, too, with the frequency that it ``found``.
    """
    exact, simulated = [], []
    drawn = shares[1] * (1 - shares[1]) / (n * shares[0])  # the people are drawn, too
    for name, make in designs.items():
        for x in at:
            mechanism = make(x)
            pair = key, given = mechanism.keys[-2:]
            read: Callable[[Tally], Table]
            if isinstance(mechanism, IOH):
                read, pairs, known = mechanism.table, 1, _population(mechanism.keys, shares)
                asked = known.cells
            else:
                read, pairs, known = partial(mechanism.table, pair), mechanism.questions, _population(pair, shares)
                asked = np.tile(known.cells, (pairs, 1)) / pairs  # nobody looks at the other pairs
            people = rng.multinomial(n, asked.ravel(), size=surveys).reshape(surveys, *asked.shape)
            found = read(mechanism.simulate(people, rng=rng)).frequency(key, {given: 1}).value
            spread = replace(known, collected=Shares(known.keys, known.cells, n, mechanism.oracle, pairs))
            noise = spread.frequency(key, {given: 1}).error
            point = {"design": name, "at": x}
            exact.append(point | {"error": float(np.sqrt(noise**2 + drawn))})
            simulated.append(pd.DataFrame(point | {"found": found}))
    return pd.DataFrame(exact), pd.concat(simulated, ignore_index=True)


def _population(keys: tuple[str, ...], shares: FourShares) -> Table:
    """Return a population's table, in which the last two keys go together and the others do not; all signs are fair."""

    def states(held: float) -> Floats:
        return np.array([held / 2, 1 - held, held / 2])

    last, among, others, rest = shares
    cells: Floats = (np.stack([states(among), states(others), states(among)], 1) * states(last)).ravel()
    for _ in keys[2:]:
        cells = np.asarray(np.kron(states(rest), cells), np.float64)
    return Table(keys, cells)
