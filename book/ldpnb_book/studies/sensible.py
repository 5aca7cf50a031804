"""The experiment of the lesson on sensible estimates: what repairs do to a list of rare items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.core import Floats
from ldpnb.oracles import OUE


def rare_items(
    repairs: Mapping[str, Callable[[Floats], Floats]],
    make: Callable[..., OUE],
    rare: Iterable[int],
    *,
    n: int,
    rng: np.random.Generator,
    surveys: int = 100,
) -> pd.DataFrame:
    """Repair the estimates of simulated surveys in which two items have 60 % and 40 %, and the others nobody.

    Parameters
    ----------
    repairs : dict of str to function
        From the bits of all reports, (n, k), to shares.
    make : function
        From k, by its name, to the mechanism.
    rare : iterable of int
        How many items nobody has.
    n : int
        People of a survey.
    rng : numpy.random.Generator
    surveys : int

    Returns
    -------
    pandas.DataFrame
        One row for each number of rare items, survey and repair: the sum of the rare shares, and the root of the sum of
        all squared errors.
    """
    rows = []
    for count in rare:
        mechanism, truth = make(k=2 + count), np.array([0.6, 0.4, *[0.0] * count])
        for _ in range(surveys):
            people = rng.choice(len(truth), n, p=truth)
            bits = np.asarray(mechanism.perturb(people, rng=rng))
            for name, repair in repairs.items():
                found = repair(bits)
                error = float(((found - truth) ** 2).sum() ** 0.5)
                rows.append((count, name, float(found[2:].sum()), error))
    return pd.DataFrame(rows, columns=["rare items", "estimate", "sum of rare shares", "total error"])
