"""Coins of one person: `toss`, `pick`, and draws of exact odds for clients that see no number.

A client asks for a biased coin or for one of several options.  Hand it a `numpy.random.Generator`
and it draws; a `SystemRandom` and it draws from the operating system; a `Paths` and it is replayed
along every branch of its choices.
"""

from __future__ import annotations

import secrets
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from numbers import Rational, Real
from typing import Any, TypeVar

from ldpnb.exact.arguments import shown
from ldpnb.exact.arrays import arrays
from ldpnb.exact.formulas import Field, Formula
from ldpnb.exact.questions import coin_of
from ldpnb.exact.replay import Paths

WORD = 62  # bits of one draw of `one_of`, so that a draw is an int64
T = TypeVar("T")

# A numpy.random.Generator, too; this part of the package cannot name its class
Source = Any
Randomness = Any


class SystemRandom:
    """The operating system's random words, one number at a time.

    `ldpnb.chance.SystemRandom` draws arrays of them.
    """

    def random(self) -> Any:
        """Return a uniform multiple of 2**-53 in [0, 1)."""
        return secrets.randbits(53) * 2.0**-53

    def integers(self, low: int, high: int) -> Any:
        """Return a uniform integer in [low, high)."""
        return low + secrets.randbelow(high - low)


class Sealed:
    """A source of randomness for `toss` and `pick` alone, which does not show what it is.

    So a client that is handed it cannot see whether it is replayed.
    """

    __slots__ = ("_field", "_rng")
    _rng: Source
    _field: Field

    def __init__(self) -> None:
        raise TypeError(
            "a sealed source of randomness is handed to a client; nobody else makes one"
        )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"rng has no {name!r}: draw by toss(p, rng), pick(options, rng) or items.pick(rng)"
        )

    def _closed(self, *_: Any) -> Any:
        raise TypeError("a source of randomness cannot be copied or sent")

    __reduce__ = __reduce_ex__ = __getstate__ = _closed


def sealed(rng: Source, field: Field) -> Sealed:
    """Seal a source of randomness, for coins of numbers or of formulas of a field."""
    found = object.__new__(Sealed)
    found._rng = rng
    found._field = field
    return found


# ----------------------------------------------------------------------------------- toss and pick


def toss(p: float | Fraction | Formula, rng: Randomness) -> bool:
    """One coin: True with probability p (see `ldpnb.chance.bernoulli`)."""
    if isinstance(rng, Paths):
        return _toss_along(p, rng)
    if isinstance(rng, Sealed):
        return _toss_sealed(p, rng)
    source = checked_source(rng)
    if isinstance(p, Formula):
        return fall(p, source)
    return bool(source.random() < _probability(p))


def _toss_along(p: float | Fraction | Formula, rng: Paths) -> bool:
    """Toss a coin of a replay."""
    rng._trace.append(("bernoulli", ()))
    if isinstance(p, Fraction) and rng._ideal:
        return exactly(p, rng)
    if isinstance(p, Formula):
        return rng._toss(p)
    return rng._toss(_probability(p))


def _toss_sealed(p: float | Fraction | Formula, rng: Sealed) -> bool:
    """Toss a coin of a client that does not know whether it is replayed.

    Numbers are exact there, as formulas are.
    """
    if isinstance(p, Formula):
        return toss(rng._field.formula(p), rng._rng)
    return exactly(p, rng._rng)


def _probability(p: Any) -> float:
    """Return a probability as a float."""
    shape = getattr(p, "shape", ())
    if shape != ():
        raise ValueError(f"p must broadcast to shape (), got shape {shape}")
    try:
        found = float(p)
    except (TypeError, ValueError):
        found = -1.0
    if not 0 <= found <= 1:
        raise ValueError(f"p must be probabilities in [0, 1], got {p!r:.200}")
    return found


def pick(options: Sequence[T], rng: Randomness) -> T:
    """One of several options, all alike."""
    n = len(options)
    if n == 0:
        raise ValueError("options must not be empty, got none")
    if isinstance(rng, Sealed):
        rng = rng._rng
    if isinstance(rng, Paths):
        rng._trace.append(("uniform", ()))
        return options[rng._one_of(n)]
    return options[int(checked_source(rng).integers(0, n))]


def is_source(rng: object) -> bool:
    """Whether numbers can be drawn from something."""
    return isinstance(rng, (SystemRandom, *arrays().generators))


def checked_source(rng: Any) -> Source:
    """Return what numbers can be drawn from."""
    if not is_source(rng):
        raise no_source(rng)
    return rng


def no_source(rng: object) -> ValueError:
    """Return the error for what is no source of randomness; a seed makes one."""
    cure = ""
    is_seed = type(rng) is int and 0 <= rng < 2**64
    if is_seed:
        cure = f": np.random.default_rng({rng})"
    rule = "a numpy.random.Generator, a SystemRandom or a Paths"
    return ValueError(f"rng must be {rule}, got {type(rng).__name__}{cure}")


# ------------------------------------------------------------------------------ coins of exact odds


def fall(p: Formula, rng: Source) -> bool:
    """Toss one coin of a formula, with exactly the probability that it has for a number ε."""
    return one_of(coin_of(p, rng), rng) == 0


def exactly(p: Any, rng: Source | Paths) -> bool:
    """Toss one coin, of exactly the probability of a number."""
    if not isinstance(p, Real) or (isinstance(p, float) and not 0 <= float(p) <= 1):
        raise ValueError(f"p must be a probability in [0, 1], got {shown(p)}")
    if isinstance(p, Rational):
        q = Fraction(p)
    else:
        q = Fraction(float(p))
    part = int(q.numerator)  # plain, whatever the client's own numbers are
    whole = int(q.denominator)
    if whole < 1 or not 0 <= part <= whole:
        raise ValueError(f"p must be a probability in [0, 1], got {part}/{whole}")
    if isinstance(rng, Paths):
        return rng._part(part, whole)
    return one_of((part, whole - part), checked_source(rng)) == 0


def toss_each(coins: Sequence[Formula], rng: Randomness) -> tuple[bool, ...]:
    """Toss several coins whose probabilities are formulas."""
    if not isinstance(rng, Paths):
        source = checked_source(rng)
        return tuple(fall(coin, source) for coin in coins)
    rng._trace.append(("bernoulli", (len(coins),)))
    for coin in coins:
        coin_of(coin, rng)  # refuses what is no probability, before the first choice
    return tuple(rng._toss(coin) for coin in coins)


def one_of(weights: Sequence[Any], rng: Source) -> int:
    """Draw an index with odds that are integers (see `ldpnb.chance.weighted`)."""
    ends = list(accumulate(weights))
    edges = [(end << WORD) // ends[-1] for end in ends]
    word = int(rng.integers(0, 1 << WORD))
    found = bisect_right(edges, word)
    if found and edges[found - 1] == word:  # a boundary lies in the cell of the word
        return settle(word, ends, lambda: int(rng.integers(0, 1 << WORD)))
    return found


def settle(word: int, ends: Sequence[int], more: Callable[[], int]) -> int:
    """Index of the cell that holds a point.

    The first word of the point is known, and `more` draws the next ones.
    """
    point = word
    cells = 1 << WORD  # the point is in [point/cells, (point+1)/cells)
    while True:
        least = point * ends[-1] // cells
        most = -(-(point + 1) * ends[-1] // cells)
        first = bisect_right(ends, least)
        if first == bisect_left(ends, most):  # no end lies among the points that are possible
            return first
        point = (point << WORD) + more()
        cells <<= WORD
