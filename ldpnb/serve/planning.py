r"""What all questions of `ldpnb.serve.choose` share: how they rank, and the questions that go backwards.

Before anybody is asked, a question says how wide the interval of its best mechanism will be (`Question.half_width`),
for how many people, or at which ε, it is narrow enough (`Question.people_for`, `Question.epsilon_for`), how many people
it takes to see a difference between two groups (`Question.people_for_difference`), and which share can be told from
zero (`Question.smallest_share`).  The best one is that for the interval asked for (`Question.best_for`), which need not
be the first of `Question.rank`, the one with the least error for these people.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from math import exp, inf, isfinite, log, sqrt
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

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
from ldpnb.serve.ranking import Choice, Ranking, check_half_width, written

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
    on_page: ClassVar[bool] = True  # whether the page to play with answers it, by closed forms of its own

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {"epsilon": check_epsilon(self.epsilon)}
        for name, (least, most) in ({"n": (1, 2**53 - 1)} | self.limits).items():
            most = min(most, checked["d"]) if name in ("m", "candidates") else most
            checked[name] = check_count(getattr(self, name), least, name, most)
        if self.bits is not None:
            checked["bits"] = check_count(self.bits, 1, "bits")
        if hasattr(self, "share"):
            checked["share"] = check_probability(self.share, "share")
        if hasattr(self, "low") and hasattr(self, "high"):
            for name in ("low", "high"):
                if not is_number(value := getattr(self, name)) or not isfinite(end := as_float(value, name)):
                    raise ValueError(f"{name} must be a finite number, got {shown(value)}")
                checked[name] = end + 0.0  # numpy's own types wrap and overflow in what is computed with them
            if not WIDTHS[0] <= checked["high"] - checked["low"] <= WIDTHS[1]:
                ends = f"low = {checked['low']!r} and high = {checked['high']!r}"
                raise ValueError(f"high must be above low, by {WIDTHS[0]:g} to {WIDTHS[1]:g}, got {ends} as floats")
        for name in ("public_free", "listed"):
            if not isinstance(getattr(self, name, True), bool):
                raise ValueError(f"{name} must be True or False, got {shown(getattr(self, name))}")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @abstractmethod
    def _rows(self) -> list[Row]:
        """List the mechanisms."""

    @abstractmethod
    def _variances(self, mechanism: Any) -> dict[str, float]:
        """Return n times the variances of what is estimated; {} where there is no closed form."""

    @abstractmethod
    def _entries(self) -> int:
        """Return how many such numbers are estimated together."""

    def _population(self, mechanism: Any) -> dict[str, float]:
        """Return `_variances` with the chance of who is asked, for random samples of a population."""
        chance: float = self.share * (1 - self.share)  # type: ignore[attr-defined]
        return {what: variance + chance for what, variance in self._variances(mechanism).items()}

    def _total(self, mechanism: Any, people: bool, share: float | None = None) -> dict[str, float]:
        """Return n times the variances, about the people asked or not, of means in [−1, 1]: see `_unit`."""
        question: Any = self if share is None else replace(self, share=share)  # type: ignore[call-arg]
        found = (question._variances if people else question._population)(mechanism)
        return {what: float(variance) for what, variance in found.items()}

    def _unit(self, what: str) -> float:
        """Return what an error of 1 is in the question's own range; its square might be no float."""
        return (self.high - self.low) / 2 if what == "mean" else 1.0  # type: ignore[attr-defined]

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
        share: float = self.share  # type: ignore[attr-defined]
        return {"share": float(share * own + (1 - share) * other)}

    def _sent(self, private: int, public: int) -> int:
        """Return how many bits of a report count."""
        return private + (0 if self.public_free else public)

    def _shortened(self, made: Any, items: int) -> Any:
        """Return a mechanism that names a set of so many items, with the largest sets that fit if its own do not."""
        if self.bits is None:
            return made
        size, ways = 1, items
        while size < made.set_size and bits_of(ways := ways * (items - size) // (size + 1)) <= self.bits:
            size += 1
        return made if size == made.set_size else replace(made, size=size)

    def _choices(self) -> list[Choice]:
        return [self._choice(row) for row in self._rows()]

    def _choice(self, row: Row) -> Choice:
        make, why, excluded = row.make, row.why, row.barred
        if row.beyond:
            made, why, excluded = None, f"{why}; at most {row.beyond}", True
        else:
            made, excluded = (None, True) if isinstance(make, type | FunctionType) else (make(), excluded)
        total = {} if made is None else self._total(made, True)
        errors = {what: sqrt(variance / self.n) * self._unit(what) for what, variance in total.items()}
        private, public = (None, None) if made is None else (made.report_bits, made.public_bits)
        listed = self.needs_list and getattr(made, "needs_list", True)
        if not excluded and listed and not getattr(self, "listed", True):
            why, excluded = "the client must know the list", True
        if not excluded and self.bits is not None and private is not None and public is not None:
            if (sent := self._sent(private, public)) > self.bits:
                why, excluded = f"a report has {sent:,} bits, {self.bits:,} are allowed", True
        return Choice(
            name=row.name,
            kind=_kind(make if made is None else type(made)),
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

    def rank(self) -> Ranking:
        """Return all mechanisms that answer the question, those that are excluded last.

        Examples
        --------
        >>> from ldpnb.serve import choose
        >>> print(choose.Correlation(n=20_000, epsilon=1.0, d=3).rank()[:2])
        Standard error of the share who hold both of two keys, for 20,000 people at ε = 1;
        ± 95 %: half of an interval, about a population that they are a random sample of
        <BLANKLINE>
        mechanism        both, points  ± 95 %  people  bits, private + public  server works per  needs list
        pairs, k-Subset         3.251   6.373   1.00×                   6 + 2  report and item   yes
        IOH, k-Subset           3.417   6.697   1.10×                  20 + 0  report and item   yes
        """

        def key(choice: Choice) -> tuple[bool, float, int]:
            if choice.excluded or choice.private_bits is None or choice.public_bits is None:
                return True, 0.0, 0  # in the order in which they are listed
            return False, float(f"{choice.error:.9g}"), self._sent(choice.private_bits, choice.public_bits)

        return Ranking(self, tuple(sorted(self._choices(), key=key)))

    def best_for(self, *, of: str | None = None, people: bool = False) -> Choice:
        """Return the mechanism with the narrowest interval: that of the four questions that go backwards.

        `rank` goes by the error about the people asked.  About a population, or about another of the errors, another
        mechanism may be the best.

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
        >>> from ldpnb.serve import choose
        >>> question = choose.OneNumber(n=1000, epsilon=1.0)
        >>> question.rank().best.name, question.best_for().name
        ('Hybrid', 'two points')
        """
        return self._narrowest(self.rank(), of, people)

    def _narrowest(self, ranked: Ranking, of: str | None, people: bool) -> Choice:
        best = ranked.best
        if of is not None and not (isinstance(of, str) and of in best.errors):
            best._variance(of, people)  # refuses it

        def width(choice: Choice) -> float:
            return float(f"{choice._variance(of, people):.9g}")  # of equals, the first of the ranking

        what = of or next(iter(best.errors))
        return min((one for one in ranked if not one.excluded and what in one.errors), key=width)

    def half_width(
        self, level: float = 0.95, *, of: str | None = None, people: bool = False, together: bool = False
    ) -> float:
        """Half of the interval to expect from the best mechanism: `Choice.half_width`, whose arguments it takes.

        Raises
        ------
        ValueError
            If no mechanism is left, or as there.

        Examples
        --------
        >>> from ldpnb.serve import choose
        >>> round(choose.Item(n=20_000, epsilon=1.0, k=40).half_width(), 4)
        0.0258
        """
        return self.best_for(of=of, people=people).half_width(level, of=of, people=people, together=together)

    def people_for(
        self,
        half_width: float,
        level: float = 0.95,
        *,
        of: str | None = None,
        people: bool = False,
        together: bool = False,
    ) -> int:
        """How many people the best mechanism takes for this half-width, whatever n is: `Choice.people_for`.

        See `best_for`.  Of a share, half-widths are below 1: 0.01 is ± 1 point.

        Raises
        ------
        ValueError
            If no mechanism is left, or as there.

        Examples
        --------
        >>> from ldpnb.serve import choose
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
        """How many people *in each of two groups* the best mechanism takes to see a difference: an A/B test.

        See `Choice.people_for_difference`, whose arguments it takes, and `best_for`: the best at the question's share.

        Raises
        ------
        ValueError
            If no mechanism is left, or as there.

        Examples
        --------
        >>> from ldpnb import Number, OneOf
        >>> buys = OneOf(["yes", "no"], epsilon=1.0)
        >>> buys.question().people_for_difference(0.05, share=0.2)  # 20 and 25 %: people in each group
        6872
        >>> Number(18, 90, epsilon=1.0).question().people_for_difference(2.0)  # years
        23817
        """
        best = self.best_for(of=of)
        return best.people_for_difference(difference, level, share=share, power=power, of=of, together=together)

    def epsilon_for(
        self,
        half_width: float,
        level: float = 0.95,
        *,
        of: str | None = None,
        people: bool = False,
        together: bool = False,
    ) -> float:
        """Find the least ε at which the best mechanism that is allowed has this half-width, whatever epsilon is.

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
            If no ε has it: the error says how many people would; if no mechanism is left; or as `Choice.half_width`.

        Examples
        --------
        >>> from ldpnb.serve import choose
        >>> question = choose.Item(n=20_000, epsilon=1.0, k=40)
        >>> epsilon = question.epsilon_for(0.01)
        >>> round(epsilon, 3), round(choose.Item(n=20_000, epsilon=epsilon, k=40).half_width(), 6)
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
        """Smallest share that any mechanism tells from zero in about half of all surveys, or in a part `power` of them.

        See `Choice.smallest_share`, whose arguments it takes.

        Raises
        ------
        ValueError
            If no mechanism is left, or as there.

        Examples
        --------
        >>> from ldpnb.serve import choose
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


def _kind(make: Any) -> str:
    made = make.func if isinstance(make, partial) else make
    return str(getattr(made, "__self__", made).__name__)  # the class of a class method


def least_epsilon(
    question: Question, half_width: float, level: float, of: str | None, people: bool, together: bool
) -> float:
    """Return what `Question.epsilon_for` finds."""
    first = question.best_for(of=of, people=people)
    wanted = check_half_width(half_width, of or next(iter(first.errors)))
    asked: Any = {"level": level, "of": of, "people": people, "together": together}
    least, most = log(EPSILON_MIN), log(EPSILON_MAX)

    def at(x: float) -> Question:
        return replace(question, epsilon=min(max(exp(x), EPSILON_MIN), EPSILON_MAX))

    def excess(x: float) -> float:  # above 0 where ε is too small, in log-log about a straight line of slope −1
        ranked = at(x).rank()
        if ranked[0].excluded:
            return inf
        return log(question._narrowest(ranked, of, people).half_width(**asked)) - log(wanted)

    below = above = log(question.epsilon)
    under = over = log(first.half_width(**asked)) - log(wanted)
    while over > 0:
        if above == most:
            best = at(most).best_for(of=of, people=people)
            width, n = best.half_width(**asked), best.people_for(wanted, **asked)
            raise ValueError(
                f"half_width must be at least {at_least(width)}, that of {best.name} for n = {question.n:,} people at "
                f"epsilon = {EPSILON_MAX:g}, the largest, got {shown(wanted)}: take n = {n:,}, or a lower level"
            )
        below, under = above, over
        above = min(above + min(1.05 * over + 0.01, 2.0), most)
        over = excess(above)
    while under <= 0:
        if below == least:
            return EPSILON_MIN
        above, over = below, under
        below = max(below + max(1.05 * under - 0.01, -2.0), least)
        under = excess(below)
    return at(_root(excess, below, above, under, over)).epsilon


def _root(excess: Any, below: float, above: float, under: float, over: float) -> float:
    """Return the place where an excess that is positive below and not above comes to 0, from above (Illinois)."""
    last = 0
    while above - below > CLOSE:
        x = below + (above - below) * (under / (under - over) if isfinite(under) and under > over else 0.5)
        x = min(max(x, below + 0.4 * CLOSE), above - 0.4 * CLOSE)
        at = excess(x)
        if at > 0:
            below, under, over, last = x, at, over / 2 if last == 1 else over, 1
        else:
            above, over, under, last = x, at, under / 2 if last == -1 else under, -1
    return above


def bits_of(values: int) -> int:
    """Return how many bits tell so many values apart."""
    return (values - 1).bit_length()
