"""Mean and variance of one person's score, compared with the stated ones.

The comparison is made with formulas and with numbers.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import numpy as np

from ldpnb.core import named
from ldpnb.exact.formulas import Formula
from ldpnb.exact.polynomials import Poly, Y, plus, sign
from ldpnb.exact.proofs import Moments
from ldpnb.exact.proving import Question
from ldpnb.exact.symbolic import Laws, settled
from ldpnb.exact.trying import POINTS, between
from ldpnb.records import Records
from ldpnb.verify._moments import estimate_of_one, moments as moments_in_numbers

FEW = 400  # branches up to which moments are compared at several ε
DRAWS = 20  # of y and slacks, where formulas are not the same, and may be but for rounding
USUAL = (0.01, 20)  # ε at which floats are not at their end
MEAN = 1  # moments, by the power of a score that they are about
VARIANCE = 2

Scored = list[tuple[Formula, Formula]]  # scores of one input with their probabilities
Stated = tuple[Formula, Formula]  # mean and variance that are stated for one input
Place = tuple[int, int]  # an input, and a moment of it


class Counts(NamedTuple):
    """How many formulas were compared, how many are wrong, and right but for rounding."""

    identities: int
    wrong: int
    near: int


def compared_moments(question: Question, tested: tuple[float, ...]) -> Moments:
    """Compare mean and variance of scores with the stated ones, with numbers, and as formulas.

    Of whatever coins; of ideal ones where that stops, or where they are right up to the rounding
    of coins.
    """
    make = question.subject.make
    assert make is not None
    inputs = question.subject.inputs
    limit = question.limit
    coins = "free"
    try:
        mechanism, found = settled(make, inputs, coins, limit, plain=True)
    except (TypeError, ValueError):
        coins = "ideal"
        mechanism, found = settled(make, inputs, coins, limit, plain=True)
    in_numbers = _wrong_in_numbers(question, tested, found)
    counts = _identities(mechanism, found, question)
    ideal = False
    if (counts.wrong or counts.near) and not in_numbers and coins == "free":
        mechanism, found = settled(make, inputs, "ideal", limit, plain=True)
        of_ideal = _identities(mechanism, found, question)  # right but for rounding is right
        ideal = counts.wrong > 0 and not of_ideal.wrong
        counts = Counts(of_ideal.identities, of_ideal.wrong, max(counts.near, of_ideal.near))
    return Moments(counts.identities, counts.wrong or in_numbers, counts.near, ideal)


def _stated(mechanism: Any, question: Question) -> tuple[Any, Any]:
    """Mean and variance that a mechanism states for each input."""
    candidates = named(question.subject.items)
    people = question.subject.inputs
    if not isinstance(people, np.ndarray | Records):
        people = np.asarray(people)
    mean = np.asarray(mechanism.expected(people, *candidates))
    variance = np.asarray(mechanism.variance(people, *candidates))
    return mean, variance


# ------------------------------------------------------------------------------------- with numbers


def _wrong_in_numbers(question: Question, tested: tuple[float, ...], found: Laws) -> int:
    """Count wrong means and variances at some values of ε."""
    make = question.subject.make
    assert make is not None
    own = question.subject.handed_in
    wrong = 0
    for epsilon in [*_points(own, tested, found.branches), *_drawn(tested, found)]:
        if own is not None and own.epsilon == epsilon:
            mechanism = own
        else:
            mechanism = make(epsilon)
        mean, variance = _stated(mechanism, question)
        told, spread = moments_in_numbers(
            mechanism, question.subject.inputs, question.subject.items
        )
        _check_shape("expected", mean, told)
        _check_shape("variance", variance, told)
        largest = float(np.max(np.abs(spread), initial=0.0))
        wrong += not np.allclose(mean, told, rtol=1e-8, atol=1e-9 * largest**0.5)
        wrong += not np.allclose(variance, spread, rtol=1e-8, atol=1e-9 * largest)
    return wrong


def _check_shape(name: str, stated: Any, told: Any) -> None:
    if stated.shape != told.shape:
        raise ValueError(
            f"{name} must have the shape of the scores, {told.shape}, got {stated.shape}"
        )


def _points(own: Any, tested: tuple[float, ...], branches: int) -> list[float]:
    """Return ε at which moments are compared with numbers: a mechanism's own, and others."""
    points = []
    if own is not None:
        points.append(own.epsilon)
    points += [x for x in POINTS[-1:] if x in tested]
    if branches <= FEW:
        usual = _usual(tested)
        points += usual[:: max(1, len(usual) // 6)]
    return list(dict.fromkeys(points))


def _drawn(tested: tuple[float, ...], found: Laws) -> list[float]:
    """Return an ε that nobody knows before, and some between bounds that were checked."""
    usual = _usual(tested)
    if len(usual) < 2 or found.branches > FEW:
        return []
    least = min(usual)
    most = max(usual)
    edges = between(found.field.checked, found.field.roots)
    return [Random().uniform(least, most), *(x for x in edges if least < x < most)]


def _usual(tested: tuple[float, ...]) -> list[float]:
    least, most = USUAL
    return [x for x in tested if least <= x <= most]


# -------------------------------------------------------------------------------------- as formulas


def _identities(mechanism: Any, found: Laws, question: Question) -> Counts:
    """Compare formulas of mean and variance of each score with the stated ones."""
    field = found.field
    scores = dict[Any, Any]()
    with field.run(server=True):
        for report, own in found.reports.items():
            estimate = estimate_of_one(mechanism, named(question.subject.items), own)
            scores[report] = np.asarray(estimate).ravel()
        means, variances = _stated(mechanism, question)
    field.heard()
    wrong = 0
    near = 0
    for at in range(means[0].size):
        scored = [_scored(law, scores, at, found) for law in found.law]
        stated = [
            (field.formula(mean.ravel()[at]), field.formula(variance.ravel()[at]))
            for mean, variance in zip(means, variances, strict=True)
        ]
        wrong_here, near_here = _compared(scored, stated, found)
        wrong += wrong_here
        near += near_here
    return Counts(2 * means.size, wrong, near)


def _scored(law: dict[Any, Poly], scores: dict[Any, Any], at: int, found: Laws) -> Scored:
    """Return the scores of one entry of the estimate, for one input, with their probabilities."""
    by_score: dict[Any, Poly] = {}
    for report, p in law.items():
        score = scores[report][at]
        by_score[score] = plus(by_score.get(score, {}), p)
    field = found.field
    return [(field.formula(score), Formula(p, found.total, field)) for score, p in by_score.items()]


def _compared(scored: list[Scored], stated: list[Stated], found: Laws) -> tuple[int, int]:
    """Count moments of one entry that are wrong, and that are right but for rounding."""
    apart = _apart(scored, stated, 1)
    if apart:
        return len(apart | _apart(scored, stated, DRAWS)), 0
    field = found.field
    seconds = [field.formula(_second_moment(each)) for each in scored]
    different = list[tuple[Formula, Formula, int]]()
    for each, second, (mean, variance) in zip(scored, seconds, stated, strict=True):
        first = field.formula(_first_moment(each))
        spread = second - first * first
        if not first.same(mean):
            different.append((first, mean, MEAN))
        if not spread.same(variance):
            different.append((spread, variance, VARIANCE))
    if not different:
        return 0, 0
    apart = _apart(scored, stated, DRAWS)
    if apart:
        return len(apart), 0
    size = field.formula(sum(seconds))
    near = sum(_close(one, other, size, power) for one, other, power in different)
    return len(different) - near, near


def _apart(every: list[Scored], stated: list[Stated], draws: int) -> set[Place]:
    """Return which of the inputs' moments of one score differ at some drawn y and coins.

    Scores with their probabilities are looked at as numbers, which is quick where formulas are
    long.
    """
    dice = Random()
    wrong = set[Place]()
    for _ in range(draws):
        y = 1 + Fraction(dice.random()) * 10 ** dice.randint(-6, 6)
        slack = Fraction(dice.random())
        laws = [_at(each, y, slack) for each in every]
        size = sum(map(_second_moment, laws))
        for i, law in enumerate(laws):
            mean = _first_moment(law)
            variance = _second_moment(law) - mean**2
            stated_mean, stated_variance = stated[i]
            if _differ(mean, stated_mean.at(y, slack), size):
                wrong.add((i, MEAN))
            if _differ(variance, stated_variance.at(y, slack), size**2):
                wrong.add((i, VARIANCE))
    return wrong


def _at(scored: Scored, y: Fraction, slack: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Return scores with their probabilities as numbers."""
    return [(s.at(y, slack), p.at(y, slack)) for s, p in scored]


def _first_moment(scored: list[tuple[Any, Any]]) -> Any:
    return sum(p * s for s, p in scored)


def _second_moment(scored: list[tuple[Any, Any]]) -> Any:
    return sum(p * s * s for s, p in scored)


def _differ(one: Any, other: Any, size: Any) -> bool:
    """Whether two numbers differ by more than 12 digits of a score, given its size squared."""
    return bool((one - other) ** 2 > size / 10**24)


def _close(one: Formula, other: Formula, size: Formula, power: int) -> bool:
    """Whether two formulas that are alike at some drawn points are the same for every ε.

    That is to 12 digits of a score.  `size` is the mean of a score's square, summed over the
    inputs.  A mean is compared with its root, a variance with itself, which is twice so large in
    digits.  Where coins are free, the drawn points must do.
    """
    if max(*one.num, *one.den, *other.num, *other.den, 0) > Y:
        return True
    difference = one - other
    room = size**power / 10**24 - difference * difference
    return sign(room.num)[0] in (0, 1)
