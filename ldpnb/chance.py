"""All random choices of clients, so that the exact law of reports can be read off a client's code.

A client asks for biased coins (`bernoulli`; `packed_bernoulli` for very many), for one of several
options, all alike (`uniform`), or for a draw whose odds are whole numbers (`rational`,
`weighted`).  Which of these it calls, and for how many draws, can be counted and timed from
outside, so it must not depend on the value: a client draws what everybody draws, says which draws
are `used`, and throws the others away.  Hand it a `numpy.random.Generator` and it draws; a
`SystemRandom` and it draws from the operating system; a `Paths` and it is replayed along every
branch of its choices, each with its exact rational probability (`law`).

Computers do not own real numbers between 0 and 1: a coin of probability p falls heads with
probability ``ceil(p * 2**53) / 2**53``.  `law` reports that number, not p.  `round_down` and
`round_up` put a probability on this grid in the direction that protects the client, starting from
`odds`, a rational number just below e^ε.

What needs no arrays is in `ldpnb.exact`, and has its names here, too.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import ceil, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.arrays import form_of as form_of, layout as layout
from ldpnb.checks import check_count, check_probability, in_range
from ldpnb.exact import coins
from ldpnb.exact.coins import Sealed, fall, no_source, pick, sealed as sealed, settle, toss
from ldpnb.exact.distributions import Law, law
from ldpnb.exact.forms import PLAIN as PLAIN, form
from ldpnb.exact.formulas import Formula
from ldpnb.exact.outputs import Outputs, copied as copied, freeze
from ldpnb.exact.probabilities import (
    GRID,
    exact,
    inexact,
    log,
    log_down,
    log_up,
    odds,
    round_down,
    round_up,
    share,
)
from ldpnb.exact.questions import coin_of, weights_of
from ldpnb.exact.replay import DEPTH as DEPTH, LIMIT, Paths, TooManyBranches, branches, walk

__all__ = [
    "LIMIT",
    "Law",
    "Outputs",
    "Paths",
    "Randomness",
    "SystemRandom",
    "TooManyBranches",
    "bernoulli",
    "binomial",
    "branches",
    "distinct",
    "exact",
    "form",
    "freeze",
    "inexact",
    "law",
    "log",
    "log_down",
    "log_up",
    "odds",
    "packed_bernoulli",
    "pick",
    "rational",
    "round_down",
    "round_up",
    "scatter",
    "share",
    "toss",
    "uniform",
    "walk",
    "weighted",
]


COINS = 2**14  # drawn at a time, so that their floats, eight bytes each, stay in the cache
# words of 64 coins that are settled at a time; with fewer, calls cost more than random words
COIN_WORDS = 2**15
# digits for which all words are drawn; then about one word in five has an undecided coin
FULL_ROUNDS = 8


class SystemRandom(coins.SystemRandom):
    """The operating system's random words, for clients that protect real people.

    A pseudorandom generator is good enough for a simulation, but whoever learns its state undoes
    the perturbation.  And its state is copied: processes that fork, or are handed a pickled
    generator, toss the same coins.  Two people's reports then share their coins, and together tell
    more than each is allowed to.  The system's words have no state.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> GRR(k=3, epsilon=1.0).perturb([0, 1, 2], rng=SystemRandom()).shape
    (3,)
    """

    def _words(self, n: int) -> NDArray[np.uint64]:
        return np.frombuffer(os.urandom(8 * n), dtype=np.uint64)

    def random(self, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Uniform multiples of 2**-53 in [0, 1), an array of the given shape."""
        digits = self._words(prod(shape)) >> np.uint64(11)
        return np.ldexp(digits.astype(np.float64), -53).reshape(shape)

    def integers(self, low: int, high: ArrayLike, shape: tuple[int, ...] = ()) -> NDArray[np.int64]:
        """Uniform integers in [low, high), an array of the given shape; without modulo bias."""
        size = np.broadcast_to(np.asarray(high, np.uint64) - np.uint64(low), shape).reshape(-1)
        surplus = (np.uint64(2**64 - 1) % size + np.uint64(1)) % size  # 2**64 modulo size
        words = self._words(size.size).copy()
        again = np.flatnonzero(words < surplus)  # the words left are a whole multiple of size
        while again.size:
            words[again] = self._words(again.size)
            again = np.flatnonzero(words < surplus)
        return ((words % size).astype(np.int64) + low).reshape(shape)


Source = np.random.Generator | SystemRandom | Paths
Randomness = Source | Sealed


def _source(rng: object, *call: Any) -> Source:
    """Return a source of randomness, and note the call of a replay.

    Anything else is refused, and shapes that are none.
    """
    for shape in call[1:]:
        if not _is_shape(shape):
            raise ValueError(
                f"shape must be a tuple of integers that are not negative, got {shape!r:.60}"
            )
    if isinstance(rng, Paths):
        rng._trace.append(call)
        return rng
    if isinstance(rng, np.random.Generator | SystemRandom):
        return rng
    if isinstance(rng, coins.SystemRandom):  # of single numbers; none of them has a state
        return SystemRandom()
    raise no_source(rng)


def _is_shape(shape: Any) -> bool:
    if not isinstance(shape, tuple):
        return False
    return all(isinstance(n, int | np.integer) and n >= 0 for n in shape)


def _probabilities(p: ArrayLike) -> NDArray[np.float64]:
    try:
        found = np.asarray(p, np.float64)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if not in_range(found, 0, 1):
        raise ValueError(f"p must be probabilities in [0, 1], got {p!r:.200}")
    return found


def _spread(x: NDArray[Any], shape: tuple[int, ...], name: str) -> NDArray[Any]:
    try:  # never the other way round: a draw compared with several p would be one coin for all
        return np.broadcast_to(x, shape)
    except ValueError:
        raise ValueError(f"{name} must broadcast to shape {shape}, got shape {x.shape}") from None


def _one_by_one(
    draw: Any, kind: Any, shape: tuple[int, ...], used: Any = True, **each: Any
) -> NDArray[Any]:
    """Draw along a path, for each entry of arrays that are broadcast to a shape.

    It is 0 where a draw is not used.
    """
    are_used = [] if used is True else _entries(np.asarray(used), shape, "used")
    lists = [_entries(x, shape, name) for name, x in each.items()]  # one person's draws are few
    if used is True:
        drawn = [draw(*own) for own in zip(*lists, strict=True)]
    else:
        people = zip(are_used, *lists, strict=True)
        drawn = [draw(*own) if is_used else 0 for is_used, *own in people]
    return np.array(drawn, kind).reshape(shape).copy()  # no view: generators return none


def _entries(x: NDArray[Any], shape: tuple[int, ...], name: str) -> list[Any]:
    """Return the entries of an array that is broadcast to a shape."""
    if x.ndim == 0:
        return [x.item()] * prod(shape)
    if x.shape != shape:
        x = _spread(x, shape, name)
    entries: list[Any] = x.ravel().tolist()
    return entries


def _symbolic(p: Any) -> bool:
    """Whether there are formulas among probabilities."""
    if isinstance(p, np.ndarray):
        return p.dtype == np.object_ and any(isinstance(each, Formula) for each in p.flat)
    return isinstance(p, Formula)


# ------------------------------------------------------------------------------------------ draws


def _fall(p: Any, rng: Source) -> bool:
    """Toss one coin of an array that holds formulas, and perhaps numbers."""
    return fall(p, rng) if isinstance(p, Formula) else toss(p, rng)


def bernoulli(
    p: ArrayLike, shape: tuple[int, ...], rng: Randomness, *, used: ArrayLike = True
) -> NDArray[np.bool_]:
    """Coins that fall heads with probability p: exactly ``ceil(p * 2**53) / 2**53``.

    Parameters
    ----------
    p : array_like of float in [0, 1]
        Broadcast to `shape`.
    shape : tuple of int
    rng : Generator, SystemRandom or Paths
    used : array_like of bool
        Which coins matter, broadcast to `shape`.  The others are tossed all the same, so that
        nobody can count how many matter, and are tails; a `Paths` does not branch for them.

    Returns
    -------
    ndarray of bool, of the given shape

    Raises
    ------
    ValueError
        If a probability is not in [0, 1], p does not broadcast to `shape`, or `rng` is no source of
        randomness.
    """
    rng = _source(rng, "bernoulli", shape)
    symbolic = _symbolic(p)
    p = np.asarray(p, np.object_) if symbolic else _probabilities(p)
    if isinstance(rng, Paths):
        if symbolic:  # those that are not used as well: with numbers they are looked at, too
            for coin in p.flat:
                if isinstance(coin, Formula):
                    coin_of(coin, rng)
                else:
                    _probabilities(coin)
        return _one_by_one(rng._toss, np.bool_, shape, used, p=p)
    if symbolic:
        return _one_by_one(partial(_fall, rng=rng), np.bool_, shape, used, p=p)
    heads = _heads(p, shape, rng)
    return heads if used is True else heads & np.asarray(used, np.bool_)


def _heads(
    p: NDArray[np.float64], shape: tuple[int, ...], rng: np.random.Generator | SystemRandom
) -> NDArray[np.bool_]:
    """Toss coins with a generator; so many at a time that their numbers stay in the cache."""
    each = _spread(p, shape, "p")
    rows = max(1, COINS // max(1, prod(shape[1:])))
    if not shape or shape[0] <= rows:
        return np.asarray(rng.random(shape) < p)
    heads = np.empty(shape, np.bool_)
    for start in range(0, shape[0], rows):  # the numbers are those of a single call
        part = heads[start : start + rows]
        np.less(rng.random(part.shape), each[start : start + rows], out=part)
    return heads


def packed_bernoulli(
    p: float, shape: tuple[int, int], rng: Randomness, *, used: ArrayLike = True
) -> NDArray[np.uint8]:
    """Coins of one probability, eight to a byte.

    They have the law of `bernoulli`, and take about a seventh of its random words.

    Coins are uniform numbers of 53 binary digits compared with ``ceil(p * 2**53)``, from the first
    digit on.  Where the digits differ the coin is decided, so that two digits a coin are enough on
    average; 64 coins share a word of digits.

    Parameters
    ----------
    p : float in [0, 1]
    shape : (n, k)
    rng : Generator, SystemRandom or Paths
    used : array_like of bool
        Which coins matter, see `bernoulli`.

    Returns
    -------
    ndarray of uint8 (n, ⌈k/8⌉)
        Coin v of a row is bit v % 8 of byte v // 8 (numpy's bit order "little"); the bits left over
        are zero.

    Raises
    ------
    ValueError
        If p is not a probability, or `rng` is no source of randomness.
    """
    p = check_probability(p, "p")
    rng = _source(rng, "packed_bernoulli", shape)
    n, k = shape
    if isinstance(rng, Paths):
        return np.packbits(bernoulli(p, shape, rng, used=used), axis=1, bitorder="little")
    width = -(-k // 8)
    words = np.empty(-(-n * width // 8), "<u8")
    for start in range(0, len(words), COIN_WORDS):
        part = words[start : start + COIN_WORDS]
        part[:] = _coins(ceil(Fraction(p) * GRID), len(part), rng)
    bits = words.view(np.uint8)[: n * width].reshape(n, width)
    if k % 8:  # bits of no coin
        bits[:, -1] &= (1 << k % 8) - 1
    if used is not True:
        bits &= np.packbits(np.broadcast_to(used, shape), axis=1, bitorder="little")
    return bits


def _coins(threshold: int, n: int, rng: np.random.Generator | SystemRandom) -> NDArray[np.uint64]:
    """Draw 64 coins a word; a coin is heads if its number is below the threshold."""
    heads = np.zeros(n, np.uint64)
    undecided = np.full(n, 2**64 - 1, np.uint64)
    if threshold == GRID:
        return undecided
    at: Any = slice(None)  # the words that `undecided` is about
    digits = f"{threshold:053b}".rstrip("0")
    for place, digit in enumerate(digits):  # a number that agrees to the end is not below
        # a one in the word says that the coin's digit is the threshold's
        same = undecided & _words(undecided.size, rng)
        if digit == "1":
            heads[at] |= undecided ^ same
        undecided = same
        if place + 1 >= FULL_ROUNDS:
            left = np.flatnonzero(undecided)
            if not left.size:
                break
            at = left if isinstance(at, slice) else at[left]
            undecided = undecided[left]
    return heads


def _words(n: int, rng: np.random.Generator | SystemRandom) -> NDArray[np.uint64]:
    """Draw words of 64 random bits."""
    if isinstance(rng, SystemRandom):
        return rng._words(n)
    return rng.integers(0, 2**64, n, dtype=np.uint64)


def uniform(
    k: ArrayLike, shape: tuple[int, ...], rng: Randomness, *, used: ArrayLike = True
) -> NDArray[np.int64]:
    """Integers drawn from {0, …, k−1}, all alike and without modulo bias.

    Parameters
    ----------
    k : array_like of int in [1, 2**63)
        Broadcast to `shape`.
    shape : tuple of int
    rng : Generator, SystemRandom or Paths
    used : array_like of bool
        Which integers matter, see `bernoulli`; the others are 0.

    Returns
    -------
    ndarray of int64, of the given shape

    Raises
    ------
    ValueError
        If some k is not in range, k does not broadcast to `shape`, or `rng` is no source of
        randomness.
    """
    k = np.asarray(k)
    if k.dtype.kind not in "iu" or not in_range(k, 1, 2**63 - 1):
        raise ValueError(f"k must be integers in [1, 2**63), got {k}")
    rng = _source(rng, "uniform", shape)
    if isinstance(rng, Paths):
        return _one_by_one(rng._one_of, np.int64, shape, used, k=k)
    _spread(k, shape, "k")
    drawn = np.asarray(rng.integers(0, k, shape), np.int64)
    return drawn if used is True else np.where(used, drawn, 0)


def rational(
    part: ArrayLike, whole: ArrayLike, shape: tuple[int, ...], rng: Randomness
) -> NDArray[np.bool_]:
    """Coins that fall heads with probability part/whole, exactly.

    Parameters
    ----------
    part, whole : array_like of int, 0 <= part <= whole, 1 <= whole < 2**63
        Broadcast to `shape`.
    shape : tuple of int
    rng : Generator, SystemRandom or Paths

    Returns
    -------
    ndarray of bool, of the given shape

    Raises
    ------
    ValueError
        If a number is out of range or no integer, does not broadcast, or `rng` is no source of
        randomness.
    """
    part = np.asarray(part)
    whole = np.asarray(whole)
    are_integers = {part.dtype.kind, whole.dtype.kind} <= {"i", "u"}
    if not are_integers or not np.all((part >= 0) & (part <= whole) & (whole > 0)):
        raise ValueError(
            f"part must be integers in [0, whole], whole at least 1, got {part} of {whole}"
        )
    rng = _source(rng, "rational", shape)
    some = _spread(part, shape, "part")
    if isinstance(rng, Paths):
        return _one_by_one(rng._part, np.bool_, shape, part=part, whole=whole)
    return np.asarray(uniform(whole, shape, rng) < some)


def weighted(weights: Sequence[int], shape: tuple[int, ...], rng: Randomness) -> NDArray[np.int64]:
    """Draw indices with probabilities exactly proportional to integers, however large these are.

    A uniform point of [0, 1) is drawn word by word, until no boundary between two indices lies
    among the points that are left.  One word is enough but in one case out of 2**62 a boundary.

    Parameters
    ----------
    weights : sequence of int or Fraction
        Not negative, not all zero.
    shape : tuple of int
    rng : Generator, SystemRandom or Paths

    Returns
    -------
    ndarray of int64, of the given shape

    Raises
    ------
    ValueError
        If a weight is negative, or neither an integer nor a Fraction, all are zero, or `rng` is no
        source of randomness.
    """
    weights = _whole(weights)
    rng = _source(rng, "weighted", shape)
    if any(isinstance(w, Formula) for w in weights):
        weights = weights_of(weights, rng)
    if isinstance(rng, Paths):
        chosen = [rng._choose(weights) for _ in range(prod(shape))]
        return np.array(chosen, np.int64).reshape(shape)
    ends = list(accumulate(weights))
    total = sum(weights)
    edges = np.array([(end << coins.WORD) // total for end in ends])
    words = np.asarray(rng.integers(0, 1 << coins.WORD, shape), np.int64)
    found = np.asarray(np.searchsorted(edges, words, "right"), np.int64)
    # a boundary lies in the cell of the word, or at its lower end: `found` is past it, and the last
    # edge is no word
    for at in map(tuple, np.argwhere(edges[found - 1] == words)):
        found[at] = settle(int(words[at]), ends, lambda: int(rng.integers(0, 1 << coins.WORD, ())))
    return found


def _whole(weights: Sequence[Any]) -> tuple[Any, ...]:
    """Return weights as whole numbers, or as they are if there are formulas among them."""
    try:
        if any(isinstance(w, Formula) for w in weights):
            return tuple(weights)
        fractions = [_as_fraction(weight) for weight in weights]
    except TypeError:
        raise ValueError(f"weights must be integers or Fractions, got {weights!r}") from None
    if not any(fractions) or min(fractions) < 0:
        raise ValueError(f"weights must not be negative, and not all zero, got {weights!r}")
    bottom = lcm(*(w.denominator for w in fractions))
    return tuple(w.numerator * (bottom // w.denominator) for w in fractions)


def _as_fraction(weight: Any) -> Fraction:
    """Return a weight as a Fraction of plain integers, whatever the client's own numbers are."""
    if isinstance(weight, Fraction):
        return Fraction(int(weight.numerator), int(weight.denominator))
    return Fraction(operator.index(weight))


# ---------------------------------------------------------- counts of many draws, for simulations


def binomial(
    n: ArrayLike, p: ArrayLike, shape: tuple[int, ...], rng: Randomness
) -> NDArray[np.int64]:
    """Toss n coins of probability p each and count the heads; n and p are broadcast to `shape`."""
    n, rng = _simulated(n, rng)
    p = _probabilities(p)
    if isinstance(rng, Paths):
        return _one_by_one(rng._heads, np.int64, shape, n=n, p=p)
    _spread(n, shape, "n")
    _spread(p, shape, "p")
    return np.asarray(rng.binomial(n, p, shape), np.int64)


def distinct(
    total: NDArray[np.int64], count: NDArray[np.int64], width: int, rng: Randomness
) -> NDArray[np.int64]:
    """Draw sets: `count` of the integers below `total` for each person, all such sets alike.

    Floyd's sampling: to choose among 0, …, last with `last` chosen before or not, draw one; if
    taken, take `last`.

    Parameters
    ----------
    total, count : ndarray of int (n,)
        count <= total and count <= width.
    width : int
    rng : Generator, SystemRandom or Paths

    Returns
    -------
    ndarray of int64 (n, width)
        In no particular order, but not a uniform one; then −1.

    Notes
    -----
    For each of the `width` columns everybody draws a number, so that draws do not tell how many are
    wanted.
    """
    found = np.full((len(total), width), -1)
    most = int(total.max(initial=0))
    marked = None
    if most <= 8 * width:  # no larger than what is found
        marked = np.zeros((len(total), most), np.bool_)
    for column in range(width):
        last = total - count + column
        wanted = count > column
        drawn = uniform(last + 1, count.shape, rng, used=wanted)
        (on,) = wanted.nonzero()
        if not on.size:
            continue
        last = last[on]
        drawn = drawn[on]
        if marked is None:
            taken = np.any(found[on, :column] == drawn[:, None], axis=1)
        else:
            taken = marked[on, drawn]
        found[on, column] = np.where(taken, last, drawn)
        if marked is not None:
            marked[on, found[on, column]] = True
    return found


def scatter(n: ArrayLike, k: int, rng: Randomness) -> NDArray[np.int64]:
    """Throw n balls into k cells, all alike, and count: one axis more than n has, of length k."""
    n, rng = _simulated(n, rng)
    k = check_count(k, 1, "k", 2**53 - 1)
    if not isinstance(rng, Paths):
        return np.asarray(rng.multinomial(n, np.full(k, 1 / k)), np.int64)
    out = np.empty((*n.shape, k), np.int64)
    for at in np.ndindex(n.shape):
        left = int(n[at])
        for cell in range(k):
            out[(*at, cell)] = rng._heads(left, Fraction(1, k - cell))
            left -= int(out[(*at, cell)])
    return out


def _simulated(
    n: ArrayLike, rng: Randomness
) -> tuple[NDArray[np.int64], np.random.Generator | Paths]:
    n = np.asarray(n)
    rng = _source(rng)
    if n.dtype.kind not in "iu" or not np.all((n >= 0) & (n < 2**63)):
        raise ValueError(f"n must be non-negative integers, got {n}")
    if isinstance(rng, SystemRandom):
        raise ValueError(
            "rng must be a Generator or a Paths, since this simulates many draws, "
            "got a SystemRandom"
        )
    return n.astype(np.int64), rng
