"""A program replayed along every branch of its random choices, each with its exact probability.

`walk` runs the program again and again.  Each run is handed a `Paths` in place of a generator.  The
first `Paths` takes the first option of every choice.  Each later one repeats the choices of the
run before, up to the last choice that has an option left, and takes that option instead.
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
HOPELESS = 10**12  # by this factor the branches must seem more than the limit
HARMLESS = Fraction(1, 10**6)  # below this factor, nobody need look further
REPEATS = 2  # how often the first branch is walked again
REPEATS_ALONE = 32  # and of a program without choices, which has no other branch to differ in
REPEATS_SETTLED = 20  # runs that agree, if a program keeps a state and has reached its last one
STRAY = "the program did not repeat itself"

NO_GENERATOR = (
    "Paths has no {!r}: a client whose law is to be read off draws through ldpnb.chance "
    "(bernoulli, uniform, toss, pick), not from the generator itself, and does not ask what kind "
    "of generator it has"
)

Weights = tuple[Any, ...]  # whole numbers or formulas
Choice = tuple[int, Weights]  # the option taken, and the weights of all options
T = TypeVar("T")


class TooManyBranches(ValueError):
    """A program has more branches, or longer ones, than `law` may walk."""


class Paths:
    """Stands in for the generator: replays a program along one branch of its random choices.

    `law`, `branches` and `walk` make and feed these; a program only passes them on to the functions
    of `ldpnb.chance`.  While it runs, nothing can be read off them; that is remembered, and the
    program is refused.

    Attributes
    ----------
    taken : list of (int, tuple)
        Choices so far: the option taken, and the weights of all.
    trace : list of tuple
        Calls so far: name of the function and shape asked for, draws that are thrown away included.
        It is what somebody learns who can count a client's draws.
    probability : Fraction
        Of the branch.
    odds : tuple
        Numerator and denominator of it, not in lowest terms.
    """

    _public = ("taken", "trace", "probability", "odds")

    def __init__(
        self,
        script: Sequence[Choice] = (),
        limit: int = LIMIT,
        probe: Random | None = None,
        *,
        ideal: bool = False,
    ) -> None:
        self._script = script
        self._limit = limit
        self._probe = probe
        self._ideal = ideal
        self._taken: list[Choice] = []
        self._trace: list[tuple[Any, ...]] = []
        self._refused: Exception | None = None
        self._over = False
        self._field: Field | None = None  # of the formulas that it takes for coins

    # --------------------------------------------------------------------------------- choices

    def _choose(self, weights: Weights) -> int:
        """Index of an option; the options have probabilities proportional to these integers."""
        self._admit(len(weights))
        at = len(self._taken)
        if at >= DEPTH:
            message = f"one branch of more than {DEPTH} choices: bound the loops of the program"
            self._refuse(TooManyBranches(message))
        if at < len(self._script):
            option, before = self._script[at]
            if before is not weights and not same_weights(before, weights):
                message = f"{STRAY}: after the same choices another one came"
                self._refuse(ValueError(message))
        elif self._probe:
            option = self._probe.choice([i for i, weight in enumerate(weights) if possible(weight)])
        else:
            option = _first_possible(weights)
        self._taken.append((option, weights))
        return option

    def _toss(self, p: Any) -> bool:
        """One coin: of probability ``ceil(p * 2**53) / 2**53``, or exactly p if it is a formula.

        Where coins are ideal, a Fraction is the probability itself.
        """
        if isinstance(p, Formula):
            return self._choose(coin_of(p, self)) == 0
        if self._ideal and isinstance(p, Fraction):
            return self._part(p.numerator, p.denominator)
        return self._part(ceil(float(p) * GRID), GRID)  # exact: a float times a power of two

    def _part(self, part: int, whole: int) -> bool:
        """One coin of probability part/whole."""
        if part <= 0:
            return False
        if part >= whole:
            return True
        return self._choose((part, whole - part)) == 0

    def _one_of(self, options: int) -> int:
        """Index of one of so many options, all alike."""
        self._admit(options)
        if options == 1:
            return 0
        return self._choose(_alike(options))

    def _heads(self, n: int, p: Any) -> int:
        """How many of n coins of probability p, exactly, fall heads."""
        p = Fraction(p)
        if n == 0 or p in (0, 1):
            return int(n * p)
        self._admit(n + 1)
        up = p.numerator
        down = p.denominator - p.numerator
        return self._choose(tuple(comb(n, i) * up**i * down ** (n - i) for i in range(n + 1)))

    def _admit(self, options: int) -> None:
        """Refuse a choice that is too wide, before its weights are written down."""
        if options > self._limit:
            limit = f"more than limit = {self._limit} branches"
            self._refuse(TooManyBranches(f"one choice among {options} options, {limit}"))

    # ------------------------------------------------------------- what nobody may ask meanwhile

    def _refuse(self, error: Exception) -> NoReturn:
        """Raise an error that a client would not see with a generator.

        It is remembered, since the client may catch it.
        """
        if self._refused is None:
            self._refused = error
        raise error

    def _closed(self, *_: Any) -> Any:
        self._refuse(
            TypeError(
                "a source of randomness cannot be copied or sent where it is a branch of a replay"
            )
        )

    __reduce__ = __reduce_ex__ = __getstate__ = __copy__ = __deepcopy__ = _closed

    def __getattr__(self, name: str) -> Any:
        if name in self._public and self._over:
            return getattr(self, f"_{name}")
        error = AttributeError(NO_GENERATOR.format(name))
        if name.startswith("__"):  # as copying does
            raise error
        self._refuse(error)

    # ------------------------------------------------------------------- what is known afterwards

    @property
    def _odds(self) -> tuple[Any, Any]:
        part = prod([weights[option] for option, weights in self._taken])
        whole = prod([sum(weights) for _, weights in self._taken])
        return part, whole

    @property
    def _probability(self) -> Fraction:
        return Fraction(*self._odds)


def _first_possible(weights: Weights) -> int:
    """Index of the first option that is ever taken."""
    if weights[0].__class__ is int and weights[0]:  # quickly, the usual case
        return 0
    found = _next_possible(weights, 0)
    assert found is not None
    return found


def _next_possible(weights: Weights, start: int) -> int | None:
    """Index of the first option, from `start` on, that is ever taken."""
    for i in range(start, len(weights)):
        if possible(weights[i]):
            return i
    return None


@lru_cache(1024)
def _alike(options: int) -> tuple[int, ...]:
    return (1,) * options


# ----------------------------------------------------------------------------------- every branch


def branches(program: Callable[[Any], T], *, limit: int = LIMIT) -> Iterator[tuple[Fraction, T]]:
    """Every branch of a program: its probability and what it returns there (see `walk`)."""
    for paths, result in walk(program, limit=limit):
        yield paths._probability, result


def walk(
    program: Callable[[Any], T], *, limit: int = LIMIT, ideal: bool = False
) -> Iterator[tuple[Paths, T]]:
    """Every branch of a program: the choices taken and what the program returns there.

    Parameters
    ----------
    program : callable
        Takes the source of randomness; must draw through `ldpnb.chance` only and be a function of
        those draws.
    limit : int
        Branches to walk at most.
    ideal : bool
        Whether a coin whose probability is a Fraction has exactly this probability, and not the
        float's next to it.

    Raises
    ------
    TooManyBranches
        If there are more.
    ValueError
        If the program does not repeat itself when its choices are repeated.
    """
    script: list[Choice] | None = []
    for walked in range(limit):
        if walked == PATIENCE and _hopeless(program, limit):
            break
        assert script is not None
        paths = Paths(script, limit, ideal=ideal)
        result = program(paths)
        _check_run(paths, script)
        if walked == 0:
            fresh = partial(Paths, (), limit, ideal=ideal)
            _check_repeats(program, paths._taken, result, fresh)
        paths._over = True
        yield paths, result
        script = _next_script(paths._taken)
        if script is None:
            return
    raise TooManyBranches(
        f"more than limit = {limit} branches: use a smaller domain, fewer people or scaled-down "
        "public randomness, or check samples instead"
    )


def _check_run(paths: Paths, script: Sequence[Choice]) -> None:
    """Raise what was refused during a run, in case the client has caught it."""
    if isinstance(paths._refused, AttributeError):
        raise ValueError(str(paths._refused))
    if paths._refused is not None:
        raise paths._refused
    if len(paths._taken) < len(script):
        raise ValueError(f"{STRAY}: after the same choices it came to an end")


def _next_script(taken: Sequence[Choice]) -> list[Choice] | None:
    """Return the choices that lead to the next branch; None after the last one."""
    script = list(taken)
    while script:
        option, weights = script.pop()
        later = _next_possible(weights, option + 1)
        if later is not None:
            script.append((later, weights))
            return script
    return None


def _hopeless(program: Callable[[Any], Any], limit: int) -> bool:
    """Whether the branches are so many that walking on is a waste of time.

    A probe takes every turn with equal probability.  It ends in a branch that has b options along
    the way with probability 1/b, so that b is N, the number of branches, on average (Knuth 1975).
    If N <= limit, the product of b/limit over more and more probes ever comes above c with a
    probability of at most 1/c (Ville), here 10**12.
    """
    dice = Random(0)
    product = Fraction(1)
    for _ in range(PROBES):
        paths = Paths((), limit, dice)
        program(paths)
        options = prod(sum(map(possible, weights)) for _, weights in paths._taken)
        product *= Fraction(options, limit)
        if not HARMLESS < product <= HOPELESS:
            break
    return product > HOPELESS


# ------------------------------------------------------------------ whether it repeats itself

Run = tuple[list[Choice], Any]  # the choices that were taken, and what came of them


def _check_repeats(
    program: Callable[[Any], Any],
    taken: list[Choice],
    result: Any,
    fresh: Callable[[], Paths],
) -> None:
    """Refuse a program whose first branch is another one when it is walked again."""

    def again() -> Run:
        paths = fresh()
        told = _told(program(paths))
        return paths._taken, told

    first = taken, _told(result)
    repeats = REPEATS if taken else REPEATS_ALONE
    for _ in range(repeats):
        if not _same_runs(again(), first):
            raise ValueError(f"{STRAY}: {_why_not(again)}")


def _why_not(again: Callable[[], Run]) -> str:
    """Say why a program does not repeat itself."""
    settled = again()
    for _ in range(REPEATS_SETTLED):
        if not _same_runs(again(), settled):
            return "some of its randomness does not come from chance, or it counts its calls"
    return "it keeps a state from one call to the next"


def _same_runs(one: Run, other: Run) -> bool:
    """Whether two runs took the same choices, with the same weights, to the same result."""
    taken, told = one
    others, wanted = other
    if told != wanted or len(taken) != len(others):
        return False
    for (i, weights), (j, other_weights) in zip(taken, others, strict=True):
        if i != j or not same_weights(weights, other_weights):
            return False
    return True


def _told(result: Any) -> Any:
    """Return the form of a result; None if it has none, which is said where outputs are wanted."""
    try:
        own = form(result)  # before `freeze`, which does not see where it ends
        freeze(result)
    except Large:
        raise
    except ValueError:
        return None
    return own
