"""The largest likelihood ratio of a client, by the report that tells two inputs apart best."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import exp, inf

from ldpnb.exact.arguments import check_epsilon
from ldpnb.exact.distributions import Law
from ldpnb.exact.probabilities import log, odds


@dataclass(frozen=True)
class Worst:
    """The report that tells two inputs apart best, and how much likelier it is under one of them.

    `pair` are positions in the list of inputs, likelier first; `ratio` is None where the other
    cannot send it at all.
    """

    ratio: Fraction | None
    pair: tuple[int, int]
    report: Hashable

    @property
    def epsilon(self) -> float:
        """Logarithm of the ratio."""
        if self.ratio is None:
            return inf
        return log(self.ratio)


def worst(laws: Sequence[Law]) -> Worst:
    """Largest likelihood ratio over all pairs of inputs and all reports."""
    if len(laws) < 2:
        raise ValueError(f"laws must be those of at least two inputs, got {len(laws)}")
    found = Worst(Fraction(1), (0, 0), next(iter(laws[0])))
    for report in dict.fromkeys(chain(*laws)):
        p = [one.get(report, Fraction(0)) for one in laws]
        if not any(p):
            continue
        most = max(range(len(p)), key=p.__getitem__)
        least = min(range(len(p)), key=p.__getitem__)
        if p[least] == 0:
            return Worst(None, (most, least), report)
        if found.ratio is None or p[most] / p[least] > found.ratio:
            found = Worst(p[most] / p[least], (most, least), report)
    return found


def epsilon(laws: Sequence[Law]) -> float:
    """Exact ε of a client, ∞ where a report gives an input away.

    It is the logarithm of the largest likelihood ratio.
    """
    return worst(laws).epsilon


def keeps(laws: Sequence[Law], stated: float) -> bool:
    """Whether a client keeps the ε that it states, but for the rounding of its probabilities.

    What the package's own clients may miss of ε by rounding, 2⁻⁴⁶ e^ε, others may exceed it by: a
    threshold that is the float nearest to the right one is as often above as below.

    Examples
    --------
    >>> from math import exp
    >>> from ldpnb.verify import laws
    >>> from ldpnb.chance import toss
    >>> naive = laws(lambda x, rng: x if toss(exp(0.3) / (1 + exp(0.3)), rng) else 1 - x, [0, 1])
    >>> epsilon(naive) <= 0.3, keeps(naive, 0.3), keeps(naive, 0.299)
    (False, True, False)
    """
    ratio = worst(laws).ratio
    return ratio is not None and ratio <= odds(
        check_epsilon(stated, "stated") + stated_rounding(stated)
    )


def stated_rounding(epsilon: float) -> float:
    """Return what rounding thresholds toward privacy may cost of ε."""
    return 2.0**-46 * exp(epsilon)
