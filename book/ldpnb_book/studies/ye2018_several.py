"""Several values per person in ye2018: random tables, pairs of fragments, joint shares, and two phases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import BloomFlip, Records, publish
from ldpnb.attributes import avd, decoder, expectation, independent, likeliest, marginals, symbols
from ldpnb.attributes.tables import Joint, Symbols
from ldpnb.core import Floats, Ints
from ldpnb.sets import SampledHadamardBit, SampledSUE, largest, ldpminer


class Table(Protocol):
    """A one-bit mechanism with a public table of signs."""

    gram: Floats

    def variance(self, values: ArrayLike) -> Floats:
        """Variance of the scores of one person, given the table."""


def mean_square(mechanism: Table, shares: ArrayLike, n: float) -> float:
    """Return the mean square error of all shares for a given table: its own error, and the noise of n people."""
    truth = np.asarray(shares, float)
    noise = truth @ mechanism.variance(np.arange(len(truth))) / n
    return float(np.mean(np.square(truth @ mechanism.gram - truth) + noise))


def likeliest_pair(first: ArrayLike, second: ArrayLike, rounds: int = 150) -> Floats:
    """Climb to the joint shares of two variables under which the reports are most likely (EM).

    Parameters
    ----------
    first, second : array-like
        Probability of each person's report about the variable, under each of its values: people × values.
    rounds : int

    Returns
    -------
    array
        A row for each value of the first variable, a column for each of the second.
    """
    a, b = np.asarray(first, float), np.asarray(second, float)
    fitted = np.full((a.shape[1], b.shape[1]), 1 / (a.shape[1] * b.shape[1]))
    for _ in range(rounds):
        total = np.einsum("na,nb,ab->n", a, b, fitted, optimize=True)
        fitted = fitted * (a.T @ (b / total[:, None])) / len(a)
    return fitted


def words(alphabet: str, length: int, popular: Sequence[str], shares: Sequence[float], n: int, seed: int) -> Any:
    """Return the words of n people: popular ones with these shares; the others hold one of some 2,000 random words.

    Parameters
    ----------
    alphabet : str
    length : int
    popular : sequence of str
    shares : sequence of float
    n : int
        Number of people.
    seed : int
        Of the random words.

    Returns
    -------
    array of str
    """
    drawn = np.array(list(alphabet))[np.random.default_rng(seed).integers(0, len(alphabet), (2000, length))]
    rare = sorted({"".join(row) for row in drawn} - set(popular))
    known = np.round(np.asarray(shares) * n).astype(int)
    return np.r_[np.repeat(popular, known), np.array(rare)[np.arange(n - known.sum()) % len(rare)]].astype(object)


def baskets(n: int, d: int, ell: int, *, rng: np.random.Generator) -> tuple[Records, Ints]:
    """Draw people with ell different items each, of which item v is chosen with weight 1/(v + 1).

    Returns
    -------
    Records, array
        The people, and how many of them hold each item.
    """
    keys = rng.exponential(size=(n, d)) * np.arange(1, d + 1)
    sets = keys.argsort(axis=1, kind="stable")[:, :ell]
    return Records.of(*map(set, sets.tolist())), np.bincount(sets.ravel(), minlength=d)


def found_of_top(
    people: Records, counts: Ints, ell: int, k: int, eps: float, *, rng: np.random.Generator
) -> dict[str, float]:
    """Return which share of the k most frequent items is found by one phase of sampling S-Hist, and by LDPMiner.

    Parameters
    ----------
    people : Records
    counts : array
        How many hold each item.
    ell : int
        Items per person.
    k : int
        Items that are wanted; LDPMiner takes twice as many candidates, and a vector in its second phase.
    eps : float
    rng : numpy.random.Generator

    Returns
    -------
    dict of str to float
    """
    d, top = len(counts), set(largest(counts, k).tolist())
    one = SampledHadamardBit(d=d, ell=ell, epsilon=eps)
    halves = {"first_epsilon": eps / 2, "second_epsilon": eps / 2}
    two = ldpminer(people, d=d, ell=ell, candidates=2 * k, rng=rng, second=SampledSUE, **halves)
    estimates = {"one phase": one.estimate(one.tally(one.perturb(people, rng=rng))), "LDPMiner": two.combined}
    return {name: len(top & set(largest(shares, k).tolist())) / k for name, shares in estimates.items()}


def grows_like(error: Callable[..., float], at: dict[str, float]) -> dict[str, float]:
    """Return the exponents of an error in each of its arguments: by what power it grows if one of them doubles."""
    return {name: float(np.log2(error(**at | {name: 2 * value}) / error(**at))) for name, value in at.items()}


# ---------------------------------------------------------------------------------------------------------- LoPub

SIZES = (3, 2, 3, 2, 4, 2)  # values of six attributes
EDGES = ((0, 1), (0, 2), (1, 2), (2, 3), (3, 4))  # that belong together
PAIRS = list(combinations(range(6), 2))


def six_attributes(n: int, *, rng: np.random.Generator) -> Ints:
    """Draw records of a small Markov network: 0, 1 and 2 belong together, then a chain 2, 3, 4, and 5 on its own."""

    def repeat(value: Ints, k: int) -> Ints:
        """In six of ten cases what the neighbours say, else any value."""
        return np.where(rng.random(n) < 0.6, value % k, rng.integers(0, k, n))

    x0 = rng.integers(0, 3, n)
    x1 = repeat(x0, 2)
    x2 = repeat(x0 + x1, 3)
    x3 = repeat(x2, 2)
    x4 = repeat(2 * x3 + rng.integers(0, 2, n), 4)
    return np.stack([x0, x1, x2, x3, x4, rng.integers(0, 2, n)], 1)


def published(
    mechanism: BloomFlip, n: int, phi: float, *, rng: np.random.Generator, gap: float | None = None
) -> dict[str, float]:
    """Run LoPub once on new people.

    Parameters
    ----------
    mechanism : BloomFlip
        Of attributes with `SIZES`.
    n : int
        Number of people.
    phi : float
        Threshold of the dependence of a pair.
    rng : numpy.random.Generator
    gap : float, optional
        Where the search for the likeliest table of three attributes or more stops, which much noise makes long.

    Returns
    -------
    dict of str to float
        ``edges``: share of `EDGES` that are found; and total variation distances from the people: of the whole table
        by ``cliques``, and estimated ``at once``; of ``pairs`` of the synthetic table, and of independent ``columns``
        with the true shares.
    """

    def joint(heard: Symbols, sets: Sequence[tuple[int, ...]]) -> Joint:
        return likeliest(heard, sets, gap=gap if max(map(len, sets)) > 2 else None)

    people, whole = six_attributes(n, rng=rng), tuple(range(6))
    truth = marginals(people, SIZES, [whole])[whole]
    reports = mechanism.perturb(people, rng=rng)
    made = publish(mechanism, reports, phi=phi, n=n, rng=rng, joint=joint)
    at_once = likeliest(symbols(mechanism, reports), [whole], gap=1e-4).tables[0]
    return {
        "edges": float(np.mean([edge in made.edges for edge in EDGES])),
        "cliques": avd(people, made.records, SIZES, 6),
        "at once": float(np.abs(at_once - truth).sum() / 2),
        "pairs": avd(people, made.records, SIZES, 2),
        "columns": avd(people, independent(people, SIZES, PAIRS), SIZES, 2),
    }


def operations(mechanism: BloomFlip, reports: ArrayLike, *, grouped: bool = False) -> float:
    """Return how many operations EM takes for all pairs, over one addition for each bit.

    Parameters
    ----------
    mechanism : BloomFlip
        Of attributes with `SIZES`.
    reports : array-like
    grouped : bool
        Whether equal reports about a pair are taken together.

    Returns
    -------
    float
    """
    said = np.asarray(reports)
    heard = symbols(mechanism, said)
    steps = expectation(heard, PAIRS, stop="gap", delta=1e-8).steps
    work = 0
    for t, (i, j) in zip(steps, PAIRS, strict=True):
        rows = len(np.unique(heard.codes[:, (i, j)], axis=0)) if grouped else len(said)
        work += int(t) * rows * SIZES[i] * SIZES[j]
    return work / said.size


def decoded(mechanism: BloomFlip, reports: ArrayLike, attribute: int, listed: Sequence[int]) -> Floats:
    """Return the shares of the listed values of an attribute, if these are all that the collector knows."""
    said, code = np.asarray(reports), mechanism.codes[attribute]
    start = sum(other.shape[1] for other in mechanism.codes[:attribute])
    rate = said[:, start : start + code.shape[1]].mean(0)
    weights, offset = decoder(code[list(listed)])
    return np.asarray(weights @ ((rate - mechanism.f / 2) / (1 - mechanism.f)) + offset)
