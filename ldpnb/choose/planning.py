"""What all questions of `ldpnb.choose` share: how they rank, and how they go backwards.

Before anybody is asked, a question says how wide the interval of its best mechanism will be
(`Question.half_width`), for how many people, or at which ε, it is narrow enough
(`Question.people_for`, `Question.epsilon_for`), how many people it takes to see a difference
between two groups (`Question.people_for_difference`), and which share can be told from zero
(`Question.smallest_share`).  The best one is that for the interval asked for (`Question.best_for`),
which need not be the first of `Question.rank`, the one with the least error for these people.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import exp, inf, isfinite, log, sqrt
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ldpnb.checks import (
    EPSILON_MAX,
    EPSILON_MIN,
    as_float,
    at_least,
    check_count,
    check_epsilon,
    check_probability,
    is_number,
    shown,
)
from ldpnb.choose.ranking import Choice, Ranking, check_half_width, written

CLOSE = 1e-6  # relative, of the ε that is found
WIDTHS = 1e-290, 1e290  # of a range: errors of its means are floats, too


class Row(NamedTuple):
    """A mechanism that answers a question, before it is made."""

    name: str
    make: Any  # called without arguments; or its class or function itself, where it is not made
    why: str
    barred: bool = False  # whether `why` speaks against it
    beyond: str = ""  # a limit that the question is beyond, so that it is not made


@dataclass(frozen=True, kw_only=True)
class Question(ABC):
    """What all questions share.

    Parameters
    ----------
    n : int, at least 1
        Number of people.
    epsilon : float
        Of all that a person sends.
    bits : int, optional
        Most bits that a report may have.
    public_free : bool
        Whether the public part of a report does not count.
    """

    n: int
    epsilon: float
    bits: int | None = None
    public_free: bool = False
    asked: ClassVar[str] = ""  # what the error is of
    limits: ClassVar[dict[str, tuple[int, int]]] = {}  # least and largest value of the integers
    needs_list: ClassVar[bool] = True  # whether there is a list that a client could need
    on_page: ClassVar[bool] = True  # whether the page to play with has closed forms for it

    if TYPE_CHECKING:  # fields of those questions that are about a share, or a range

        @property
        def share(self) -> float:
            """Share of the people who hold what is asked for."""

        @property
        def low(self) -> float:
            """Lower end of the range."""

        @property
        def high(self) -> float:
            """Upper end of the range."""

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {"epsilon": check_epsilon(self.epsilon)}
        for name, (least, most) in ({"n": (1, 2**53 - 1)} | self.limits).items():
            if name in ("m", "candidates"):
                most = min(most, checked["d"])
            checked[name] = check_count(getattr(self, name), least, name, most)
        if self.bits is not None:
            checked["bits"] = check_count(self.bits, 1, "bits")
        if hasattr(self, "share"):
            checked["share"] = check_probability(self.share, "share")
        if hasattr(self, "low") and hasattr(self, "high"):
            checked |= _check_range(self.low, self.high)
        for name in ("public_free", "listed"):
            given = getattr(self, name, True)
            if not isinstance(given, bool):
                raise ValueError(f"{name} must be True or False, got {shown(given)}")
        for name, value in checked.items():
            object.__setattr__(self, name, value)  # the class is frozen

    # ---------------------------------------------------------------- what a subclass must give

    @abstractmethod
    def _rows(self) -> list[Row]:
        """List the mechanisms."""

    @abstractmethod
    def _variances(self, mechanism: Any) -> dict[str, float]:
        """Return n times the variances of what is estimated; {} where there is no closed form."""

    @abstractmethod
    def _entries(self) -> int:
        """Return how many such numbers are estimated together."""

    # ----------------------------------------------------------------- what a subclass may give

    def _population(self, mechanism: Any) -> dict[str, float]:
        """Return `_variances` with the chance of who is asked, as for a sample of a population."""
        chance = self.share * (1 - self.share)
        return {what: variance + chance for what, variance in self._variances(mechanism).items()}

    def _unit(self, what: str) -> float:
        """Return what an error of 1 is in the question's own range; squared it may be no float."""
        if what == "mean":
            return (self.high - self.low) / 2
        return 1.0

    def _code(self, mechanism: Any) -> str:
        """Write a mechanism as Python that makes it again."""
        return written(mechanism)

    def _what(self) -> str:
        return self.asked

    def _error(self, errors: dict[str, float]) -> float:
        """Return what choices are ranked by."""
        return next(iter(errors.values()), inf)

    def _of_share(self, own: float, other: float) -> dict[str, float]:
        """Return the variance for people of whom a share hold what is asked for."""
        return {"share": float(self.share * own + (1 - self.share) * other)}

    # --------------------------------------------------------------------------------- choices

    def _total(self, mechanism: Any, people: bool, share: float | None = None) -> dict[str, float]:
        """Return n times the variances, about these people or a population.

        Those of means are of numbers in [−1, 1]: see `_unit`.
        """
        question = self
        if share is not None:
            given: dict[str, Any] = {"share": share}  # a field of subclasses
            question = replace(self, **given)
        if people:
            found = question._variances(mechanism)
        else:
            found = question._population(mechanism)
        return {what: float(variance) for what, variance in found.items()}

    def _sent(self, private: int, public: int) -> int:
        """Return how many bits of a report count."""
        if self.public_free:
            return private
        return private + public

    def _shortened(self, made: Any, items: int) -> Any:
        """Return a mechanism that names a set of so many items, with the largest sets that fit.

        It is the given one if its own sets fit.
        """
        if self.bits is None:
            return made
        size = 1
        sets = items  # of that size
        while size < made.set_size:
            sets = sets * (items - size) // (size + 1)
            if bits_of(sets) > self.bits:
                break
            size += 1
        if size == made.set_size:
            return made
        return replace(made, size=size)

    def _choices(self) -> list[Choice]:
        return [self._choice(row) for row in self._rows()]

    def _choice(self, row: Row) -> Choice:
        why = row.why
        excluded = row.barred
        made = None
        if row.beyond:
            why = f"{why}; at most {row.beyond}"
            excluded = True
        elif isinstance(row.make, type | FunctionType):
            excluded = True
        else:
            made = row.make()
        errors = {}
        private = None
        public = None
        if made is not None:
            private = made.report_bits
            public = made.public_bits
            for what, variance in self._total(made, True).items():
                errors[what] = sqrt(variance / self.n) * self._unit(what)
        listed = self.needs_list and getattr(made, "needs_list", True)
        if not excluded and listed and not getattr(self, "listed", True):
            why = "the client must know the list"
            excluded = True
        if not excluded and self.bits is not None and private is not None and public is not None:
            sent = self._sent(private, public)
            if sent > self.bits:
                why = f"a report has {sent:,} bits, {self.bits:,} are allowed"
                excluded = True
        return Choice(
            name=row.name,
            kind=_kind(row.make if made is None else type(made)),
            mechanism=made,
            errors=errors,
            error=self._error(errors),
            n=self.n,
            private_bits=private,
            public_bits=public,
            server=getattr(made, "server_cost", "report"),
            listed=listed,
            excluded=excluded,
            why=why,
            question=self,
        )

    # ---------------------------------------------------------------------------------- answers

    def rank(self) -> Ranking:
        """Return all mechanisms that answer the question, those that are excluded last.

        Examples
        --------
        >>> from ldpnb import choose
        >>> ranking = choose.Correlation(n=20_000, epsilon=1.0, d=3).rank()
        >>> for choice in ranking[:2]:
        ...     print(f"{choice.name}: {100 * choice.error:.3f} points, {choice.private_bits} bits")
        pairs, k-Subset: 3.251 points, 6 bits
        IOH, k-Subset: 3.417 points, 20 bits
        """
        return Ranking(self, tuple(sorted(self._choices(), key=self._place)))

    def _place(self, choice: Choice) -> tuple[bool, float, int]:
        """Return what choices are sorted by; those that are excluded stay in their order."""
        if choice.excluded or choice.private_bits is None or choice.public_bits is None:
            return True, 0.0, 0
        sent = self._sent(choice.private_bits, choice.public_bits)
        return False, _nine_digits(choice.error), sent

    def best_for(self, *, of: str | None = None, people: bool = False) -> Choice:
        """Return the mechanism with the narrowest interval, of which all other questions speak.

        `rank` goes by the error about the people asked.  About a population, or about another of
        the errors, another mechanism may be the best.

        Parameters
        ----------
        of, people
            As in `Choice.half_width`.

        Raises
        ------
        ValueError
            If no mechanism is left, or as there.

        Examples
        --------
        >>> from ldpnb import choose
        >>> question = choose.OneNumber(n=1000, epsilon=1.0)
        >>> question.rank().best.name, question.best_for().name
        ('Hybrid', 'two points')
        """
        return self._narrowest(self.rank(), of, people)

    def _narrowest(self, ranked: Ranking, of: str | None, people: bool) -> Choice:
        best = ranked.best
        if of is not None and not (isinstance(of, str) and of in best.errors):
            best._variance(of, people)  # refuses it

        what = of or next(iter(best.errors))
        usable = [one for one in ranked if not one.excluded and what in one.errors]
        # of equals, the first of the ranking
        return min(usable, key=lambda choice: _nine_digits(choice._variance(of, people)))

    def half_width(
        self,
        level: float = 0.95,
        *,
        of: str | None = None,
        people: bool = False,
        together: bool = False,
    ) -> float:
        """Half of the interval to expect from the best mechanism.

        See `Choice.half_width`, whose arguments it takes.

        Raises
        ------
        ValueError
            If no mechanism is left, or as there.

        Examples
        --------
        >>> from ldpnb import choose
        >>> round(choose.Item(n=20_000, epsilon=1.0, k=40).half_width(), 4)
        0.0258
        """
        best = self.best_for(of=of, people=people)
        return best.half_width(level, of=of, people=people, together=together)

    def people_for(
        self,
        half_width: float,
        level: float = 0.95,
        *,
        of: str | None = None,
        people: bool = False,
        together: bool = False,
    ) -> int:
        """How many people the best mechanism takes for this half-width, whatever n is.

        See `Choice.people_for`, whose arguments it takes, and `best_for`.  Of a share, half-widths
        are below 1: 0.01 is ± 1 point.

        Raises
        ------
        ValueError
            If no mechanism is left, or as there.

        Examples
        --------
        >>> from ldpnb import choose
        >>> choose.Item(n=1, epsilon=1.0, k=40).people_for(0.01)  # ± 1 point
        132681
        """
        best = self.best_for(of=of, people=people)
        return best.people_for(half_width, level, of=of, people=people, together=together)

    def people_for_difference(
        self,
        difference: float,
        level: float = 0.95,
        *,
        share: float | None = None,
        power: float = 0.8,
        of: str | None = None,
        together: bool = False,
    ) -> int:
        """How many people *in each of two groups* it takes to see a difference: an A/B test.

        See `Choice.people_for_difference`, whose arguments it takes, and `best_for`: the best at
        the question's share.

        Raises
        ------
        ValueError
            If no mechanism is left, or as there.

        Examples
        --------
        >>> from ldpnb import Number, OneOf
        >>> buys = OneOf(["yes", "no"], epsilon=1.0)
        >>> buys.question().people_for_difference(0.05, share=0.2)  # 20 and 25 %; in each group
        6872
        >>> Number(18, 90, epsilon=1.0).question().people_for_difference(2.0)  # years
        23817
        """
        best = self.best_for(of=of)
        return best.people_for_difference(
            difference, level, share=share, power=power, of=of, together=together
        )

    def epsilon_for(
        self,
        half_width: float,
        level: float = 0.95,
        *,
        of: str | None = None,
        people: bool = False,
        together: bool = False,
    ) -> float:
        """Find the least ε at which the best mechanism that is allowed has this half-width.

        It is found to a millionth of itself, from above, among all ε that are allowed, 1e-6 to 32.

        Parameters
        ----------
        half_width : float, above 0
            0.01 for ± 1 point of a share, below 1; of a mean in the unit of the question's range.
        level, of, people, together
            As in `Choice.half_width`.

        Raises
        ------
        ValueError
            If no ε has it: the error says how many people would; if no mechanism is left; or as
            `Choice.half_width`.

        Examples
        --------
        >>> from ldpnb import choose
        >>> question = choose.Item(n=20_000, epsilon=1.0, k=40)
        >>> epsilon = question.epsilon_for(0.01)
        >>> found = choose.Item(n=20_000, epsilon=epsilon, k=40)
        >>> round(epsilon, 3), round(found.half_width(), 6)
        (2.145, 0.01)
        """
        return least_epsilon(self, half_width, level, of, people, together)

    def smallest_share(
        self,
        level: float = 0.95,
        *,
        sides: int = 2,
        people: bool = False,
        together: bool = False,
        power: float = 0.5,
    ) -> float:
        """Smallest share that any mechanism tells from zero in about half of all surveys.

        With `power` it is told in that part of them.  See `Choice.smallest_share`, whose arguments
        it takes.

        Raises
        ------
        ValueError
            If no mechanism is left, or as there.

        Examples
        --------
        >>> from ldpnb import choose
        >>> round(choose.Sets(n=20_000, epsilon=1.0, d=40, m=3).smallest_share(), 4)
        0.0446
        """
        asked: Any = {"sides": sides, "people": people, "together": together, "power": power}
        ranked = self.rank()
        best = self._narrowest(ranked, None, people)
        least: float = best.smallest_share(level, **asked)
        for one in ranked:  # at other shares another mechanism may be better
            if one.excluded or not one.errors:
                continue
            if one._teller(level, together, sides, power, people)(least * (1 - 1e-8)):
                least = one.smallest_share(level, **asked)
        return least


def _check_range(low: Any, high: Any) -> dict[str, float]:
    """Return both ends of a range as floats, by name."""
    found = {}
    for name, value in (("low", low), ("high", high)):
        if not is_number(value):
            raise ValueError(f"{name} must be a finite number, got {shown(value)}")
        end = as_float(value, name)
        if not isfinite(end):
            raise ValueError(f"{name} must be a finite number, got {shown(value)}")
        found[name] = end + 0.0  # numpy's own types wrap and overflow in what is computed with them
    least, most = WIDTHS
    if not least <= found["high"] - found["low"] <= most:
        rule = f"high must be above low, by {least:g} to {most:g}"
        ends = f"low = {found['low']!r} and high = {found['high']!r}"
        raise ValueError(f"{rule}, got {ends} as floats")
    return found


def _kind(make: Any) -> str:
    made = make.func if isinstance(make, partial) else make
    return str(getattr(made, "__self__", made).__name__)  # the class of a class method


def _nine_digits(x: float) -> float:
    """Return a number to nine digits, by which equals are told from what rounding makes of them."""
    return float(f"{x:.9g}")


def least_epsilon(
    question: Question,
    half_width: float,
    level: float,
    of: str | None,
    people: bool,
    together: bool,
) -> float:
    """Return what `Question.epsilon_for` finds.

    In log-log, the half-width is about a straight line of slope −1.  From the question's ε on,
    steps of about that slope are made until what is sought lies between the last two.
    """
    first = question.best_for(of=of, people=people)
    wanted = check_half_width(half_width, of or next(iter(first.errors)))
    asked: Any = {"level": level, "of": of, "people": people, "together": together}
    least = log(EPSILON_MIN)
    most = log(EPSILON_MAX)

    def at(x: float) -> Question:
        return replace(question, epsilon=min(max(exp(x), EPSILON_MIN), EPSILON_MAX))

    def excess(x: float) -> float:
        """Logarithm of the half-width over the one that is wanted: above 0 where ε is too small."""
        ranked = at(x).rank()
        if ranked[0].excluded:
            return inf
        width = question._narrowest(ranked, of, people).half_width(**asked)
        return log(width) - log(wanted)

    above = log(question.epsilon)
    over = log(first.half_width(**asked)) - log(wanted)
    below = above
    under = over
    while over > 0:
        if above == most:
            best = at(most).best_for(of=of, people=people)
            width = best.half_width(**asked)
            n = best.people_for(wanted, **asked)
            raise ValueError(
                f"half_width must be at least {at_least(width)}, that of {best.name} for "
                f"n = {question.n:,} people at epsilon = {EPSILON_MAX:g}, the largest, "
                f"got {shown(wanted)}: take n = {n:,}, or a lower level"
            )
        below = above
        under = over
        above = min(above + min(1.05 * over + 0.01, 2.0), most)
        over = excess(above)
    while under <= 0:
        if below == least:
            return EPSILON_MIN
        above = below
        over = under
        below = max(below + max(1.05 * under - 0.01, -2.0), least)
        under = excess(below)
    return at(_root(excess, below, above, under, over)).epsilon


def _root(
    excess: Callable[[float], float], below: float, above: float, under: float, over: float
) -> float:
    """Return the place where an excess comes to 0, from above (Illinois).

    It is positive at `below`, where it is `under`, and not at `above`, where it is `over`.
    """
    last = 0  # 1 if the step before moved `below`, −1 if it moved `above`
    while above - below > CLOSE:
        part = 0.5
        if isfinite(under) and under > over:
            part = under / (under - over)
        x = below + (above - below) * part
        x = min(max(x, below + 0.4 * CLOSE), above - 0.4 * CLOSE)
        at = excess(x)
        if at > 0:
            below = x
            under = at
            if last == 1:
                over /= 2
            last = 1
        else:
            above = x
            over = at
            if last == -1:
                under /= 2
            last = -1
    return above


def bits_of(values: int) -> int:
    """Return how many bits tell so many values apart."""
    return (values - 1).bit_length()
