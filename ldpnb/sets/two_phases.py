"""Frequent items in two phases: all items first, and then the candidates that came out largest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness, uniform
from ldpnb.checks import check_codes, check_count, check_epsilon, check_numbers, shown
from ldpnb.core import Floats, Ints
from ldpnb.records import Records, check_records
from ldpnb.sets.base import SetMechanism
from ldpnb.sets.sampling import SampledHadamardBit, SampledSUE


@dataclass(frozen=True, eq=False)
class TwoPhases:
    """What two phases found: of all items first, then of the candidates.

    Attributes
    ----------
    first : ndarray (d,)
        Estimates of the first phase.
    candidates : ndarray of int (k_max,)
        The items that came out largest, largest first.
    second : ndarray (k_max,)
        Estimates of the second phase, in the order of the candidates.
    combined : ndarray (d,)
        One estimate an item, to rank them by.
    first_variance, second_variance : float
        Variance of each phase's estimate of an item that nobody holds: known in advance, and about
        right for a rare one.
    mechanisms : tuple of two mechanisms
        What people reported through; the second one counts the candidates, in their order.
    """

    first: Floats
    candidates: Ints
    second: Floats
    combined: Floats
    first_variance: float
    second_variance: float
    mechanisms: tuple[SetMechanism, SetMechanism]


def restrict(records: Records, candidates: ArrayLike) -> Records:
    """Return what each person holds among the candidates.

    An item is its place in the list of candidates from now on.
    """
    chosen = check_codes(candidates, None, "candidates")
    if chosen.size == 0 or len(np.unique(chosen)) < len(chosen):
        rule = "candidates must be distinct items, at least one"
        raise ValueError(f"{rule}, got {chosen.tolist()}")
    keys = check_records(records, "records").keys
    items = max(int(chosen.max()), int(keys.max(initial=0))) + 1
    place = np.full(items, -1)
    place[chosen] = np.arange(len(chosen))
    found = place[keys]
    kept = found >= 0
    offsets = np.searchsorted(np.flatnonzero(kept), records.offsets)
    return Records(offsets, found[kept])


def halves(records: Records, rng: Randomness) -> tuple[Records, Records]:
    """Split people into two halves at random, all splits alike.

    The second half has one more if their number is odd.
    """
    n = len(check_records(records, "records"))
    if n < 2:
        raise ValueError(f"records must hold at least two people, got {n}")
    half = n // 2
    # who comes next, of those who were not drawn yet
    places = np.arange(half)
    drawn = places + uniform(n - places, (half,), rng)
    people = list(range(n))
    for i, j in enumerate(drawn.tolist()):
        people[i], people[j] = people[j], people[i]
    return records[np.sort(people[:half])], records[np.sort(people[half:])]


def largest(estimates: ArrayLike, k: int) -> Ints:
    """Return the items with the k largest estimates, largest first.

    Of items with equal estimates, the one with the lower number comes first.
    """
    found = check_numbers(estimates, "estimates")
    if found.ndim != 1 or found.size == 0:
        rule = "estimates must be a list of at least one number"
        raise ValueError(f"{rule}, got shape {found.shape}")
    number = check_count(k, 1, "k", len(found))
    order = np.argsort(-found, kind="stable")
    return np.asarray(order[:number], np.int64)


def gfim(
    records: Records,
    *,
    d: int,
    ell: int,
    epsilon: float,
    candidates: int,
    rng: Randomness,
    corrected: bool = False,
) -> TwoPhases:
    r"""GFIM: half of the people find candidates, the other half answers about the candidates alone.

    Each person reports once, with all of ε.  Phase one is `SampledHadamardBit` over all items;
    phase two is `SampledHadamardBit` over the k_max candidates.  As printed, what a person holds
    among the candidates is padded to k_max, and

    .. math:: \hat f = [\hat f_1 + (\ell-1)\hat f_2]/\ell

    for candidates (3-5), :math:`\hat f_1` for other items.  The scale of the second phase is not
    printed: it is k_max, since one of k_max slots is drawn; ℓ would be biased by ℓ/k_max.  Padded
    so far that all candidates fit into one set, no two sets differ in all slots, and the second
    half spends no more than :math:`\ln[(e^\varepsilon+1)/2]`.

    Source: zhang2018 §3.2, Algorithms 2 and 3, eq. (3-5).

    Parameters
    ----------
    records : Records
    d, ell : int
        Number of items, and padding length of the first phase.
    epsilon : float
        Budget of a person.
    candidates : int
        k_max, at most d.
    rng : Randomness
    corrected : bool
        Pad to min(ℓ, k_max) in the second phase, and weigh the phases by their inverse variances.
        The weights are those of items that nobody holds, known before any report.
    """
    first = SampledHadamardBit(d=d, ell=ell, epsilon=epsilon)
    k = check_count(candidates, 1, "candidates", first.d)
    people = check_records(records, "records", first.d)
    first_half, second_half = halves(people, rng)
    second_ell = k
    if corrected:
        second_ell = min(first.ell, k)
    second = SampledHadamardBit(d=k, ell=second_ell, epsilon=epsilon)
    weight = 1 - 1 / first.ell
    if corrected:
        v1 = first.rare_variance / len(first_half)
        v2 = second.rare_variance / len(second_half)
        weight = v1 / (v1 + v2)
    return _two_phases(first, first_half, second, second_half, weight, rng)


def ldpminer(
    records: Records,
    *,
    d: int,
    ell: int,
    first_epsilon: float,
    second_epsilon: float,
    candidates: int,
    rng: Randomness,
    second: type[SampledHadamardBit] | type[SampledSUE] = SampledHadamardBit,
) -> TwoPhases:
    """LDPMiner: everybody reports twice, to find candidates, and about the candidates.

    The budget of a person is first_epsilon + second_epsilon.  Phase one is `SampledHadamardBit`
    over all items; in phase two what a person holds among the candidates is padded to k_max.
    `combined` has the second phase's estimates for candidates, and the first's for other items.

    Source: Qin et al. 2016, as told by zhang2018; how the phases are combined is not told.

    Parameters
    ----------
    records : Records
    d, ell : int
        Number of items, and padding length of the first phase.
    first_epsilon, second_epsilon : float
        Budget of a person in each phase.
    candidates : int
        k_max, at most d.
    rng : Randomness
    second : type
        Mechanism of the second phase, `SampledHadamardBit` or `SampledSUE`.
    """
    epsilon = check_epsilon(first_epsilon, "first_epsilon")
    first = SampledHadamardBit(d=d, ell=ell, epsilon=epsilon)
    k = check_count(candidates, 1, "candidates", first.d)
    people = check_records(records, "records", first.d)
    if second not in (SampledHadamardBit, SampledSUE):
        rule = "second must be SampledHadamardBit or SampledSUE"
        raise ValueError(f"{rule}, got {shown(second, most=200)}")
    refined = second(d=k, ell=k, epsilon=check_epsilon(second_epsilon, "second_epsilon"))
    return _two_phases(first, people, refined, people, 1.0, rng)


def _two_phases(
    first: SetMechanism,
    before: Records,
    second: SetMechanism,
    after: Records,
    weight: float,
    rng: Randomness,
) -> TwoPhases:
    """Run two phases, and weigh the second one of candidates by `weight`."""
    f1 = first.estimate(first.tally(first.perturb(before, rng=rng)))
    candidates = largest(f1, second.d)
    asked = restrict(after, candidates)
    f2 = second.estimate(second.tally(second.perturb(asked, rng=rng)))
    combined = f1.copy()
    combined[candidates] = (1 - weight) * f1[candidates] + weight * f2
    return TwoPhases(
        first=f1,
        candidates=candidates,
        second=f2,
        combined=combined,
        first_variance=first.rare_variance / len(before),
        second_variance=second.rare_variance / len(after),
        mechanisms=(first, second),
    )
