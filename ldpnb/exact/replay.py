"""A program replayed along every branch of its random choices, each with its exact rational probability.

`Paths` stands in for the generator.  `walk` runs a program with one `Paths` after another: the first takes the first
option of each choice, and each later one the next branch that has not been walked yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, comb, prod
from random import Random
from typing import Any, NoReturn, TypeVar

from ldpnb.exact.forms import Large, form
from ldpnb.exact.formulas import Field, Formula
from ldpnb.exact.outputs import freeze
from ldpnb.exact.probabilities import GRID
from ldpnb.exact.questions import coin_of, possible, same_weights

LIMIT = 200_000  # branches; a program of this size takes seconds
PATIENCE = 200  # branches walked before asking whether there are far too many
PROBES = 400  # branches looked at to answer that
DEPTH = 500  # choices in one branch; more are a loop that need not end
STRAY = "the program did not repeat itself"
NO_GENERATOR = (
    "Paths has no {!r}: a client whose law is to be read off draws through ldpnb.chance (bernoulli, uniform, toss, "
    "pick), not from the generator itself, and does not ask what kind of generator it has"
)
T = TypeVar("T")


class TooManyBranches(ValueError):
    """A program has more branches, or longer ones, than `law` may walk."""


class Paths:
    """Stands in for the generator: replays a program along one branch of its random choices.

    `law`, `branches` and `walk` make and feed these; a program only passes them on to the functions of `ldpnb.chance`.
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


def _next(weights: Sequence[Any], start: int) -> Any:
    """Index of the first option, from `start` on, that is ever taken."""
    return next((i for i in range(start, len(weights)) if possible(weights[i])), None)


def branches(program: Callable[[Paths], T], *, limit: int = LIMIT) -> Iterator[tuple[Fraction, T]]:
    """Every branch of a program: its probability and what the program returns there (see `walk`)."""
    return ((paths._probability, result) for paths, result in walk(program, limit=limit))


def walk(program: Callable[[Paths], T], *, limit: int = LIMIT, ideal: bool = False) -> Iterator[tuple[Paths, T]]:
    """Every branch of a program: the choices taken and what the program returns there.

    Parameters
    ----------
    program : callable
        Takes the source of randomness; must draw through `ldpnb.chance` only and be a function of those draws.
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
    except Large:
        raise
    except ValueError:  # where outputs are wanted, it says so
        return None
