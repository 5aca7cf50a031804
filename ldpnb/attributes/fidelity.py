r"""Fidelity: how far a synthetic table is from the real one.

It is told by its marginals, its network, and what is learned from it.  Data come as *records*,
int (n, d); or as an exact *law*, floats of shape `sizes` that sum to one; or as *tables*, a mapping
from sets of attributes (increasing tuples) to arrays of shape (κ_a, κ_b, …), for instance those of
the real data, counted once.  For a set C of attributes with marginals Q (real) and Q̂ (synthetic)

.. math::

    \mathrm{AVD} = \tfrac12 \sum_\omega |Q(\omega) - \hat Q(\omega)|, \qquad
    \mathrm{KL} = \sum_\omega Q(\omega) \ln \frac{Q(\omega)}{\hat Q_s(\omega)}, \qquad
    \hat Q_s(\omega) = \frac{n\hat Q(\omega) + \frac12}{n + K/2},

K being the number of cells; both are averaged over the sets of a attributes.  Unsmoothed, one cell
that the synthetic records miss makes the divergence infinite.  Nats.

Source: Ren et al. 2019, §6.1, which leaves open the sets, the direction and the smoothing: these
are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.attributes.maxent import check_edge, check_sets
from ldpnb.attributes.records import PREFIXES, Set, counted
from ldpnb.checks import check_array, check_columns, check_count, check_numbers, check_people
from ldpnb.core import Floats, Ints

CELLS = 8  # a domain of at most so many cells a record is counted as a whole

Tables = Mapping[Set, Floats]
Data = ArrayLike | Tables


# --------------------------------------------------------------------------------- marginals


def marginals(data: Data, sizes: Sequence[int], sets: Iterable[Set]) -> dict[Set, Floats]:
    """Return the tables of sets of attributes, each of shape (κ_a, κ_b, …) and of sum one.

    Sets are gone through in lexicographic order, so that the work on the attributes shared with the
    one before is done once.

    Parameters
    ----------
    data : records, a law, or tables (of which those asked for are returned)
    sizes : sequence of int
    sets : increasing tuples of attributes

    Returns
    -------
    dict from sets to ndarrays, in the order of `sets`
    """
    chosen = check_sets(sets, len(sizes))
    if isinstance(data, Mapping):
        missing = [s for s in chosen if s not in data]
        if missing:
            rule = "data must hold the table of every set"
            raise ValueError(f"{rule}, got none for {missing[0]}")
        return {s: check_numbers(data[s], "data") for s in chosen}
    array = check_array(data, "data")
    n = 1
    if array.dtype.kind == "f":
        law = _checked_law(array, sizes)
        found = _sums(law, sizes, chosen)
    else:
        records = _records(array, sizes)
        n = len(records)
        found = _counts(records, sizes, chosen)
    tables = {}
    for s in chosen:
        shape = [sizes[j] for j in s]
        tables[s] = found[s].reshape(shape) / n
    return tables


def _checked_law(array: NDArray[Any], sizes: Sequence[int]) -> Floats:
    shape = tuple(sizes)
    if array.shape != shape or not (array.min() >= 0 and abs(array.sum() - 1) < 1e-9):
        rule = f"data must be records or a law of shape {shape}"
        raise ValueError(f"{rule}, got floats {array.shape}")
    return array.astype(np.float64)


def _records(data: ArrayLike, sizes: Sequence[int]) -> Ints:
    records = check_columns(data, sizes)
    check_people(records)
    return records


def _counts(records: Ints, sizes: Sequence[int], sets: list[Set]) -> dict[Set, Ints]:
    """Count records in the cells of each set, flat."""
    columns = records.T
    if prod(sizes) <= CELLS * len(records):
        # one count of everything, and sums of it, take a quarter of the time
        everything = tuple(range(len(sizes)))
        (joint,) = counted(columns, sizes, [everything])
        return _sums(joint, sizes, sets)
    ordered = sorted(sets)
    return dict(zip(ordered, counted(columns, sizes, ordered), strict=True))


def _sums(law: NDArray[Any], sizes: Sequence[int], sets: list[Set]) -> dict[Set, NDArray[Any]]:
    """Sum a law, or counts, to the cells of each set, flat."""

    @lru_cache(PREFIXES)
    def rest(first: Set) -> NDArray[Any]:
        """Sum out what was passed.

        What is left are cells of the first attributes of a set, and of all that come after them.
        """
        if not first:
            return law.reshape(1, -1)
        *before, last = first
        next_one = 0
        if before:
            next_one = before[-1] + 1
        left = rest(tuple(before))
        passed = prod(sizes[next_one:last])
        found = left.reshape(len(left), passed, -1).sum(1)
        return np.asarray(found.reshape(len(left) * sizes[last], -1))

    return {s: rest(s).sum(1) for s in sorted(sets)}


# --------------------------------------------------------------------------------- distances


def avd(
    real: Data,
    synthetic: Data,
    sizes: Sequence[int],
    a: int,
    *,
    sets: Iterable[Set] | None = None,
) -> float:
    """Return the mean total variation distance of a-way marginals, in [0, 1].

    Parameters
    ----------
    real, synthetic : records, law or tables
    sizes : sequence of int
    a : int
        Attributes of a set.
    sets : increasing tuples of a attributes, or None for all

    Returns
    -------
    float
    """
    found = _both(real, synthetic, sizes, a, sets)
    return float(np.mean([np.abs(p - q).sum() / 2 for p, q in found]))


def kl(
    real: Data,
    synthetic: Data,
    sizes: Sequence[int],
    a: int,
    *,
    sets: Iterable[Set] | None = None,
) -> float:
    """Return the mean divergence KL(real ‖ synthetic) of a-way marginals, in nats.

    Half a count is added to every cell of synthetic records; a law or tables are taken as they
    are.

    Parameters
    ----------
    real, synthetic, sizes, a, sets
        As in `avd`.

    Returns
    -------
    float
        Infinite if a law gives no probability to what occurs.
    """
    from scipy.special import rel_entr

    found = _both(real, synthetic, sizes, a, sets)
    n = _number_of_records(synthetic)
    if n:
        found = [(p, (n * q + 0.5) / (n + q.size / 2)) for p, q in found]
    return float(np.mean([rel_entr(p, q).sum() for p, q in found]))


def _number_of_records(data: Data) -> int:
    """Return how many records there are, 0 of a law or tables."""
    if isinstance(data, Mapping):
        return 0
    array = np.asarray(data)
    if array.dtype.kind not in "iu":
        return 0
    return len(array)


def _both(
    real: Data,
    synthetic: Data,
    sizes: Sequence[int],
    a: int,
    sets: Iterable[Set] | None,
) -> list[tuple[Floats, Floats]]:
    """Real and synthetic tables of the sets, or of all sets of so many attributes."""
    d = len(sizes)
    if sets is None:
        chosen = list(combinations(range(d), check_count(a, 1, "a", d)))
    else:
        chosen = [tuple(s) for s in sets]
    if not chosen or any(len(s) != a for s in chosen):
        rule = f"sets must be of a = {a} attributes, at least one"
        raise ValueError(f"{rule}, got {chosen[:3]}")
    p = marginals(real, sizes, chosen)
    q = marginals(synthetic, sizes, chosen)
    return [(p[s], q[s]) for s in chosen]


# --------------------------------------------------------------------------------- baselines


def independent(real: Data, sizes: Sequence[int], sets: Iterable[Set]) -> dict[Set, Floats]:
    """Return the tables of independent columns: products of the one-way marginals.

    A baseline for `avd` and `kl`.
    """
    chosen = check_sets(sets, len(sizes))
    single = marginals(real, sizes, [(j,) for j in range(len(sizes))])
    return _products(list(single.values()), chosen)


def uniform_records(sizes: Sequence[int], sets: Iterable[Set]) -> dict[Set, Floats]:
    """Return the tables of somebody who knows nothing but the domain.

    A baseline for `avd` and `kl`.
    """
    laws = [np.full(size, 1 / size) for size in sizes]
    return _products(laws, check_sets(sets, len(sizes)))


def _products(laws: Sequence[Floats], sets: list[Set]) -> dict[Set, Floats]:
    """Return the table of each set for independent attributes with these laws."""
    tables = {}
    for s in sets:
        of_set = [laws[j] for j in s]
        tables[s] = reduce(np.multiply.outer, of_set)
    return tables


def resampled(records: ArrayLike, *, rng: np.random.Generator) -> Ints:
    """Return as many records, drawn with replacement.

    This is the floor of `avd` that sampling alone imposes.
    """
    found = check_array(records, "records")
    check_people(found)
    return np.asarray(found[rng.integers(len(found), size=len(found))])


# ---------------------------------------------------------------------------------- networks


def edge_accuracy(
    edges: Iterable[tuple[int, int]],
    reference: Iterable[tuple[int, int]],
    d: int,
) -> dict[str, float]:
    r"""Return the agreement of a network with a reference, three ways, each with its chance level.

    ``skeleton`` is the share of the reference's edges that are found, directions disregarded;
    ``directed`` the share of its arcs; ``adjacency`` the share of equal entries of the symmetric
    d × d adjacency matrices, diagonal and absent edges included, which is large for any two sparse
    graphs.  The chance levels, ``… by chance``, are the means for uniformly random edges, as many
    as found, with random directions.

    Parameters
    ----------
    edges, reference : arcs (parent, child), such as `bayesnet.Network.edges`
    d : int
        Number of attributes.

    Returns
    -------
    dict of str to float

    Raises
    ------
    ValueError
        If the reference has no edge, or an edge is not one of two attributes in [0, d).
    """
    check_count(d, 2, "d")
    arcs = {check_edge(edge, d, "edges") for edge in edges}
    true = {check_edge(edge, d, "edges") for edge in reference}
    if not true:
        raise ValueError("reference must have an edge, got none")
    found = {(min(arc), max(arc)) for arc in arcs}
    sought = {(min(arc), max(arc)) for arc in true}
    pairs = d * (d - 1) // 2
    e = len(found)
    s = len(sought)
    return {
        "skeleton": len(found & sought) / s,
        "skeleton by chance": e / pairs,
        "directed": len(arcs & true) / len(true),
        "directed by chance": e / pairs / 2,
        "adjacency": 1 - 2 * len(found ^ sought) / d**2,
        "adjacency by chance": 1 - 2 * (e + s - 2 * e * s / pairs) / d**2,
    }


# --------------------------------------------------------------------------- what is learned


def svm_accuracy(
    train: ArrayLike,
    test: ArrayLike,
    sizes: Sequence[int],
    labels: Iterable[int] | None = None,
) -> float:
    """Return the accuracy of linear support vector machines on the test records.

    It is the mean over the labels.  For each label the other attributes are the features, one bit
    for a binary attribute and one-hot the others; ``LinearSVC(C=1, dual=False)``, which sees equal
    records once with their number as weight: the same optimum, up to ten times sooner.  A label
    that is constant in training is predicted constant.

    Parameters
    ----------
    train, test : records (n, d)
        The honest test set is real and was held out; `train` are synthetic records learned without
        it.
    sizes : sequence of int
    labels : binary attributes, or None for all of them

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ImportError
        If scikit-learn (extra ``chapters``) is missing.
    """
    try:
        # it has no types
        from sklearn.dummy import DummyClassifier  # type: ignore[import-untyped]
        from sklearn.preprocessing import OneHotEncoder  # type: ignore[import-untyped]
        from sklearn.svm import LinearSVC  # type: ignore[import-untyped]
    except ImportError:
        what = "the accuracy of support vector machines"
        raise ImportError(f"{what} needs scikit-learn") from None
    binary = [j for j, size in enumerate(sizes) if size == 2]
    chosen = binary
    if labels is not None:
        chosen = list(labels)
    if not chosen or any(j not in binary for j in chosen):
        raise ValueError(f"labels must be binary attributes, at least one, got {chosen}")
    x, weight = np.unique(_records(train, sizes), axis=0, return_counts=True)
    y = _records(test, sizes)
    found = []
    for label in chosen:
        others = [j for j in range(len(sizes)) if j != label]
        values = [np.arange(sizes[j]) for j in others]
        bits = OneHotEncoder(categories=values, drop="if_binary", sparse_output=False)
        bits.fit(x[:, others])
        if np.ptp(x[:, label]):
            machine = LinearSVC(C=1, dual=False)
        else:
            machine = DummyClassifier()
        machine.fit(bits.transform(x[:, others]), x[:, label], sample_weight=weight)
        found.append(machine.score(bits.transform(y[:, others]), y[:, label]))
    return float(np.mean(found))
