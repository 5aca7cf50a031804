"""Every random choice a client makes goes through here, so that its exact law can be read off its own code.

A client asks for biased coins (`bernoulli`; `packed_bernoulli` for very many), for one of several options, all alike
(`uniform`), or for a draw whose odds are whole numbers (`rational`, `weighted`).
Which of these it calls, and for how many draws, can be counted and timed from outside, so it must not depend on the
value: a client draws what everybody draws, says which draws are `used`, and throws the others away.
Hand it a `numpy.random.Generator` and it draws; a `SystemRandom` and it draws from the operating system;
a `Paths` and it is replayed along every branch of its choices, each with its exact rational probability (`law`).

Computers do not own real numbers between 0 and 1: a coin of probability p falls heads with probability
``ceil(p * 2**53) / 2**53``.  `law` reports that number, not p.  `round_down` and `round_up` put a probability on
this grid in the direction that protects the client, starting from `odds`, a rational number just below e^ε.
"""

from __future__ import annotations

import operator
import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import deepcopy
from copyreg import dispatch_table
from dataclasses import fields, is_dataclass
from datetime import timedelta
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, partial
from io import BytesIO
from itertools import accumulate
from math import ceil, comb, copysign, floor, inf, lcm, nan, nextafter, prod
from numbers import Rational, Real
from pickle import PickleBuffer, Pickler
from pickletools import genops
from random import Random
from struct import pack, unpack
from types import BuiltinFunctionType, FunctionType
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.checks import check_count, check_probability, in_range, shown
from ldpnb.formula import (
    Budget,
    Field,
    Formula,
    Symbol,
    coin_of,
    exactly,
    exactly_of,
    inexactly,
    log_of,
    odds_of,
    possible,
    rounded,
    same_weights,
    share_of,
    weights_of,
)

WORD = 62  # bits of a draw of `weighted`, so that the number of words is an int64
GRID = 2**53  # a uniform float of numpy's is one of the 2**53 multiples of 1 / GRID below 1
PLAIN = {int, bool, str, bytes, type(None)}  # equal only if they are the same
USUAL = {*PLAIN, float, list, tuple, set, frozenset, dict}  # types of most reports
NUMBERS = {int, bool, float, complex, Fraction, Decimal, timedelta}
SCALARS = {*np.sctypeDict.values(), np.record}  # numpy's own
BY_NAME = {type, FunctionType, BuiltinFunctionType}  # sent by their names
SENT = {  # what a receiver sees of an array, beside its contents
    True: "that may be written to",
    False: "that may not be written to",
    None: "with gaps between its entries",
}
ORDERS = {(False,): "of rows first", (True,): "of columns first"}
MAY_BE = "whether it may be written to, and the order of its axes"
SAID = {  # what codes of pickle say
    "NEWTRUE": "True",
    "NEWFALSE": "False",
    "EMPTY_LIST": "a list",
    "EMPTY_DICT": "a dict",
    "EMPTY_SET": "a set",
}
FOLLOWS = "that follows from how it was made"
PROTOCOLS = (4, 5)  # of pickle, that the Pythons from 3.11 on use if nobody names another
LARGEST = 16 * 2**20  # bytes of a report
LIMIT = 200_000  # branches; a program of this size takes seconds
COINS = 2**14  # drawn at a time, so that their floats, eight bytes each, stay in the cache
COIN_WORDS = 2**15  # words of 64 coins settled at a time; of fewer, calls would cost more than random words
FULL_ROUNDS = 8  # digits for which all words are drawn; then about one word in five has an undecided coin
PATIENCE = 200  # branches walked before asking whether there are far too many
PROBES = 400  # branches looked at to answer that
DEPTH = 500  # choices in one branch; more are a loop that need not end
STRAY = "the program did not repeat itself"

NO_GENERATOR = (
    "Paths has no {!r}: a client whose law is to be read off draws through ldpnb.chance (bernoulli, uniform, toss, "
    "pick), not from the generator itself, and does not ask what kind of generator it has"
)

Law = dict[Hashable, Fraction]
T = TypeVar("T")


class TooManyBranches(ValueError):
    """A program has more branches, or longer ones, than `law` may walk."""


class SystemRandom:
    """The operating system's random words, for clients that protect real people.

    A pseudorandom generator is good enough for a simulation, but whoever learns its state undoes the perturbation.
    And its state is copied: processes that fork, or are handed a pickled generator, toss the same coins.  Two people's
    reports then share their coins, and together tell more than each is allowed to.  The system's words have no state.

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
        return np.ldexp((self._words(prod(shape)) >> np.uint64(11)).astype(np.float64), -53).reshape(shape)

    def integers(self, low: int, high: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Uniform integers in [low, high), an array of the given shape; without modulo bias."""
        size = np.broadcast_to(np.asarray(high, np.uint64) - np.uint64(low), shape).reshape(-1)
        surplus = (np.uint64(2**64 - 1) % size + np.uint64(1)) % size  # 2**64 modulo size
        words = self._words(size.size).copy()
        while (again := np.flatnonzero(words < surplus)).size:  # the words left are a whole multiple of size
            words[again] = self._words(again.size)
        return ((words % size).astype(np.int64) + low).reshape(shape)


class Paths:
    """Stands in for the generator: replays a program along one branch of its random choices.

    `law`, `branches` and `walk` make and feed these; a program only passes them on to the functions of this module.
    While it runs, nothing can be read off them; that is remembered, and the program is refused.

    Attributes
    ----------
    taken : list of (int, tuple)
        Choices so far: the option taken, and the weights of all.
    trace : list of tuple
        Calls so far: name of the function and shape asked for, draws that are thrown away included.  It is what
        somebody learns who can count a client's draws.
    probability : Fraction
        Of the branch.
    odds : tuple
        Numerator and denominator of it, not in lowest terms.
    """

    _public = ("taken", "trace", "probability", "odds")

    def __init__(
        self,
        script: Sequence[tuple[int, tuple[int, ...]]] = (),
        limit: int = LIMIT,
        probe: Random | None = None,
        *,
        ideal: bool = False,
    ) -> None:
        self._script, self._limit, self._probe, self._ideal = script, limit, probe, ideal
        self._taken: list[tuple[int, tuple[Any, ...]]] = []
        self._trace: list[tuple[Any, ...]] = []
        self._refused: Exception | None = None
        self._over = False
        self._field: Field | None = None  # of the formulas that it takes for coins

    def _refuse(self, error: Exception) -> NoReturn:
        """Raise an error that a client would not see with a generator, and remember it: the client may catch it."""
        self._refused = error if self._refused is None else self._refused
        raise error

    def _admit(self, options: int) -> None:
        """Refuse a choice that is too wide, before its weights are written down."""
        if options > self._limit:
            many = f"one choice among {options} options, more than limit = {self._limit} branches"
            self._refuse(TooManyBranches(many))

    def _choose(self, weights: tuple[Any, ...]) -> int:
        """Index of an option; the options have probabilities proportional to these integers."""
        self._admit(len(weights))
        at = len(self._taken)
        if at >= DEPTH:
            long = f"one branch of more than {DEPTH} choices: bound the loops of the program"
            self._refuse(TooManyBranches(long))
        if at < len(self._script):
            option, before = self._script[at]
            if before is not weights and not same_weights(before, weights):
                self._refuse(ValueError(f"{STRAY}: after the same choices another one came"))
        elif self._probe:
            option = self._probe.choice([i for i, w in enumerate(weights) if possible(w)])
        else:
            option = 0 if weights[0].__class__ is int and weights[0] else _next(weights, 0)
        self._taken.append((option, weights))
        return option

    def _toss(self, p: Any) -> bool:
        """One coin: of probability ``ceil(p * 2**53) / 2**53``, or exactly p if that is a formula.

        Where coins are ideal, a Fraction is the probability itself.
        """
        if isinstance(p, Formula):
            return self._choose(coin_of(p, self)) == 0
        if self._ideal and isinstance(p, Fraction):
            return self._part(p.numerator, p.denominator)
        return self._part(ceil(float(p) * GRID), GRID)  # exact: a float times a power of two

    def _part(self, part: int, whole: int) -> bool:
        """One coin of probability part/whole."""
        return self._choose((part, whole - part)) == 0 if 0 < part < whole else part > 0

    def _one_of(self, options: int) -> int:
        """Index of one of so many options, all alike."""
        self._admit(options)
        return self._choose(_alike(options)) if options > 1 else 0

    def _heads(self, n: int, p: Any) -> int:
        """How many of n coins of probability p, exactly, fall heads."""
        p = Fraction(p)
        if n == 0 or p in (0, 1):
            return int(n * p)
        self._admit(n + 1)
        up, down = p.numerator, p.denominator - p.numerator
        return self._choose(tuple(comb(n, i) * up**i * down ** (n - i) for i in range(n + 1)))

    @property
    def _probability(self) -> Fraction:
        return Fraction(*self._odds)

    @property
    def _odds(self) -> tuple[Any, Any]:
        return prod([w[option] for option, w in self._taken]), prod([sum(w) for _, w in self._taken])

    def _closed(self, *_: Any) -> Any:
        self._refuse(TypeError("a source of randomness cannot be copied or sent where it is a branch of a replay"))

    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = _closed

    def __getattr__(self, name: str) -> Any:
        if name in self._public and self._over:
            return getattr(self, f"_{name}")
        error = AttributeError(NO_GENERATOR.format(name))
        if name.startswith("__"):  # as copying does
            raise error
        self._refuse(error)


@lru_cache(1024)
def _alike(options: int) -> tuple[int, ...]:
    return (1,) * options


Source = np.random.Generator | SystemRandom | Paths


class Sealed:
    """A source of randomness for `toss` and `pick` alone, which does not show what it is.

    So a client that is handed it cannot see whether it is replayed.
    """

    __slots__ = ("_field", "_rng")
    _rng: Source
    _field: Field

    def __init__(self) -> None:
        raise TypeError("a sealed source of randomness is handed to a client; nobody else makes one")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"rng has no {name!r}: draw by toss(p, rng), pick(options, rng) or items.pick(rng)")

    def _closed(self, *_: Any) -> Any:
        raise TypeError("a source of randomness cannot be copied or sent")

    __reduce__ = __reduce_ex__ = __getstate__ = _closed


def sealed(rng: Source, field: Field) -> Sealed:
    """Seal a source of randomness, for coins whose probabilities are numbers or formulas of a field."""
    found = object.__new__(Sealed)
    found._rng, found._field = rng, field
    return found


Randomness = Source | Sealed


def _source(rng: object, *call: Any) -> Source:
    """Return a source of randomness, and note the call of a replay; refuse anything else, and shapes that are none."""
    for shape in call[1:]:
        if not isinstance(shape, tuple) or not all(isinstance(n, int | np.integer) and n >= 0 for n in shape):
            raise ValueError(f"shape must be a tuple of integers that are not negative, got {shape!r:.60}")
    if isinstance(rng, Paths):
        rng._trace.append(call)
    elif not isinstance(rng, np.random.Generator | SystemRandom):
        cure = f": np.random.default_rng({rng})" if type(rng) is int and 0 <= rng < 2**64 else ""
        rule = "a numpy.random.Generator, a SystemRandom or a Paths"
        raise ValueError(f"rng must be {rule}, got {type(rng).__name__}{cure}")
    return rng


def _next(weights: Sequence[Any], start: int) -> Any:
    """Index of the first option, from `start` on, that is ever taken."""
    return next((i for i in range(start, len(weights)) if possible(weights[i])), None)


def exact(x: Any) -> Fraction:
    """Return a number as a Fraction; a formula, which stands in for one, as it is."""
    if isinstance(x, Budget):
        return exactly(x)  # type: ignore[return-value]
    return exactly_of(x) if isinstance(x, Formula) else Fraction(x)  # type: ignore[return-value]


def inexact(x: Any) -> float:
    """Return a number as a float; a formula, which stands in for one, as it is."""
    return inexactly(x) if isinstance(x, Formula) else float(x)  # type: ignore[return-value]


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


def _one_by_one(draw: Any, kind: Any, shape: tuple[int, ...], used: Any = True, **each: Any) -> NDArray[Any]:
    """Draw along a path, for each entry of arrays that are broadcast to a shape; 0 where it is not used."""
    each = each if used is True else {"used": np.asarray(used), **each}
    lists = [  # one person's draws are few, and all of this is done for each branch
        (x if x.shape == shape else _spread(x, shape, name)).ravel().tolist() if x.ndim else [x.item()] * prod(shape)
        for name, x in each.items()
    ]
    drawn = map(draw, *lists) if used is True else (draw(*own) if on else 0 for on, *own in zip(*lists, strict=True))
    return np.array(list(drawn), kind).reshape(shape).copy()  # no view: generators return none


def _symbolic(p: Any) -> bool:
    """Whether there are formulas among probabilities."""
    if isinstance(p, np.ndarray):
        return p.dtype == np.object_ and any(isinstance(each, Formula) for each in p.flat)
    return isinstance(p, Formula)


def _fall(p: Any, rng: Source) -> bool:
    """Toss one coin, with exactly the probability that a formula has where a number stands for ε."""
    if not isinstance(p, Formula):
        return toss(p, rng)
    return bool(weighted(coin_of(p, rng), (), rng) == 0)


def _exactly(p: Any, rng: Source) -> bool:
    """Toss one coin, of exactly the probability of a number."""
    if not isinstance(p, Real) or (isinstance(p, float) and not 0 <= float(p) <= 1):
        raise ValueError(f"p must be a probability in [0, 1], got {shown(p)}")
    q = Fraction(p) if isinstance(p, Rational) else Fraction(float(p))
    part, whole = int(q.numerator), int(q.denominator)  # plain, whatever the client's own numbers are
    if whole < 1 or not 0 <= part <= whole:
        raise ValueError(f"p must be a probability in [0, 1], got {part}/{whole}")
    if isinstance(rng, Paths):
        return bool(rng._part(part, whole))
    return bool(weighted((part, whole - part), (), rng) == 0)


# ---------------------------------------------------------------------------------------------------- draws


def bernoulli(p: ArrayLike, shape: tuple[int, ...], rng: Randomness, *, used: ArrayLike = True) -> NDArray[np.bool_]:
    """Coins that fall heads with probability p: exactly ``ceil(p * 2**53) / 2**53``.

    Parameters
    ----------
    p : array_like of float in [0, 1]
        Broadcast to `shape`.
    shape : tuple of int
    rng : Generator, SystemRandom or Paths
    used : array_like of bool
        Which coins matter, broadcast to `shape`.  The others are tossed all the same, so that nobody can count how many
        matter, and are tails; a `Paths` does not branch for them.

    Returns
    -------
    ndarray of bool, of the given shape

    Raises
    ------
    ValueError
        If a probability is not in [0, 1], p does not broadcast to `shape`, or `rng` is no source of randomness.
    """
    rng = _source(rng, "bernoulli", shape)
    symbolic = _symbolic(p)
    p = np.asarray(p, np.object_) if symbolic else _probabilities(p)
    if isinstance(rng, Paths):
        if symbolic:  # those that are not used as well: with numbers they are looked at, too
            for coin in p.flat:
                coin_of(coin, rng) if isinstance(coin, Formula) else _probabilities(coin)
        return _one_by_one(rng._toss, np.bool_, shape, used, p=p)
    if symbolic:
        return _one_by_one(partial(_fall, rng=rng), np.bool_, shape, used, p=p)
    heads = _heads(p, shape, rng)
    return heads if used is True else heads & np.asarray(used, np.bool_)


def _heads(
    p: NDArray[np.float64], shape: tuple[int, ...], rng: np.random.Generator | SystemRandom
) -> NDArray[np.bool_]:
    """Toss coins with a generator; so many at a time that their numbers stay in the cache."""
    each, rows = _spread(p, shape, "p"), max(1, COINS // max(1, prod(shape[1:])))
    if not shape or shape[0] <= rows:
        return np.asarray(rng.random(shape) < p)
    heads = np.empty(shape, np.bool_)
    for start in range(0, shape[0], rows):  # the numbers are those of a single call
        part = heads[start : start + rows]
        np.less(rng.random(part.shape), each[start : start + rows], out=part)
    return heads


def packed_bernoulli(p: float, shape: tuple[int, int], rng: Randomness, *, used: ArrayLike = True) -> NDArray[np.uint8]:
    """Coins of one probability, eight to a byte: the law of `bernoulli`, at about a seventh of the random words.

    Coins are uniform numbers of 53 binary digits compared with ``ceil(p * 2**53)``, from the first digit on.  Where the
    digits differ the coin is decided, so that two digits a coin are enough on average; 64 coins share a word of digits.

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
        Coin v of a row is bit v % 8 of byte v // 8 (numpy's bit order "little"); the bits left over are zero.

    Raises
    ------
    ValueError
        If p is not a probability, or `rng` is no source of randomness.
    """
    p, rng, (n, k) = check_probability(p, "p"), _source(rng, "packed_bernoulli", shape), shape
    if isinstance(rng, Paths):
        return np.packbits(bernoulli(p, shape, rng, used=used), axis=1, bitorder="little")
    width = -(-k // 8)
    words = np.empty(-(-n * width // 8), "<u8")
    for start in range(0, len(words), COIN_WORDS):
        part = words[start : start + COIN_WORDS]
        part[:] = _coins(ceil(Fraction(p) * GRID), len(part), rng)
    bits = words.view(np.uint8)[: n * width].reshape(n, width)
    if k % 8:
        bits[:, -1] &= (1 << k % 8) - 1
    if used is not True:
        bits &= np.packbits(np.broadcast_to(used, shape), axis=1, bitorder="little")
    return bits


def _coins(threshold: int, n: int, rng: np.random.Generator | SystemRandom) -> NDArray[np.uint64]:
    """Draw 64 coins a word; a coin is heads if its number is below the threshold."""
    heads, undecided = np.zeros(n, np.uint64), np.full(n, 2**64 - 1, np.uint64)
    if threshold == GRID:
        return undecided
    at: Any = slice(None)  # the words that `undecided` is about
    for place, digit in enumerate(f"{threshold:053b}".rstrip("0")):  # who agrees to the end is not below
        same = undecided & _words(undecided.size, rng)  # a one in the word: the digit is the threshold's
        if digit == "1":
            heads[at] |= undecided ^ same
        undecided = same
        if place + 1 >= FULL_ROUNDS:
            left = np.flatnonzero(undecided)
            if not left.size:
                break
            at, undecided = left if isinstance(at, slice) else at[left], undecided[left]
    return heads


def _words(n: int, rng: np.random.Generator | SystemRandom) -> NDArray[np.uint64]:
    return rng._words(n) if isinstance(rng, SystemRandom) else rng.integers(0, 2**64, n, dtype=np.uint64)


def uniform(k: ArrayLike, shape: tuple[int, ...], rng: Randomness, *, used: ArrayLike = True) -> NDArray[np.int64]:
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
        If some k is not in range, k does not broadcast to `shape`, or `rng` is no source of randomness.
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


def rational(part: ArrayLike, whole: ArrayLike, shape: tuple[int, ...], rng: Randomness) -> NDArray[np.bool_]:
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
        If a number is out of range or no integer, does not broadcast, or `rng` is no source of randomness.
    """
    part, whole = np.asarray(part), np.asarray(whole)
    if not {part.dtype.kind, whole.dtype.kind} <= {"i", "u"} or not np.all((part >= 0) & (part <= whole) & (whole > 0)):
        raise ValueError(f"part must be integers in [0, whole], whole at least 1, got {part} of {whole}")
    rng = _source(rng, "rational", shape)
    some = _spread(part, shape, "part")
    if isinstance(rng, Paths):
        return _one_by_one(rng._part, np.bool_, shape, part=part, whole=whole)
    return np.asarray(uniform(whole, shape, rng) < some)


def weighted(weights: Sequence[int], shape: tuple[int, ...], rng: Randomness) -> NDArray[np.int64]:
    """Draw indices with probabilities exactly proportional to integers, however large these are.

    A uniform point of [0, 1) is drawn word by word, until no boundary between two indices lies among the points that
    are left.  One word is enough but in one case out of 2**62 a boundary.

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
        If a weight is negative, or neither an integer nor a Fraction, all are zero, or `rng` is no source of
        randomness.
    """
    weights, rng = _whole(weights), _source(rng, "weighted", shape)
    if any(isinstance(w, Formula) for w in weights):
        weights = weights_of(weights, rng)
    if isinstance(rng, Paths):
        return np.array([rng._choose(weights) for _ in range(prod(shape))], np.int64).reshape(shape)
    ends, total = list(accumulate(weights)), sum(weights)
    edges = np.array([(end << WORD) // total for end in ends])
    words = np.asarray(rng.integers(0, 1 << WORD, shape), np.int64)
    found = np.asarray(np.searchsorted(edges, words, "right"), np.int64)
    # where a boundary lies in the cell of the word, or at its lower end: `found` is past it, and the last edge no word
    for at in map(tuple, np.argwhere(edges[found - 1] == words)):
        found[at] = _settle(int(words[at]), ends, lambda: int(rng.integers(0, 1 << WORD, ())))
    return found


def _whole(weights: Sequence[Any]) -> tuple[Any, ...]:
    """Return weights as whole numbers, or as they are if there are formulas among them."""
    try:
        if any(isinstance(w, Formula) for w in weights):
            return tuple(weights)
        fractions = [  # of plain integers, whatever the client's own numbers are
            Fraction(int(w.numerator), int(w.denominator)) if isinstance(w, Fraction) else Fraction(operator.index(w))
            for w in weights
        ]
    except TypeError:
        raise ValueError(f"weights must be integers or Fractions, got {weights!r}") from None
    if not any(fractions) or min(fractions) < 0:
        raise ValueError(f"weights must not be negative, and not all zero, got {weights!r}")
    bottom = lcm(*(w.denominator for w in fractions))
    return tuple(w.numerator * (bottom // w.denominator) for w in fractions)


def _settle(word: int, ends: Sequence[int], more: Callable[[], int]) -> int:
    """Index of the cell that holds a point of which the first word is known and `more` draws the next ones."""
    point, cells = word, 1 << WORD  # the point is in [point/cells, (point+1)/cells)
    while True:
        first = bisect_right(ends, point * ends[-1] // cells)  # ends at or below the least possible point
        if first == bisect_left(ends, -(-(point + 1) * ends[-1] // cells)):  # as many as below the largest
            return first
        point, cells = (point << WORD) + more(), cells << WORD


def toss(p: float | Fraction | Formula, rng: Randomness) -> bool:
    """One coin: True with probability p (see `bernoulli`)."""
    if isinstance(rng, Sealed):
        source = rng._rng
        return bool(bernoulli(rng._field.formula(p), (), source)) if isinstance(p, Formula) else _exactly(p, source)
    if isinstance(p, Fraction):
        if isinstance(rng, Paths) and rng._ideal:
            return _exactly(p, _source(rng, "bernoulli", ()))
        p = float(p)
    if isinstance(p, float):
        p = float(p)  # once, of a float that has a class of its own
    if isinstance(rng, np.random.Generator | Paths) and isinstance(p, float) and 0 <= p <= 1:  # without arrays
        if isinstance(rng, Paths):
            rng._trace.append(("bernoulli", ()))
        return rng._toss(p) if isinstance(rng, Paths) else bool(rng.random() < p)
    return bool(bernoulli(p, (), rng))


def pick(options: Sequence[T], rng: Randomness) -> T:
    """One of several options, all alike."""
    n = len(options)
    if n == 0:
        raise ValueError("options must not be empty, got none")
    if isinstance(rng, Sealed):
        rng = rng._rng
    if isinstance(rng, np.random.Generator):
        return options[int(rng.integers(n))]
    if isinstance(rng, Paths):
        rng._trace.append(("uniform", ()))
        return options[rng._one_of(n)]
    return options[int(uniform(n, (), rng))]


# ---------------------------------------------------------------------- counts of many draws, for simulations


def binomial(n: ArrayLike, p: ArrayLike, shape: tuple[int, ...], rng: Randomness) -> NDArray[np.int64]:
    """Toss n coins of probability p each and count the heads; n and p are broadcast to `shape`."""
    (n, rng), p = _simulated(n, rng), _probabilities(p)
    if isinstance(rng, Paths):
        return _one_by_one(rng._heads, np.int64, shape, n=n, p=p)
    _spread(n, shape, "n")
    _spread(p, shape, "p")
    return np.asarray(rng.binomial(n, p, shape), np.int64)


def distinct(total: NDArray[np.int64], count: NDArray[np.int64], width: int, rng: Randomness) -> NDArray[np.int64]:
    """Draw sets: `count` of the integers below `total` for each person, all such sets alike.

    Floyd's sampling: to choose among 0, …, last with `last` chosen before or not, draw one; if taken, take `last`.

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
    For each of the `width` columns everybody draws a number, so that draws do not tell how many are wanted.
    """
    found, most = np.full((len(total), width), -1), int(total.max(initial=0))
    marked = np.zeros((len(total), most), np.bool_) if most <= 8 * width else None  # no larger than what is found
    for column in range(width):
        last, wanted = total - count + column, count > column
        drawn, (on,) = uniform(last + 1, count.shape, rng, used=wanted), wanted.nonzero()
        if not on.size:
            continue
        last, drawn = last[on], drawn[on]
        taken = np.any(found[on, :column] == drawn[:, None], axis=1) if marked is None else marked[on, drawn]
        found[on, column] = np.where(taken, last, drawn)
        if marked is not None:
            marked[on, found[on, column]] = True
    return found


def scatter(n: ArrayLike, k: int, rng: Randomness) -> NDArray[np.int64]:
    """Throw n balls into k cells, all alike, and count: one axis more than n has, of length k."""
    (n, rng), k = _simulated(n, rng), check_count(k, 1, "k", 2**53 - 1)
    if not isinstance(rng, Paths):
        return np.asarray(rng.multinomial(n, np.full(k, 1 / k)), np.int64)
    out = np.empty((*n.shape, k), np.int64)
    for at in np.ndindex(n.shape):
        left = int(n[at])
        for cell in range(k):
            out[(*at, cell)] = rng._heads(left, Fraction(1, k - cell))
            left -= int(out[(*at, cell)])
    return out


def _simulated(n: ArrayLike, rng: Randomness) -> tuple[NDArray[np.int64], np.random.Generator | Paths]:
    n, rng = np.asarray(n), _source(rng)
    if n.dtype.kind not in "iu" or not np.all((n >= 0) & (n < 2**63)):
        raise ValueError(f"n must be non-negative integers, got {n}")
    if isinstance(rng, SystemRandom):
        raise ValueError("rng must be a Generator or a Paths, since this simulates many draws, got a SystemRandom")
    return n.astype(np.int64), rng


# ------------------------------------------------------------------------------------------------- exact laws


def branches(program: Callable[[Paths], T], *, limit: int = LIMIT) -> Iterator[tuple[Fraction, T]]:
    """Every branch of a program: its probability and what the program returns there (see `walk`)."""
    return ((paths._probability, result) for paths, result in walk(program, limit=limit))


def walk(program: Callable[[Paths], T], *, limit: int = LIMIT, ideal: bool = False) -> Iterator[tuple[Paths, T]]:
    """Every branch of a program: the choices taken and what the program returns there.

    Parameters
    ----------
    program : callable
        Takes the source of randomness; must draw through this module only and be a function of those draws.
    limit : int
        Branches to walk at most.
    ideal : bool
        Whether a coin whose probability is a Fraction has exactly this probability, and not the float's next to it.

    Raises
    ------
    TooManyBranches
        If there are more.
    ValueError
        If the program does not repeat itself when its choices are repeated.
    """
    script: list[tuple[int, tuple[int, ...]]] = []
    for walked in range(limit):
        if walked == PATIENCE and _hopeless(program, limit):
            break
        paths = Paths(script, limit, ideal=ideal)
        result = program(paths)
        if paths._refused is not None:
            raise ValueError(str(paths._refused)) if isinstance(paths._refused, AttributeError) else paths._refused
        if len(paths._taken) < len(script):
            raise ValueError(f"{STRAY}: after the same choices it came to an end")
        if not walked:
            _repeats(program, paths._taken, result, partial(Paths, (), limit, ideal=ideal))
        paths._over = True
        yield paths, result
        script = list(paths._taken)
        while script:
            option, weights = script.pop()
            if (later := _next(weights, option + 1)) is not None:
                script.append((later, weights))
                break
        if not script:
            return
    raise TooManyBranches(
        f"more than limit = {limit} branches: use a smaller domain, fewer people or scaled-down public randomness, "
        "or check samples instead"
    )


def _hopeless(program: Callable[[Paths], Any], limit: int) -> bool:
    """Whether the branches are so many that walking on is a waste of time.

    A probe takes every turn with equal probability; it ends in a branch that has b options along the way with
    probability 1/b, so that b is N, the number of branches, on average (Knuth 1975).  If N <= limit, the product of
    b/limit over more and more probes ever comes above c with a probability of at most 1/c (Ville), here 10**12.
    """
    dice, product = Random(0), Fraction(1)
    for _ in range(PROBES):
        paths = Paths((), limit, dice)
        program(paths)
        product *= Fraction(prod(sum(map(possible, weights)) for _, weights in paths._taken), limit)
        if not 10**-6 < product <= 10**12:
            break
    return product > 10**12


def _repeats(program: Callable[[Paths], Any], taken: list[Any], result: Any, fresh: Callable[[], Paths]) -> None:
    """Refuse a program whose first branch is another one when it is walked again: more often, if it has no choices."""

    def again() -> Any:
        paths = fresh()
        told = _told(program(paths))
        return paths._taken, told

    first = taken, _told(result)
    for _ in range(2 if taken else 32):
        if not _alike_runs(again(), first):
            why = "some of its randomness does not come from chance, or it counts its calls"
            settled = again()
            if all(_alike_runs(again(), settled) for _ in range(20)):
                why = "it keeps a state from one call to the next"
            raise ValueError(f"{STRAY}: {why}")


def _alike_runs(one: tuple[list[Any], Any], other: tuple[list[Any], Any]) -> bool:
    """Whether two runs took the same choices, with the same weights, to the same result."""
    (taken, told), (others, wanted) = one, other
    if told != wanted or len(taken) != len(others):
        return False
    return all(i == j and same_weights(v, w) for (i, v), (j, w) in zip(taken, others, strict=True))


def _told(result: Any) -> Any:
    try:
        own = form(result)  # before `freeze`, which does not see where it ends
        freeze(result)
        return own
    except _Large:
        raise
    except ValueError:  # where outputs are wanted, it says so
        return None


def law(program: Callable[[Paths], Any], *, limit: int = LIMIT, outputs: Outputs | None = None) -> Law:
    """Exact law of a program: each possible output with its probability, a `fractions.Fraction`.

    Arrays, lists and structured values come back as nested tuples, so that outputs can be compared and looked up.
    Outputs that are the same then, and of which a receiver gets something else (`form`), such as
    True and 1 or a set in two orders, are refused.

    Parameters
    ----------
    program, limit
        As for `walk`; errors, too.
    outputs : Outputs, optional
        Of other programs, from which those of this one must not differ in form alone.

    Examples
    --------
    >>> law(lambda rng: toss(0.75, rng) + toss(0.75, rng))
    {2: Fraction(9, 16), 1: Fraction(3, 8), 0: Fraction(1, 16)}
    """
    found: dict[Hashable, dict[int, int]] = {}  # parts of a probability by their denominators, which are few
    outputs = Outputs() if outputs is None else outputs
    for paths, result in walk(program, limit=limit):
        parts, (part, whole) = found.setdefault(outputs.key(result), {}), paths._odds
        parts[whole] = parts.get(whole, 0) + part
    summed = {key: sum((Fraction(p, whole) for whole, p in parts.items()), Fraction(0)) for key, parts in found.items()}
    if len(summed) < len(found):  # keys have become equal, and some of the probability is lost
        raise ValueError(
            "a program must return reports that stay as they are, got some that changed after they "
            "were returned: return a new object each time, or plain values"
        )
    return summed


class Outputs:
    """Outputs of programs as keys that can be looked up, each of them in one form only."""

    def __init__(self) -> None:
        self._forms = dict[Hashable, tuple[Hashable, type]]()  # by keys
        self._keys = dict[Hashable, Hashable]()  # by forms

    def key(self, value: Any) -> Hashable:
        """Return `freeze` of an output; refuse one that came before in another `form`."""
        own, plain = _form(value)
        if type(own) is tuple and own in self._keys:  # a plain value, of which the form tells all
            return self._keys[own]
        key = freeze(value if plain else copied(value))  # the program may fill it anew
        first, kind = self._forms.setdefault(key, (own, type(value)))
        if first != own:
            one, other = kind.__name__, type(value).__name__
            if kind is type(value):
                one, other = _apart(first, own)
            elif one == other:
                one, other = f"{kind.__module__}.{one}", f"{type(value).__module__}.{other}"
            raise ValueError(
                f"a program must return equal outputs in one form, got {shown(value)} twice, "
                f"as {one} and as {other}, which a receiver can tell apart: "
                f"{_cure(value, kind, first, own)}"
            )
        before = self._keys.setdefault(own, key)
        if before is not key and before != key:
            raise ValueError(
                f"a program must return outputs that equal their own copies, got {shown(value)} "
                "twice, not equal to itself: return plain values, such as numbers and tuples, "
                f"in place of a {_culprit(value).__name__}"
            )
        return before


def copied(value: Any) -> Any:
    """Return a copy of an output, or say why there is none."""
    try:
        return deepcopy(value)
    except RecursionError:
        _refuse_deep(value)
    except Exception as error:
        raise ValueError(
            f"a program must return what can be copied, got {type(value).__name__}, of which "
            f"copying says: {error}; return plain values, such as numbers and tuples"
        ) from None


MOST_DTYPES = 64  # of which the forms are kept
_OF_FIELDS = dict[Hashable, bytes]()


class _TooLarge(Exception):
    """More is sent than a report may hold."""


class _Stream(BytesIO):
    """Takes what is sent, up to a limit: parts that are one object are many, once sent apart."""

    def write(self, some: Any) -> int:
        written = super().write(some)
        if self.tell() > LARGEST:
            raise _TooLarge
        return written


def _admit_size(size: int) -> None:
    if size > LARGEST:
        raise _TooLarge


class _Sender(Pickler):
    """Writes down what `pickle` would send, each part as often as it comes.

    Which parts are one object is left in the process.
    """

    plain = True  # so far, nothing but values of Python's and numpy's types, which stay as they are
    arrays = False

    def persistent_id(self, part: Any) -> None:
        """Look at all parts, however deep, and give none a name."""
        if isinstance(part, set | frozenset) and len(part) > 1:
            _refuse_seeded(part)

    def reducer_override(self, part: Any) -> Any:
        """Look at all that is not of Python's own types."""
        kind = type(part)
        if issubclass(kind, Symbol):
            _refuse_symbol(part)
        if (type(kind) is type and kind in BY_NAME) or part is np.dtype:
            return NotImplemented
        if kind is np.ndarray:
            self.arrays = True
            _admit_size(part.nbytes)
        elif not _numpys(kind) and not issubclass(kind, np.dtype):
            self.plain = False
        if kind in dispatch_table:
            self.plain = False
        return NotImplemented


def _numpys(kind: type) -> bool:
    """Whether a class is one of numpy's scalars, and sends itself as these do."""
    return type(kind) is type and kind in SCALARS


def form(value: Any) -> Hashable:
    """Return what a receiver gets of an output: all that `pickle` would send of it.

    Two outputs are one if they are equal and their forms are: classes, contents in the order in
    which they come, attributes, dtypes, and by protocol 5 also whether an array is contiguous, and
    if so whether it may be written to and the order of its axes.  What is left in the process is
    not looked at: the buffer behind a view, strides of arrays that are not contiguous, and which
    parts are one object.
    A class that sends a part of itself only, by a `__reduce__` of its own, leaves the rest there.

    Raises
    ------
    ValueError
        If `pickle` cannot send it, it contains itself, or it is very large.
    """
    return _form(value)[0]


def _form(value: Any) -> tuple[Hashable, bool]:
    """Return the form of an output, and whether all its parts stay as they are."""
    kind = type(value)
    if type(kind) is type and kind in PLAIN:  # classes of other classes may pass for what they are not
        return (kind, value), True
    if kind is float:
        return (kind, pack("<d", value)), True
    if (kind is np.ndarray or _numpys(kind)) and kind not in dispatch_table:
        dtype = value.dtype
        if not dtype.hasobject and type(dtype) not in dispatch_table:  # quickly, the same of numbers
            like = np.ndarray if kind is np.ndarray else np.generic
            if value.nbytes > LARGEST:
                _refuse_large()
            return (like, form_of(dtype), value.shape, *layout(value), value.tobytes()), True
    sent, sender = _sent(value, PROTOCOLS[0])
    if sender.arrays or not sender.plain:  # which may answer each protocol by something else
        sent += b"".join(_sent(value, protocol)[0] for protocol in PROTOCOLS[1:])
    return sent, sender.plain


def layout(value: Any) -> tuple[Any, ...]:
    """Return the order of axes of an array, and, of one that is contiguous, whether it may be written to."""
    flags = value.flags
    if type(value) is not np.ndarray:
        return flags.fnc, True
    if value.dtype.kind in "biufc" and (flags.forc or value.ndim < 3):  # quickly, the same
        return flags.fnc, flags.writeable if flags.forc else None
    reduced: Any = value.__reduce_ex__(PROTOCOLS[-1])  # as this version of numpy does
    sent = reduced[1]
    if not isinstance(sent[0], PickleBuffer):
        return flags.fnc, None
    return (*sent[3:], flags.writeable)


def form_of(dtype: np.dtype[Any]) -> Hashable:
    """Return what a receiver gets of a dtype: equal ones may differ in notes and in alignment."""
    if dtype.isbuiltin == 1:  # of which there is one, without notes
        return _builtin(dtype.char)
    plain = _fields(dtype)
    if plain is None:
        return _sent(dtype, PROTOCOLS[0])[0]
    if plain not in _OF_FIELDS:
        if len(_OF_FIELDS) == MOST_DTYPES:
            _OF_FIELDS.clear()
        _OF_FIELDS[plain] = _sent(dtype, PROTOCOLS[0])[0]
    return _OF_FIELDS[plain]


def _fields(dtype: np.dtype[Any]) -> Hashable | None:
    """Return all that is sent of a dtype of fields of numbers, as it is now: it can be changed in place."""
    if type(dtype) is not np.dtypes.VoidDType or not dtype.fields or dtype.metadata is not None:
        return None
    each: list[Any] = [dtype.type, dtype.names, dtype.itemsize, dtype.alignment, dtype.isalignedstruct, dtype.flags]
    for name, (part, *place) in dtype.fields.items():
        base, shape = part.subdtype or (part, ())
        if type(name) is not str or len(place) != 1 or base.isbuiltin != 1 or part.metadata is not None:
            return None
        each += name, base.char, shape, part.alignment, part.flags, *place
    return tuple(each)


@lru_cache(64)
def _builtin(char: str) -> bytes:
    return _sent(np.dtype(char), PROTOCOLS[0])[0]


def _sent(value: Any, protocol: int) -> tuple[bytes, _Sender]:
    """Return what `pickle` would send, and what has been seen of its parts."""
    stream = _Stream()
    sender = _Sender(stream, protocol)
    sender.fast = True  # each part is written out each time
    try:
        sender.dump(value)
    except _Refused:
        raise
    except _TooLarge:
        _refuse_large()
    except RecursionError:
        _refuse_deep(value)
    except Exception as error:
        if "cyclic" in str(error):  # as pickle says of what it writes down without a memory
            _refuse_cyclic(value)
        raise ValueError(
            f"a program must return what can be sent, got {type(value).__name__}, of which pickle "
            f"says: {error}; return plain values or arrays, or objects of a class that stands at "
            "the top of a module"
        ) from None
    return stream.getvalue(), sender


class _Large(ValueError):
    """An output is so large that it is not looked at again and again."""


def _refuse_large() -> NoReturn:
    raise _Large(
        f"a program must return a report of less than {LARGEST >> 20} MB, each part counted as "
        "often as it comes: return a smaller one"
    ) from None


def _refuse_deep(value: Any) -> NoReturn:
    raise ValueError(
        f"a program must return a report that ends, got {type(value).__name__}, nested too deeply, or "
        "without an end: return its parts as numbers, texts and flat tuples"
    ) from None


def _refuse_cyclic(value: Any) -> NoReturn:
    raise ValueError(
        f"a program must return a report that ends, got {type(value).__name__}, which contains "
        "itself: return its parts as numbers, texts and tuples"
    ) from None


class _Refused(ValueError):
    """An output contains a symbol, or a set in an order of its own."""


def _refuse_symbol(part: Symbol) -> None:
    raise _Refused(
        f"a program must return reports without symbols, got one that contains {part._what}, which "
        "a receiver could look at: return what is drawn with it, not the symbol"
    )


def _apart(first: Any, own: Any) -> tuple[str, str]:
    """Say in what two forms differ first."""
    for one, other in zip(_steps(first), _steps(own), strict=False):
        if one != other:
            return f"{one:.80}", f"{other:.80}"
    return "one of some length", "one of another"


def _steps(form: Any) -> Iterator[str]:
    """Walk through a form: what it says, one thing after the other."""
    if isinstance(form, tuple):
        kind, *more = form
        yield kind.__name__
        if kind in (np.ndarray, np.generic):
            yield from _steps(more.pop(0))  # its dtype
            shape, *order, writeable, content = more
            yield shown(shape)
            yield f"an array of axes in order {ORDERS.get(tuple(order), order)}"
            yield f"an array {SENT[writeable]}"
            more = [content]
        yield from (_bits(told[::-1]) if kind is float else shown(told, most=LARGEST) for told in more)
        return
    stream = BytesIO(form)
    while stream.tell() < len(form):
        for code, told, _ in genops(stream):
            if code.name == "BINFLOAT":
                yield _bits(form[stream.tell() - 8 : stream.tell()])
            elif code.name not in ("PROTO", "FRAME"):  # which are about lengths
                yield SAID.get(code.name, code.name) if told is None else shown(told, most=LARGEST)


def _bits(told: bytes) -> str:
    """Say a float, and its bits if it is one of many that are missing."""
    x = unpack(">d", told)[0]
    return f"nan of bits {told.hex()}" if x != x else repr(x)


def _cure(value: Any, kind: type, first: Any, own: Any) -> str:
    """Say how to bring outputs into one form, by what they are made of, and by the type of one that came before."""
    parts = list(_parts(value))
    kinds = {type(part) for part in parts}
    steps = [*_steps(first)], [*_steps(own)]
    if sorted(steps[0]) == sorted(steps[1]):  # in two orders
        if any(issubclass(kind, set | frozenset) for kind in kinds):
            return (
                f"return tuple(sorted(…, key=repr)), also of each set within, since a set comes in an order {FOLLOWS}"
            )
        if any(issubclass(kind, dict) for kind in kinds):
            return (
                "return dict(sorted(….items(), key=repr)), also of each dict within, since a dict "
                f"comes in an order {FOLLOWS}"
            )
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    one, other = _apart(first, own)
    missing = any(array.dtype.kind in "fc" and np.isnan(array).any() for array in arrays)
    if missing and one.startswith(("b'", 'b"')):  # they differ in bytes alone
        return "return np.where(np.isnan(…), np.nan, …), since there are many missing numbers"
    if one.startswith(("an array", "bytearray(")) or other.startswith("bytearray("):
        return "return ….copy(), also of each array within, since a receiver sees whether an array has gaps, " + MAY_BE
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return "return np.array(….tolist(), dtype) of one dtype"
    if arrays:
        return "convert them to one type, and each array within to np.array(….tolist(), dtype) of one dtype"
    if one.startswith("nan of bits") and other.startswith("nan of bits"):
        return "return math.nan wherever a number is missing, since there are many of them"
    culprit = _culprit(value)
    if culprit in USUAL and kind not in USUAL:
        culprit = kind
    if culprit in (list, tuple, set, frozenset, dict):
        return "convert them to one type, or return the difference"
    if culprit is Decimal:
        return "return float(…) in place of a Decimal, or Decimals with as many digits"
    if culprit in USUAL:
        return "convert them to one type"
    return f"convert them to one type, or return plain values in place of a {culprit.__name__}"


def _parts(value: Any, depth: int = 8) -> Iterator[Any]:
    """Walk through an output and what it contains."""
    yield value
    inside: Any = value if isinstance(value, list | tuple | set | frozenset) else ()
    if isinstance(value, dict):
        inside = (*value, *value.values())
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        inside = value.ravel().tolist()
    if is_dataclass(value):
        inside = [getattr(value, f.name, None) for f in fields(value)]
    for part in inside if depth else ():
        yield from _parts(part, depth - 1)


def _culprit(value: Any) -> type:
    """Return the type of a part that is neither a plain value nor a container of Python's."""
    kinds = (type(part) for part in _parts(value))
    return next((kind for kind in kinds if kind not in USUAL), type(value))


def _refuse_hidden(dtype: np.dtype[Any]) -> None:
    """Refuse a dtype that sends more than its numbers: bytes between or behind them, or notes."""
    if dtype.metadata:
        raise ValueError(
            "a program must return arrays whose dtype has no metadata, which are sent, too, got "
            f"{shown(dict(dtype.metadata))}: return np.array(….tolist(), dtype) with a dtype without them"
        )
    if dtype.itemsize > {"f": 8, "c": 16}.get(dtype.kind, inf):
        raise ValueError(
            f"a program must return floats of at most eight bytes, got {dtype}, of which some bytes "
            "are left as they were: return np.float64(…) or ….astype(np.float64), or complex128"
        )
    if dtype.subdtype:
        _refuse_hidden(dtype.subdtype[0])
    if dtype.names is None:
        return
    end = 0
    for part, offset, *title in sorted((dtype.fields or {}).values(), key=lambda field: field[1]):
        if title:
            raise ValueError(
                "a program must return arrays whose fields have no titles, which are sent, too, got "
                f"{shown(title[0])}: return np.array(….tolist(), dtype) with a dtype without them"
            )
        _refuse_hidden(part)
        if offset != end:
            break
        end += part.itemsize
    if end != dtype.itemsize:
        raise ValueError(
            "a program must return arrays without bytes between, within or behind the fields, which "
            f"are sent, too, got {dtype}: return np.array(….tolist(), dtype) with a dtype without "
            "align and offsets"
        )


def freeze(value: Any) -> Hashable:
    """Turn arrays, lists and structured values into nested tuples of plain numbers."""
    kind = type(value)
    if type(kind) is type and kind in PLAIN:
        return value  # type: ignore[no-any-return]
    try:
        return _freeze(value)
    except RecursionError:
        _refuse_deep(value)


def _freeze(value: Any) -> Hashable:
    kind = type(value)
    if type(kind) is type and kind in PLAIN:
        return value  # type: ignore[no-any-return]
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError(
            "a program must return plain values or arrays to have a law, got a masked one: its "
            "data show; return ….filled() of it, or what may be seen"
        )
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        raise ValueError(
            f"a program must return plain arrays to have a law, got {kind.__name__}: return "
            "np.array(….tolist(), dtype) of its values"
        )
    if isinstance(value, np.ndarray | np.generic):
        dtype = value.dtype
        if dtype.isbuiltin != 1 or dtype.kind in "fc":
            _refuse_hidden(dtype)
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "biu":  # entries need not be looked at
        return tuple(value.tolist() if value.ndim == 1 else map(_freeze, value))
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(_freeze(v) for v in value)
    if isinstance(value, set | frozenset):
        return frozenset(_freeze(v) for v in value)
    if isinstance(value, dict):
        return frozenset((_freeze(k), _freeze(v)) for k, v in value.items())
    if isinstance(value, float) and value != value:
        return nan  # one object for all, since NaN equals only itself
    if isinstance(value, float) and _below_zero(value):
        return "-0.0"  # equal to 0.0, but whoever reads the bits can tell them apart
    if isinstance(value, complex):
        missing = value != value
        if missing or _below_zero(value.real) or _below_zero(value.imag):
            return complex.__repr__(value)  # for the same reasons
    if isinstance(value, Symbol):
        _refuse_symbol(value)
    by_identity: Any = object.__hash__  # of outputs that equal only themselves
    if (value is not None and type(value).__hash__ is by_identity) or not _hashed(value):
        dataclass: Any = getattr(value, "__dataclass_params__", None)
        frozen = ", or make it a frozen dataclass" if dataclass and not dataclass.frozen else ""
        raise ValueError(
            "a program must return plain values or arrays to have a law, got "
            f"{type(value).__name__}: return its parts as numbers, texts and tuples{frozen}"
        )
    return value  # type: ignore[no-any-return]


def _refuse_seeded(members: Any) -> None:
    """Refuse a set whose order depends on how it was made in some processes, and in others not."""
    for member in members:
        if not _hashed_alike(member):
            raise _Refused(
                "a program must return sets of several members only of numbers, since the order of others follows "
                f"from a seed that each process draws anew, got {shown(member)} in one: return "
                "tuple(sorted(…, key=repr)), also of each set within"
            )


def _hashed_alike(member: Any) -> bool:
    """Whether a member of a set has the same hash in every process."""
    kind = type(member)
    if kind is frozenset or (issubclass(kind, tuple) and kind.__hash__ is tuple.__hash__):
        return all(map(_hashed_alike, member))
    if kind is np.timedelta64:  # some are hashed by their bytes
        return False
    number = kind in NUMBERS or (kind in SCALARS and issubclass(kind, np.number | np.bool_))
    return number and bool(member == member)  # the hash of a missing number is its address


def _below_zero(x: float) -> bool:
    """Whether a number is minus zero."""
    return x == 0 and copysign(1, x) < 0


def _hashed(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


# -------------------------------------------------------------------------- probabilities rounded toward privacy


def odds(epsilon: float | Fraction) -> Fraction:
    """Return a rational number just below e^ε (relative error below 1e-57), the largest ratio a client may show."""
    return odds_of(epsilon) if isinstance(epsilon, Budget) else Fraction(_odds(Fraction(epsilon)))


def share(epsilon: float, parts: int) -> float:
    """Return the largest float of which `parts` are not more than ε, for a client that spends ε in equal parts.

    ε/3 is rounded to the nearest float, so that three of them may be more than ε, by its last digit.

    Examples
    --------
    >>> [Fraction(part) * 3 <= Fraction(2.5) for part in (2.5 / 3, share(2.5, 3))]
    [False, True]
    """
    if isinstance(epsilon, Budget):
        return share_of(epsilon, check_count(parts, 1, "parts"))
    part = epsilon / check_count(parts, 1, "parts")
    return part if Fraction(part) * parts <= Fraction(epsilon) else nextafter(part, 0)


@lru_cache(maxsize=64)  # mechanisms of one ε ask again and again
def _odds(x: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec, context.rounding = 60, ROUND_FLOOR
        return Fraction((Decimal(int(x.numerator)) / Decimal(int(x.denominator))).exp().next_minus())


def log(ratio: Fraction, times: int = 1) -> float:
    """Natural logarithm of a positive rational number, correct to the last digit or nearly so; or a multiple of it."""
    if isinstance(ratio, Formula):
        return log_of(ratio, times)
    with localcontext() as context:
        context.prec = 60
        return float((Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln() * times)


def log_up(ratio: Fraction) -> float:
    """Return a float x just above ln(ratio), so that ratio <= odds(x): an ε that may be stated; ratio above 1."""
    x = log(ratio)
    while not isinstance(x, Budget) and odds(x) < ratio:
        x = nextafter(x, inf)
    return x


def log_down(ratio: Fraction) -> float:
    """Return a float just below ln(ratio), an ε that may be spent; ratio above 1."""
    return log_of(ratio, below=True) if isinstance(ratio, Formula) else nextafter(log(ratio), 0)


def round_down(p: Fraction) -> float:
    """Return the largest multiple of 2**-53 that is not above p, a probability that `bernoulli` realises exactly."""
    return rounded(p, True) if isinstance(p, Formula) else floor(p * GRID) / GRID


def round_up(p: Fraction) -> float:
    """Return the smallest multiple of 2**-53 that is not below p, a probability that `bernoulli` realises exactly."""
    return rounded(p, False) if isinstance(p, Formula) else ceil(p * GRID) / GRID
