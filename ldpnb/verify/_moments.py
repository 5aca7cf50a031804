"""Bias and variance of one person's score, read off the law of a client's own code or from samples.

Here is also what audits and contracts need of batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from ldpnb.checks import check_count, check_people, check_probability
from ldpnb.core import Floats, Mechanism, Tally, blocks, named
from ldpnb.exact.clients import Client, Inputs, programs
from ldpnb.exact.coins import Randomness
from ldpnb.exact.distributions import Law
from ldpnb.exact.outputs import Outputs
from ldpnb.exact.replay import branches
from ldpnb.records import Records

REPORTS_MIN = 1000
SCORED = 20_000  # different reports of one value that are scored, each alone


def moments(
    client: Client,
    inputs: Inputs,
    items: Any = None,
    *,
    score: Callable[[Any], ArrayLike] | None = None,
) -> tuple[Floats, Floats]:
    """Exact mean and variance, for each input, of a score: what one report adds to an estimate.

    They are averages over private and public randomness alike, and exact but for the rounding of
    the scores, which are floats.

    Parameters
    ----------
    client : Mechanism or callable (value, rng) -> report
    inputs : list, array or Records
        One value per person, as for `laws`.
    items : sequence, optional
        Candidates, for mechanisms on open domains.
    score : callable (report) -> number or array
        Of a function; the score of a mechanism is its estimate from the one report.

    Returns
    -------
    mean, variance : ndarray (len(inputs), …)

    Raises
    ------
    ValueError
        If a function has no score, a mechanism has another one than its estimate, or as for `laws`.
    """
    if isinstance(client, Mechanism):
        if score is not None:
            raise ValueError(
                "score must be left out for a mechanism: it is the estimate from one report"
            )
        score = partial(estimate_of_one, client, named(items))
    elif score is None or items is not None:
        raise ValueError("score must be given for a function, and items only for a mechanism")
    laws: list[Law] = []
    outputs = Outputs()
    scores = dict[Hashable, Floats]()
    for program in programs(client, inputs):
        law: Law = {}
        for probability, report in branches(program):
            key = outputs.key(report)
            law[key] = law.get(key, Fraction(0)) + probability
            if key not in scores:
                scores[key] = np.asarray(score(report), np.float64)
        laws.append(law)
    return moments_of(laws, scores)


def moments_of(laws: Iterable[Law], scores: Mapping[Hashable, Any]) -> tuple[Floats, Floats]:
    """Mean and variance, under each law, of the outputs' scores."""
    means = []
    variances = []
    for law in laws:
        p = np.array([float(probability) for probability in law.values()])
        x = np.stack([scores[key] for key in law])
        mean = np.tensordot(p, x, 1)
        means.append(mean)
        variances.append(np.tensordot(p, (x - mean) ** 2, 1))
    return np.stack(means), np.stack(variances)


def estimate_of_one(mechanism: Mechanism, candidates: tuple[Any, ...], report: Any) -> Floats:
    """Return the estimate from a single report."""
    return mechanism.estimate(mechanism.tally(np.asarray(report)[None], *candidates))


@dataclass(frozen=True)
class Sampled:
    """What sampled checks of bias and variance found.

    Attributes
    ----------
    bias : float
        Largest distance of a mean score from its target, in standard errors.
    variance : float
        Largest distance of a variance of scores from the stated noise, in standard errors.
    limit : float
        What a right mechanism exceeds in neither, but with the stated probability of a false alarm.
    """

    bias: float
    variance: float
    limit: float

    @property
    def unbiased(self) -> bool:
        """Whether all means are within the limit."""
        return self.bias <= self.limit

    @property
    def variance_right(self) -> bool:
        """Whether all variances are within the limit."""
        return self.variance <= self.limit


def sampled(
    mechanism: Mechanism,
    values: Any,
    *,
    reports: int,
    rng: Randomness,
    alarm: float = 1e-9,
    items: Any = None,
) -> Sampled:
    """Compare the mean and variance of one person's score with the stated ones.

    This is for laws too large for `moments`.  The mean of all scores is the estimate from one tally
    of all reports; its standard error is known, the square root of noise over `reports`.  For the
    variance, different reports are scored once each and weighed by how often they came; of reports
    that hardly come back, the first 20,000 are scored.  Its standard error is estimated from the
    fourth moment, to which the squared error of the mean is added.

    Both are compared with a normal quantile, corrected for the number of values and coordinates
    (Bonferroni).  That is an approximation: it wants each possible score to come many times, so
    draw reports at a large multiple of one over the smallest probability of a score.

    Parameters
    ----------
    mechanism : Mechanism
    values : a batch that `perturb` takes, one person each
    reports : int, at least 1000
        Reports to draw of each value.
    rng : Generator or SystemRandom
    alarm : float in (0, 1/2]
        Probability that a right mechanism fails, in one check or the other.
    items : sequence, optional
        Candidates, for open domains.

    Raises
    ------
    ValueError
        If there are no values, or an argument is out of range.
    """
    n = check_count(reports, REPORTS_MIN, "reports")
    check_people(values)
    check_level(alarm, "alarm")
    candidates = named(items)
    targets = mechanism.expected(values, *candidates)
    noises = mechanism.variance(values, *candidates)
    limit = -float(ndtri(alarm / (4 * targets.size)))  # two checks of two sides
    bias = variance = 0.0
    for i in range(len(values)):
        drawn = mechanism.perturb(repeat(values, i, n), rng=rng)
        # a coordinate without noise has to be right to nine digits
        spread = np.where(noises[i] > 0, np.sqrt(noises[i]), 1e-9 * (1 + np.abs(targets[i])))
        estimate = mechanism.estimate(mechanism.tally(drawn, *candidates))
        far = np.abs(estimate - targets[i]) / spread * np.sqrt(n)
        first, second, third, fourth, m = _powers(mechanism, drawn, candidates, targets[i], spread)
        found = second - first**2
        centred = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
        error = np.sqrt(np.maximum(centred - found**2, 0) / m) + limit / m
        # a mean that is too far only by the stated noise, and not by the noise that there is,
        # speaks against the stated noise
        fair = far / np.sqrt(np.maximum(found, 1))
        blamed = (far > limit) & (fair <= limit)
        bias = np.maximum(bias, np.max(np.where(blamed, fair, far)))
        stated = noises[i] > 0  # in units of `spread`: 1, or 0 without noise
        off = np.max(np.abs(found - stated) / error)
        variance = np.max([variance, off, np.max(np.where(blamed, far, 0))])
    return Sampled(float(bias), float(variance), limit)


def _powers(
    mechanism: Mechanism, drawn: Any, candidates: Any, target: Any, spread: Any
) -> tuple[Any, ...]:
    """Mean powers 1 to 4 of (score − target)/spread, and the number of scores."""
    keys = row_keys(drawn)
    if len(set(keys)) > SCORED:
        keys = keys[:SCORED]
    weights = Counter(keys)
    where = {key: at for at, key in enumerate(keys)}
    different = list(weights)
    powers = np.zeros((4, *np.shape(target)))
    for some in blocks(len(different), max(1, 2**20 // max(1, np.size(target)))):
        tallies = []
        for key in different[some]:
            at = where[key]
            tallies.append(mechanism.tally(drawn[at : at + 1], *candidates))
        counts = np.stack([tally.counts for tally in tallies])
        scores = mechanism.estimate(Tally(mechanism, 1, counts, tallies[0].items))
        y = (scores - target) / spread
        w = np.array([weights[key] for key in different[some]])
        power = y
        for at in range(4):
            powers[at] += np.tensordot(w, power, 1)
            power = power * y
    return *(powers / len(keys)), len(keys)


def check_level(level: float, name: str) -> None:
    """Refuse what is no probability of a false alarm."""
    if not 0 < check_probability(level, name) <= 0.5:
        raise ValueError(f"{name} must be in (0, 1/2], got {level}")


def repeat(inputs: Any, i: int, n: int) -> Any:
    """Return a batch of n people who all have the i-th of the inputs."""
    if isinstance(inputs, np.ndarray | Records):
        return inputs[np.full(n, i)]
    return [inputs[i]] * n


def row_keys(rows: NDArray[Any]) -> list[bytes]:
    """Return the bytes of each row of an array of numbers: equal where the rows are."""
    if not rows.nbytes:
        return [b""] * len(rows)
    flat = np.ascontiguousarray(rows).reshape(len(rows), -1)
    keys: list[bytes] = flat.view(f"V{flat.nbytes // len(flat)}").ravel().tolist()
    return keys
