"""Exact ε, bias and variance, read off the law of a client's own code; bias and variance also from samples.

A client is a mechanism, or any function ``client(value, rng)`` of one person whose randomness comes from
`ldpnb.chance`; both kinds take the same inputs (see `laws`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy, deepcopy
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from inspect import signature
from itertools import accumulate, pairwise
from math import exp, inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from ldpnb.chance import LIMIT, Law, Outputs, Randomness, branches, form, form_of, freeze, law, log, odds
from ldpnb.checks import check_count, check_epsilon, check_people, check_probability
from ldpnb.core import Floats, Mechanism, Tally, blocks, named
from ldpnb.records import Records

Client = Mechanism | Callable[[Any, Any], Any]
Inputs = Any  # a list of values, an array whose first axis runs over people, or Records

REPORTS_MIN = 1000
SCORED = 20_000  # different reports of one value that are scored, each alone


def laws(client: Client, inputs: Inputs, *, limit: int = LIMIT) -> list[Law]:
    """Exact law of one person's report, for each of several inputs.

    What is replayed is the client's own code, from the value to the report: once for every combination of choices that
    it draws from `ldpnb.chance`, and the first of them some times more, to see that it repeats itself.  The person is
    alone, and asked once, with a copy of the value.  What is not replayed is everything else: rare randomness from
    elsewhere, the clock, a state that shows only after many calls, other people of the same call, what the client does
    besides returning a report, and what it would do with another source of randomness than a `Paths`, unless it gives
    itself away by asking for an attribute.  Reports are nested tuples of plain values (`chance.law`); a client whose
    reports differ in form alone, as a list and a tuple do, or True, 1 and 1.0, is refused: `chance.form` says what a
    receiver gets of a report, namely what `pickle` would send.

    Parameters
    ----------
    client : Mechanism or callable (value, rng) -> report
    inputs : list, array or Records
        One value per person, for either kind of client: a number, a string, a tuple, a dict {key: value}, a set.  A
        mechanism gets each as a batch of one, a dict or a set as `Records`.  A batch that `perturb` takes will do as
        well; of an array a function gets numbers, or tuples, and of Records dicts, or frozensets where there are no
        values.
    limit : int
        Branches to walk at most, per input.

    Returns
    -------
    list of dict
        One law per input: {report: probability}.

    Raises
    ------
    TooManyBranches
        If there are more.
    TypeError
        If a function does not take a value and a source of randomness.
    ValueError
        If inputs are no list of values, a client does not repeat itself, draws past `ldpnb.chance`, returns anything
        but one report, or reports that differ in form alone.
    """
    outputs = Outputs()
    return [law(program, limit=limit, outputs=outputs) for program in _programs(client, inputs)]


def _programs(client: Client, inputs: Inputs) -> list[Callable[[Any], Any]]:
    """Return the client as a program for each input: of one report, with a value of its own at each call."""
    if isinstance(client, Mechanism):
        rows = Rows()

        def alone(one: Any, rng: Any) -> Any:
            return rows.only(client.perturb(one, rng=rng))

        return [_program(alone, one) for one in _batches(inputs)]
    check_call(client, "value, rng", "", None, None)
    return [_program(client, value) for value in _values(inputs)]


def _program(client: Callable[[Any, Any], Any], value: Any) -> Callable[[Any], Any]:
    """Hand a client copies of a value, as by `deepcopy`, which takes its time with what holds plain values only."""
    kind, plain = type(value), {int, bool, float, str, bytes}
    held = (*value, *value.values()) if kind is dict else value if kind in (list, tuple, set, frozenset) else [value]
    copied = copy if all(type(x) in plain for x in held) else deepcopy
    return lambda rng: client(copied(value), rng)


def check_call(client: Any, call: str, cure: str, *arguments: Any) -> None:
    """Raise a TypeError if a client cannot be called like that."""
    with suppress(ValueError):  # of what has no signature
        try:
            signature(client).bind(*arguments)
        except TypeError as error:
            raise TypeError(f"client must be callable as client({call}){cure}: {error}") from None


class Rows:
    """Arrays of one report each: they must be of one class and dtype, which a row alone may not tell."""

    def __init__(self) -> None:
        self._kind: type | None = None
        self._first: tuple[Hashable, str] | None = None

    def only(self, reports: Any) -> Any:
        """Return the only report; refuse another class, or an array of another dtype, than those before."""
        row = _alone(reports)[0]
        kind = np.ndarray if isinstance(reports, np.ndarray) else type(reports)
        if self._kind is None:
            self._kind = kind
        if kind is not self._kind:
            raise ValueError(
                f"perturb must return reports in one form, got {self._kind.__name__} and {kind.__name__}, "
                "which a receiver can tell apart: return an array each time"
            )
        if not isinstance(reports, np.ndarray):
            return row
        if isinstance(row, np.str_ | np.bytes_):  # which alone is of a dtype of its own length
            row = np.array(row, reports.dtype)
        if self._first is None or type(reports) is not np.ndarray:
            freeze(reports)  # refuses other classes, and what is sent beside the reports
        own, dtype = form_of(reports.dtype), reports.dtype
        if self._first is None:
            self._first = own, str(dtype)
        first, name = self._first
        if own != first:
            freeze(reports)  # may know better
            raise ValueError(
                f"perturb must return arrays of one dtype, got one of {name} and one of {dtype}, "
                "which a receiver can tell apart: return np.array(….tolist(), dtype) of one dtype"
            )
        return row


def _alone(reports: Any) -> Any:
    if len(reports) != 1:
        raise ValueError(f"client must return one report a person, got {len(reports)} of one")
    return reports


def one_person(client: Client) -> Callable[[Any, Randomness], Any]:
    """Return any client as a function (value, rng) -> report of one person, to build another client on.

    Values are those of `laws`; a function comes back as it is.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> colour = one_person(GRR(k=3, epsilon=1.0))
    >>> laws(lambda x, rng: "red" if colour(x, rng) == 0 else "another", [0])[0].keys()
    dict_keys(['red', 'another'])
    """
    if isinstance(client, Mechanism):
        return lambda value, rng: _alone(client.perturb(*_batches([value]), rng=rng))[0]
    return client


def _batches(inputs: Inputs) -> list[Any]:
    """Return inputs as a mechanism takes them: a batch for each person."""
    if isinstance(inputs, np.ndarray | Records):
        return [inputs[i : i + 1] for i in range(len(inputs))]
    return [Records.of(value) if isinstance(value, dict | set | frozenset) else [value] for value in _listed(inputs)]


def _values(inputs: Inputs) -> list[Any]:
    """Return inputs as a function takes them: a plain value for each person."""
    if isinstance(inputs, Records):
        people = [slice(*ends) for ends in pairwise(inputs.offsets.tolist())]
        if inputs.values is None:
            return [frozenset(inputs.keys[own].tolist()) for own in people]
        return [dict(zip(inputs.keys[own].tolist(), inputs.values[own].tolist(), strict=True)) for own in people]
    return [_tuples(row) for row in inputs.tolist()] if isinstance(inputs, np.ndarray) else _listed(inputs)


def different(inputs: Inputs) -> list[Any]:
    """Return inputs as a function takes them, without those that have come before."""
    found = dict[Hashable, Any]()
    for i, value in enumerate(_values(inputs)):
        told: Hashable = i
        with suppress(ValueError):  # it cannot be sent, and is taken for another
            told = form(value)
        found.setdefault(told, value)
    return list(found.values())


def _listed(inputs: Inputs) -> list[Any]:
    if isinstance(inputs, dict | set | frozenset) or not isinstance(inputs, Collection):  # a single record, an iterator
        raise ValueError(f"inputs must be a list of values, one per person, got {inputs!r:.60}")
    return list(inputs)


def _tuples(row: Any) -> Any:
    return tuple(map(_tuples, row)) if isinstance(row, list | tuple) else row


@dataclass(frozen=True)
class Worst:
    """The report that tells two inputs apart best: `ratio` is how much likelier it is under one than the other.

    `pair` are positions in the list of inputs, likelier first; `ratio` is None where the other cannot send it at all.
    """

    ratio: Fraction | None
    pair: tuple[int, int]
    report: Hashable

    @property
    def epsilon(self) -> float:
        """Logarithm of the ratio."""
        return inf if self.ratio is None else log(self.ratio)


def worst(laws: Sequence[Law]) -> Worst:
    """Largest likelihood ratio over all pairs of inputs and all reports."""
    if len(laws) < 2:
        raise ValueError(f"laws must be those of at least two inputs, got {len(laws)}")
    found = Worst(Fraction(1), (0, 0), next(iter(laws[0])))
    for report in dict.fromkeys(y for one in laws for y in one):
        p = [one.get(report, Fraction(0)) for one in laws]
        if not any(p):
            continue
        most, least = max(range(len(p)), key=p.__getitem__), min(range(len(p)), key=p.__getitem__)
        if p[least] == 0:
            return Worst(None, (most, least), report)
        if found.ratio is None or p[most] / p[least] > found.ratio:
            found = Worst(p[most] / p[least], (most, least), report)
    return found


def epsilon(laws: Sequence[Law]) -> float:
    """Exact ε of a client: the logarithm of the largest likelihood ratio, ∞ where a report gives an input away."""
    return worst(laws).epsilon


def keeps(laws: Sequence[Law], stated: float) -> bool:
    """Whether a client keeps the ε that it states, but for the rounding of its probabilities to floats.

    What the package's own clients may miss of ε by rounding, 2⁻⁴⁶ e^ε, others may exceed it by: a threshold that is
    the float nearest to the right one is as often above as below.

    Examples
    --------
    >>> from math import exp
    >>> from ldpnb.chance import toss
    >>> naive = laws(lambda x, rng: x if toss(exp(0.3) / (1 + exp(0.3)), rng) else 1 - x, [0, 1])
    >>> epsilon(naive) <= 0.3, keeps(naive, 0.3), keeps(naive, 0.299)
    (False, True, False)
    """
    ratio = worst(laws).ratio
    return ratio is not None and ratio <= odds(check_epsilon(stated, "stated") + stated_rounding(stated))


def stated_rounding(epsilon: float) -> float:
    """Return what rounding thresholds toward privacy may cost of ε."""
    return 2.0**-46 * exp(epsilon)


def moments(
    client: Client, inputs: Inputs, items: Any = None, *, score: Callable[[Any], ArrayLike] | None = None
) -> tuple[Floats, Floats]:
    """Exact mean and variance of what one person's report adds to an estimate, its score, for each input.

    Averaged over private and public randomness alike; exact but for the rounding of the scores, which are floats.

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
            raise ValueError("score must be left out for a mechanism: it is the estimate from one report")
        score = partial(_estimate, client, named(items))
    elif score is None or items is not None:
        raise ValueError("score must be given for a function, and items only for a mechanism")
    found: list[Law] = []
    outputs, scores = Outputs(), dict[Hashable, Floats]()
    for program in _programs(client, inputs):
        found.append({})
        for probability, report in branches(program):
            key = outputs.key(report)
            found[-1][key] = found[-1].get(key, Fraction(0)) + probability
            if key not in scores:
                scores[key] = np.asarray(score(report), np.float64)
    return moments_of(found, scores)


def moments_of(laws: Iterable[Law], scores: Mapping[Hashable, Any]) -> tuple[Floats, Floats]:
    """Mean and variance, under each law, of the outputs' scores."""
    means, variances = [], []
    for one in laws:
        p, x = np.array([float(p) for p in one.values()]), np.stack([scores[key] for key in one])
        means.append(np.tensordot(p, x, 1))
        variances.append(np.tensordot(p, (x - means[-1]) ** 2, 1))
    return np.stack(means), np.stack(variances)


def _estimate(mechanism: Mechanism, candidates: tuple[Any, ...], report: Any) -> Floats:
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
    mechanism: Mechanism, values: Any, *, reports: int, rng: Randomness, alarm: float = 1e-9, items: Any = None
) -> Sampled:
    r"""Compare the mean and variance of one person's score with the stated ones, for laws too large for `moments`.

    The mean of all scores is the estimate from one tally of all reports; its standard error is known, the square root
    of noise over `reports`.  For the variance, different reports are scored once each and weighed by how often they
    came; of reports that hardly come back, the first 20,000 are scored.  Its standard error is estimated from the
    fourth moment, to which the squared error of the mean is added.

    Both are compared with a normal quantile, corrected for the number of values and coordinates (Bonferroni).  That is
    an approximation: it wants each possible score to come many times, so draw reports at a large multiple of one over
    the smallest probability of a score.

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
    targets, noises = mechanism.expected(values, *candidates), mechanism.variance(values, *candidates)
    limit = -float(ndtri(alarm / (4 * targets.size)))  # two checks of two sides
    bias = variance = 0.0
    for i in range(len(values)):
        drawn = mechanism.perturb(repeat(values, i, n), rng=rng)
        # a coordinate without noise has to be right to nine digits
        spread = np.where(noises[i] > 0, np.sqrt(noises[i]), 1e-9 * (1 + np.abs(targets[i])))
        far = np.abs(mechanism.estimate(mechanism.tally(drawn, *candidates)) - targets[i]) / spread * np.sqrt(n)
        first, second, third, fourth, m = _powers(mechanism, drawn, candidates, targets[i], spread)
        found = second - first**2
        centred = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
        error = np.sqrt(np.maximum(centred - found**2, 0) / m) + limit / m
        # a mean that is only too far by the stated noise, and not by the noise there is, speaks against the former
        fair = far / np.sqrt(np.maximum(found, 1))
        blamed = (far > limit) & (fair <= limit)
        bias = np.maximum(bias, np.max(np.where(blamed, fair, far)))
        variance = np.max([variance, np.max(np.abs(found - (noises[i] > 0)) / error), np.max(np.where(blamed, far, 0))])
    return Sampled(float(bias), float(variance), limit)


def _powers(mechanism: Mechanism, drawn: Any, candidates: Any, target: Any, spread: Any) -> tuple[Any, ...]:
    """Mean powers 1 to 4 of (score − target)/spread, and the number of scores."""
    keys = row_keys(drawn)
    if len(set(keys)) > SCORED:
        keys = keys[:SCORED]
    weights, where = Counter(keys), {key: at for at, key in enumerate(keys)}
    each, powers = list(weights), np.zeros((4, *np.shape(target)))
    for some in blocks(len(each), max(1, 2**20 // max(1, np.size(target)))):
        tallies = [mechanism.tally(drawn[where[key] : where[key] + 1], *candidates) for key in each[some]]
        counts = np.stack([tally.counts for tally in tallies])
        scores = mechanism.estimate(Tally(mechanism, 1, counts, tallies[0].items))
        y, w = (scores - target) / spread, np.array([weights[key] for key in each[some]])
        powers += [np.tensordot(w, z, 1) for z in accumulate([y] * 4, np.multiply)]
    return *(powers / len(keys)), len(keys)


def check_level(level: float, name: str) -> None:
    """Refuse what is no probability of a false alarm."""
    if not 0 < check_probability(level, name) <= 0.5:
        raise ValueError(f"{name} must be in (0, 1/2], got {level}")


def repeat(inputs: Any, i: int, n: int) -> Any:
    """Return a batch of n people who all have the i-th of the inputs."""
    return inputs[np.full(n, i)] if isinstance(inputs, np.ndarray | Records) else [inputs[i]] * n


def row_keys(rows: NDArray[Any]) -> list[bytes]:
    """Return the bytes of each row of an array of numbers: equal where the rows are."""
    if not rows.nbytes:
        return [b""] * len(rows)
    flat = np.ascontiguousarray(rows).reshape(len(rows), -1)
    keys: list[bytes] = flat.view(f"V{flat.nbytes // len(flat)}").ravel().tolist()
    return keys


def total_variation(p: Law, q: Law) -> Fraction:
    """Total variation distance between two laws: 0 means one and the same, 1 that no output is in both."""
    return sum((abs(p.get(y, Fraction(0)) - q.get(y, Fraction(0))) for y in p.keys() | q.keys()), Fraction(0)) / 2


def distance(a: Client, b: Client, inputs: Inputs, *, limit: int = LIMIT) -> Fraction:
    """Largest total variation distance between two clients' reports, over the inputs; 0 means one and the same law.

    Clients and inputs are those of `laws`, either of the clients a mechanism or a function.
    """
    return max(map(total_variation, laws(a, inputs, limit=limit), laws(b, inputs, limit=limit)))


def same_law(a: Client, b: Client, inputs: Inputs, *, tolerance: float = 2.0**-40, limit: int = LIMIT) -> bool:
    """Whether two clients send every report with the same probability, but for the rounding of thresholds.

    Clients and inputs are those of `laws`, either of the clients a mechanism or a function.

    Examples
    --------
    >>> from math import exp
    >>> from ldpnb import GRR
    >>> from ldpnb.chance import toss
    >>> honest = exp(1) / (exp(1) + 1)
    >>> same_law(lambda x, rng: x if toss(honest, rng) else 1 - x, GRR(k=2, epsilon=1.0), [0, 1])
    True
    """
    return distance(a, b, inputs, limit=limit) <= tolerance
