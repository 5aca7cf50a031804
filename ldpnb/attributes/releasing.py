"""From the answers of blocks to what is published.

These are tables with their errors, a model of them, and synthetic records.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ldpnb.attributes.blocks import Blocks, Pooled
from ldpnb.attributes.maxent import MaxEntropy, max_entropy
from ldpnb.checks import check_count
from ldpnb.core import Ints, Tally, check_tally


@dataclass(frozen=True, eq=False)
class Release:
    """What goes out, all of it a function of the reports.

    Attributes
    ----------
    tables : Pooled
        Unbiased tables of all attributes and pairs, with variances.
    model : MaxEntropy
        The distribution of most entropy that they allow for.
    records : ndarray (n, d)
        Drawn from the model.
    """

    tables: Pooled
    model: MaxEntropy
    records: Ints


def release(
    tally: Tally,
    n: int,
    *,
    rng: np.random.Generator,
    penalty: float = 10.0,
) -> Release:
    """Make a release of binary attributes from the tally of `Blocks`.

    It protects people as their reports do: estimate the tables of attributes and of pairs
    (`Blocks.tables`), fit their parities (`max_entropy`), draw records.  `best_block_size` with
    `cell_variance` has the block for it.

    Parameters
    ----------
    tally : Tally
    n : int
        Number of synthetic records.
    rng : numpy.random.Generator
    penalty : float
        As for `max_entropy`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> client = Blocks(sizes=(2, 2, 2), size=2, epsilon=3.0)
    >>> answers = np.repeat([[0, 0, 0], [1, 1, 0]], 5000, axis=0)
    >>> made = release(client.tally(client.perturb(answers, rng=rng)), 5, rng=rng)
    >>> made.tables.sets[3], made.tables.tables[3].round(1) + 0.0
    ((0, 1), array([[0.5, 0. ],
           [0. , 0.5]]))
    >>> made.records.shape
    (5, 3)
    """
    mechanism = check_tally(tally, Blocks, "Blocks").mechanism
    assert isinstance(mechanism, Blocks)  # as was checked
    n = check_count(n, 1, "n")
    d = len(mechanism.sizes)
    if max(mechanism.sizes) > 2:
        raise ValueError(f"tally must be of binary attributes, got {mechanism.sizes} values")
    sets = [*combinations(range(d), 1), *combinations(range(d), 2)]
    tables = mechanism.tables(tally, sets)
    model = max_entropy(d, tables.sets, tables.parities, 1 / tables.people, penalty=penalty)
    return Release(tables, model, model.sample(n, rng))
