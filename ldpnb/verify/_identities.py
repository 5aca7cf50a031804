"""Mean and variance of one person's score, compared with the stated ones as formulas and with numbers."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from ldpnb.core import Mechanism, Records, named
from ldpnb.exact.formulas import Formula
from ldpnb.exact.polynomials import Poly, Y, plus, sign
from ldpnb.exact.proofs import Moments
from ldpnb.exact.proving import Question
from ldpnb.exact.symbolic import Laws, settled
from ldpnb.exact.trying import POINTS, between
from ldpnb.verify._moments import estimate_of_one, moments as numbers

FEW = 400  # branches up to which moments are compared at several ε
DRAWS = 20  # of y and slacks, where formulas are not the same, and may be but for rounding
Scored = list[tuple[Formula, Formula]]  # scores with their probabilities


def compared_moments(question: Question, tested: tuple[float, ...]) -> Moments:
    """Compare mean and variance of scores with the stated ones, with numbers, and as formulas.

    Of whatever coins; of ideal ones where that stops, or where they are right up to the rounding of coins.
    """
    make, inputs, items, limit = question.subject.make, question.inputs, question.items, question.limit
    assert make is not None
    client = question.subject.handed_in
    candidates = named(items)
    people = inputs if isinstance(inputs, np.ndarray | Records) else np.asarray(inputs)

    def stated(one: Any) -> list[Any]:
        return [np.asarray(f(people, *candidates)) for f in (one.expected, one.variance)]

    by_coins = "free"
    try:
        mechanism, found = settled(make, inputs, by_coins, limit, plain=True)
    except (TypeError, ValueError):
        by_coins = "ideal"
        mechanism, found = settled(make, inputs, by_coins, limit, plain=True)
    in_numbers = 0
    for epsilon in [*_points(client, tested, found.branches), *_drawn(tested, found)]:
        shipped = client if isinstance(client, Mechanism) and client.epsilon == epsilon else make(epsilon)
        (mean, variance), (told, spread) = stated(shipped), numbers(shipped, inputs, items)
        for name, one in (("expected", mean), ("variance", variance)):
            if one.shape != told.shape:
                raise ValueError(f"{name} must have the shape of the scores, {told.shape}, got {one.shape}")
        largest = float(np.max(np.abs(spread), initial=0.0))
        in_numbers += not np.allclose(mean, told, rtol=1e-8, atol=1e-9 * largest**0.5)
        in_numbers += not np.allclose(variance, spread, rtol=1e-8, atol=1e-9 * largest)
    count, wrong, near = _identities(mechanism, found, candidates, stated)
    ideal = False
    if (wrong or near) and not in_numbers and by_coins == "free":  # what is right but for rounding is decided there
        mechanism, found = settled(make, inputs, "ideal", limit, plain=True)
        count, with_ideal, near_ideal = _identities(mechanism, found, candidates, stated)
        ideal, wrong, near = wrong > 0 and not with_ideal, with_ideal, max(near, near_ideal)
    return Moments(count, wrong or in_numbers, near, ideal)


def _drawn(tested: tuple[float, ...], found: Laws) -> list[float]:
    """Return an ε that nobody knows before, and some between bounds that were checked, within those tested."""
    some = [x for x in tested if 0.01 <= x <= 20]
    if len(some) < 2 or found.branches > FEW:
        return []
    drawn = Random().uniform(min(some), max(some))
    return [drawn, *(e for e in between(found.field.checked, found.field.roots) if min(some) < e < max(some))]


def _identities(mechanism: Any, found: Laws, candidates: Any, stated: Any) -> tuple[int, int, int]:
    """Return how many formulas of mean and variance were compared, how many are wrong, and right but for rounding."""
    field = found.field
    with field.run(server=True):
        scores = {
            y: np.asarray(estimate_of_one(mechanism, candidates, own)).ravel() for y, own in found.reports.items()
        }
        means, variances = stated(mechanism)
    field.heard()
    wrong = near = 0
    for at in range(means[0].size):
        every = list[Scored]()
        for law in found.law:
            by: dict[Any, Poly] = {}
            for y, p in law.items():
                by[scores[y][at]] = plus(by.get(scores[y][at], {}), p)
            every.append([(field.formula(s), Formula(p, found.total, field)) for s, p in by.items()])
        stated_ones = [
            (field.formula(mean.ravel()[at]), field.formula(variance.ravel()[at]))
            for mean, variance in zip(means, variances, strict=True)
        ]
        if apart := _apart(every, stated_ones, 1):
            wrong += len(apart | _apart(every, stated_ones, DRAWS))
            continue
        seconds = [field.formula(sum(p * s * s for s, p in each)) for each in every]
        different = list[tuple[Formula, Formula, int]]()
        for each, second, pair in zip(every, seconds, stated_ones, strict=True):
            first = field.formula(sum(p * s for s, p in each))
            found_ones = first, second - first * first
            for power, one, other in zip((1, 2), found_ones, pair, strict=True):
                if not one.same(other):
                    different.append((one, other, power))
        if different and (apart := _apart(every, stated_ones, DRAWS)):
            wrong += len(apart)
            continue
        close = sum(_close(one, other, field.formula(sum(seconds)), power) for one, other, power in different)
        wrong += len(different) - close
        near += close
    return 2 * means.size, wrong, near


def _points(client: Any, tested: tuple[float, ...], branches: int) -> list[float]:
    """Return ε at which moments are compared with numbers: a mechanism's own, and others."""
    usual = [x for x in tested if 0.01 <= x <= 20]
    some = usual[:: max(1, len(usual) // 6)] if branches <= FEW else []
    own = [client.epsilon] if isinstance(client, Mechanism) else []
    return list(dict.fromkeys([*own, *(x for x in POINTS[-1:] if x in tested), *some]))


def _apart(every: list[Scored], stated: list[tuple[Formula, Formula]], draws: int) -> set[tuple[int, int]]:
    """Return which of the inputs' means (1) and variances (2) of one score differ at some drawn y and coins.

    Scores with their probabilities are looked at as numbers, which is quick where formulas are long.
    """
    dice, wrong = Random(), set[tuple[int, int]]()
    for _ in range(draws):
        y, slack = 1 + Fraction(dice.random()) * 10 ** dice.randint(-6, 6), Fraction(dice.random())
        laws_of_scores = [[(s.at(y, slack), p.at(y, slack)) for s, p in each] for each in every]
        size = sum(p * s * s for law in laws_of_scores for s, p in law)
        for i, law in enumerate(laws_of_scores):
            first, second = (sum(p * s**n for s, p in law) for n in (1, 2))
            for power, one, other in zip((1, 2), (first, second - first**2), stated[i], strict=True):
                if (one - other.at(y, slack)) ** 2 > size**power / 10**24:
                    wrong.add((i, power))
    return wrong


def _close(one: Formula, other: Formula, size: Formula, power: int) -> bool:
    """Whether two formulas that are alike at some drawn points are the same for every ε, to 12 digits of a score.

    `size` is the mean of a score's square, summed over the inputs.  A mean is compared with its root, a variance with
    itself, which is twice so large in digits.  Where coins are free, the drawn points must do.
    """
    if max(*one.num, *one.den, *other.num, *other.den, 0) > Y:
        return True
    return sign((size**power / 10**24 - (one - other) * (one - other)).num)[0] in (0, 1)
