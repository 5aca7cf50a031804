"""Answers of `ldpnb.choose`: mechanisms as choices, with their intervals, and rankings.

A half-width is that of a normal interval, z standard errors to each side.  It is about a population
that the people are a random sample of, as in `ldpnb.postprocess.interval`; ``people=True`` leaves
out the chance of who is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from fractions import Fraction
from functools import partial
from math import ceil, comb, floor, inf, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple, overload

import numpy as np

from ldpnb._sheets import Sheet
from ldpnb.attributes import Blocks, DrawnAttributes, HarmonyFrequency
from ldpnb.chance import exact, inexact
from ldpnb.checks import (
    as_float,
    check_flag,
    check_positive,
    check_probability,
    in_full,
    is_number,
    percent,
    shown,
)
from ldpnb.intervals import exact_below, scatter, support_interval, supported_tail
from ldpnb.keyvalue.ternary import SignedTernary
from ldpnb.oracles.base import Supporting
from ldpnb.postprocess import normal_quantile

LONG = 8  # entries of a tuple that are written out; longer ones are written as a rule
ABOUT = "± 95 %: half of an interval, about a population that they are a random sample of"

Frame = Any  # a DataFrame of pandas, which has no types


class Support(NamedTuple):
    """Reports that support an item or do not."""

    part: float  # of all reports: those that are about the item
    own: Fraction  # probability that a holder's report supports it
    other: Fraction  # the same of somebody else's


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One mechanism as an answer to a question.

    Attributes
    ----------
    name : str
        As chapters call it.
    kind : str
        Class, or function.
    mechanism : Mechanism or None
        Ready to be used; for the two phases of `Frequent` a function of records and `rng`; None
        where more has to be known than the question says.
    errors : dict of str to float
        Standard errors by what they are of, for the people who are asked; shares as fractions,
        means in the unit of the question's range; empty where there is no closed form.
    error : float
        What choices are ranked by; infinite where there is no closed form.
    n : int
        Number of people.
    private_bits, public_bits : int or None
        Of a report.
    server : str
        What the server's work grows with: "report", or "report and item".
    listed : bool
        Whether the client must know all items, keys or attributes beforehand.
    excluded : bool
        Whether something speaks against it.
    why : str
        What it is, or what speaks against it.
    question : Question
        What it answers.

    Examples
    --------
    >>> from ldpnb import choose
    >>> best = choose.Item(n=20_000, epsilon=1.0, k=40).rank()[0]
    >>> best.code, round(best.half_width(), 4), best.people_for(0.01)
    ('SubsetSelection(k=40, epsilon=1.0)', 0.0258, 132681)
    """

    name: str
    kind: str
    mechanism: Any
    errors: dict[str, float]
    error: float
    n: int
    private_bits: int | None
    public_bits: int | None
    server: str
    listed: bool
    excluded: bool
    why: str
    question: Any = field(repr=False)

    @property
    def code(self) -> str:
        """The line of Python that makes the mechanism, of names at the front door.

        It is "" where there is none.  For the two phases of `Frequent` it is the call, of
        ``records`` and ``rng``.
        """
        if self.mechanism is None:
            return ""
        if isinstance(self.mechanism, partial):
            given = [f"{name}={written(value)}" for name, value in self.mechanism.keywords.items()]
            return f"{self.kind}({', '.join(['records', *given, 'rng=rng'])})"
        return str(self.question._code(self.mechanism))

    def people(self, error: float) -> int:
        """How many people it takes for this error (positive; compared with `Choice.error`).

        Raises
        ------
        ValueError
            If it is not a positive number, or too small for people to be counted, or there is no
            closed form.
        """
        error = check_positive(error, "error")
        if self.error == inf:
            raise ValueError(f"error must be one that has a closed form, got one of {self.name}")
        return _counted(self.n, self.error, error, "error")

    def half_width(
        self,
        level: float = 0.95,
        *,
        of: str | None = None,
        people: bool = False,
        together: bool = False,
    ) -> float:
        """Half of the interval to expect: z standard errors.

        Parameters
        ----------
        level : float in (0, 1)
            Of an interval with two sides.
        of : str, optional
            Which of `errors`: the first one, if nothing is said.
        people : bool
            Whether the interval is about the people asked, and not about a population that they are
            a sample of.
        together : bool
            Whether the level is that of all estimates of this kind at once (Bonferroni): of k
            items, say.

        Returns
        -------
        float
            A share as a fraction, 0.01 for one point; a mean in the unit of the question's range.

        Raises
        ------
        ValueError
            If the level is not in (0, 1), or there is no closed form of that name.

        Examples
        --------
        >>> from ldpnb import choose
        >>> best = choose.Item(n=20_000, epsilon=1.0, k=40).rank()[0]
        >>> round(best.half_width(), 4), round(best.half_width(together=True), 4)
        (0.0258, 0.0424)
        """
        z = self._z(level, together)
        error = sqrt(self._variance(of, people) / self.n)
        unit: float = self.question._unit(of or self._first)
        return z * error * unit

    def people_for(
        self,
        half_width: float,
        level: float = 0.95,
        *,
        of: str | None = None,
        people: bool = False,
        together: bool = False,
    ) -> int:
        """How many people it takes for an interval of this half-width.

        Parameters
        ----------
        half_width : float, above 0
            In the unit of `half_width`: 0.01 for ± 1 point of a share; of a share below 1.
        level, of, people, together
            As in `half_width`.

        Raises
        ------
        ValueError
            If an argument is not as said, or there is no closed form.

        Examples
        --------
        >>> from ldpnb import choose
        >>> ages = choose.OneNumber(n=1000, epsilon=0.5, low=18, high=90)
        >>> ages.rank()[0].people_for(1.0)  # ± 1 year
        82997
        """
        width = self.half_width(level, of=of, people=people, together=together)
        wanted = check_half_width(half_width, of or self._first)
        return _counted(self.n, width, wanted, "half_width")

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
        r"""How many people *in each of two groups* it takes to see a difference: an A/B test.

        With V the variance of one report,
        :math:`n = (V_1 + V_2) \{(z + z_{power})/\text{difference}\}^2`.  It is about populations,
        or the effect of a random assignment.  The groups are seen to differ if the interval of
        `ldpnb.survey.difference` leaves out 0, whose level this is.

        Parameters
        ----------
        difference : float, above 0
            0.05 for 5 points of a share; of a mean in the unit of the question's range.
        level : float in (0, 1)
            Of the interval, with two sides.
        share : float, optional
            The smaller one of the two shares; of means of ratings, the share of people who rate, in
            both groups.  That of the question, by default.  Of a number in a range, which has none,
            it must be left out.  Variances of means are the largest that any numbers lead to.
        power : float in [0.5, 1)
            Chance to see the difference.
        of : str, optional
            Which of `errors`; it must be said where there are those of a share and of a mean.
        together : bool
            Whether the level is that of all rows at once (Bonferroni), as
            `ldpnb.survey.differences` has it.

        Raises
        ------
        ValueError
            If an argument is not as said, or there is no closed form.

        Examples
        --------
        >>> from ldpnb import choose
        >>> best = choose.Item(n=1, epsilon=1.0, k=2).rank()[0]
        >>> best.people_for_difference(0.05, share=0.2)  # 20 and 25 %
        6872
        """
        check_power(power)
        if of is None and {"share", "mean"} <= set(self.errors):
            rule = "said where there are shares and means"
            cure = "of='share' for parts of 1, of='mean' for the unit of the range"
            raise ValueError(f"of must be {rule}, got None: {cure}")
        variance = self._variance(of, False)  # checks `of`
        what = of or self._first
        unit = self.question._unit(what)
        wanted = check_half_width(difference, what, "difference")
        width = 2 * unit
        if what == "mean" and wanted > width:
            rule = f"at most {in_full(width)}, the width of the range"
            raise ValueError(f"difference must be {rule}, got {shown(difference)}")
        z = self._z(level, together) + NormalDist().inv_cdf(float(power))
        if not hasattr(self.question, "share"):
            if share is not None:
                why = "its variance is the largest one"
                raise ValueError(f"share must be left out for {what}, got {shown(share)}: {why}")
            both = 2 * variance
        elif "mean" in what:
            both = 2 * (variance if share is None else self._variance_of_mean(what, share))
        else:
            both = self._variance_of_difference(what, share, wanted)
        return _counted(1, z * sqrt(both) * unit, wanted, "difference")

    def _variance_of_mean(self, what: str, share: float) -> float:
        """Return the variance of a mean of the values of a share of people."""
        holders = check_probability(share, "share")
        if holders == 0:
            raise ValueError("share must be above 0 for a mean, got 0: nobody rates")
        found: float = self.question._total(self.mechanism, False, holders)[what]
        return found

    def _variance_of_difference(self, what: str, share: float | None, difference: float) -> float:
        """Return the sum of the variances of two shares, the smaller one of which is given."""
        lower: float = self.question.share
        if share is not None:
            lower = check_probability(share, "share")
        if lower + difference > 1:
            rule = f"at most 1 − difference = {in_full(1 - difference)}"
            why = "it is the smaller one of the two"
            raise ValueError(f"share must be {rule}, got {in_full(lower)}: {why}")
        of_lower: float = self.question._total(self.mechanism, False, lower)[what]
        of_upper: float = self.question._total(self.mechanism, False, lower + difference)[what]
        return of_lower + of_upper

    def smallest_share(
        self,
        level: float = 0.95,
        *,
        sides: int = 2,
        people: bool = False,
        together: bool = False,
        power: float = 0.5,
    ) -> float:
        """Smallest share that half of all surveys, about, tell from zero; or another part of them.

        The survey tells it if the interval that it prints lies above zero.  Where reports support
        an item or do not, that takes a certain number of supporters, which is a binomial count: its
        chance to be reached is exact.  Of what is asked in public, as many are taken to be asked as
        are on average.  Other estimates are taken to be normal, and z of their standard errors at
        this share above zero on average, or more, as `power` asks for.

        Parameters
        ----------
        level, people, together
            As in `half_width`.
        sides : 1 or 2
            Of the interval: 2, as `ldpnb.postprocess.interval` has it, or 1, a low end alone.
        power : float in [0.5, 1)
            Part of the surveys with this share whose interval lies above zero, about.

        Returns
        -------
        float
            In (0, 1].

        Raises
        ------
        ValueError
            If the question is not about a share that can be named, or if no share can be told from
            zero.

        Examples
        --------
        >>> from ldpnb import choose
        >>> best = choose.Item(n=20_000, epsilon=1.0, k=40).rank()[0]
        >>> round(best.smallest_share(), 4), round(best.smallest_share(sides=1), 4)
        (0.0257, 0.0216)
        >>> round(best.smallest_share(power=0.8), 4)
        0.0369
        """
        if not is_number(sides) or sides not in (1, 2):
            raise ValueError(f"sides must be 1 or 2, got {shown(sides)}")
        if not self.errors or not hasattr(self.question, "share"):
            rule = "asked about a share with a closed form"
            got = f"{type(self.question).__name__}, {self.name}"
            raise ValueError(f"smallest_share must be {rule}, got {got}")
        is_told = self._teller(level, together, sides, power, people)
        if not is_told(1.0):
            rule = "larger, or epsilon, for any share to be told from zero"
            got = f"{self.n}, {self.question.epsilon:g}"
            raise ValueError(f"n must be {rule}, got {got}")
        low = 0.0
        high = 1.0
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            if is_told(middle):
                high = middle
            else:
                low = middle
        return high

    def _teller(
        self, level: float, together: bool, sides: int, power: float, people: bool
    ) -> Callable[[float], bool]:
        """Return whether a share, at least, is told from zero in this part of the surveys."""
        check_power(power)
        z = self._z(level, together, sides)
        check_flag(people, "people")
        counted = _counted_reports(self.mechanism, self.question)
        if counted is None or self._is_pooled(counted, z):
            return self._teller_of_normal(z, float(power), people)
        own = counted.own
        other = counted.other
        n = max(1, round(self.n * counted.part))
        these = people and counted.part == 1
        need = needed(n, own, other, z, people=these)
        if these:
            return lambda share: supported_tail(floor(share * n), need, n, own, other) >= power
        from scipy.special import bdtrc

        p = inexact(own)
        q = inexact(other)

        def is_told(share: float) -> bool:
            if need > n:
                return False
            if need == 0:
                return True
            supported = q + (p - q) * share  # the chance of a report
            return float(bdtrc(need - 1, n, supported)) >= power

        return is_told

    def _teller_of_normal(self, z: float, power: float, people: bool) -> Callable[[float], bool]:
        """Return the same for estimates that are taken to be normal."""
        what = self._first
        standard_errors = z + NormalDist().inv_cdf(power)

        def is_told(share: float) -> bool:
            variance: float = self.question._total(self.mechanism, people, share)[what]
            return share > standard_errors * sqrt(variance / self.n)

        return is_told

    def _is_pooled(self, counted: Support, z: float) -> bool:
        """Whether shares of pairs are estimated from more reports than those about both."""
        if not isinstance(self.mechanism, Blocks) or self.question.attributes == 1:
            return False
        about_both = round(self.n * counted.part)
        return bool(scatter(0.0, about_both, counted.own, counted.other) >= exact_below(z))

    @property
    def _first(self) -> str:
        """What the first error is of."""
        return next(iter(self.errors))

    def _z(self, level: float, together: bool, sides: int = 2) -> float:
        """Return how many standard errors an interval has to each side."""
        entries = 1
        if check_flag(together, "together"):
            entries = self.question._entries()
        z = normal_quantile(level, entries * sides / 2)
        if z <= 0:
            rule = "above 0.5 where an interval has one side"
            raise ValueError(f"level must be {rule}, got {shown(level)}")
        return z

    def _variance(self, of: str | None, people: bool) -> float:
        """Return n times the variance of one estimate, of a mean in [−1, 1]."""
        is_known = of is None or (isinstance(of, str) and of in self.errors)
        if not self.errors or not is_known:
            known = ", ".join(self.errors) or "nothing: there is no closed form"
            rule = f"one of what {self.name} has errors of ({known})"
            cure = ""
            if of == "mean":
                cure = ": OneOf(…).plan_mean(n) has the error of a mean of values"
            raise ValueError(f"of must be {rule}, got {shown(of)}{cure}")
        total: dict[str, float] = self.question._total(self.mechanism, check_flag(people, "people"))
        return total[of or self._first]


@dataclass(frozen=True, repr=False)
class Ranking(Sequence[Choice]):
    """All mechanisms that answer a question, the best one first, those that are excluded last.

    A sequence of `Choice`: it has indices, slices, a length, and prints as a table.

    Parameters
    ----------
    question : Question
    choices : tuple of Choice

    Examples
    --------
    >>> from ldpnb import choose
    >>> print(choose.OneNumber(n=20_000, epsilon=0.5, low=18, high=90).rank())
    Standard error of the mean of a number in [18, 90], for 20,000 people at ε = 0.5;
    ± 95 %: half of an interval, about a population that they are a random sample of
    <BLANKLINE>
    mechanism      mean  ± 95 %  people  bits, private + public  server works per  needs list
    two points    1.039   2.037   1.00×                   1 + 0  report            no
    Hybrid        1.039   2.037   1.00×                   1 + 0  report            no
    Laplace, cut  1.124   2.237   1.17×                   7 + 0  report            no
    Piecewise     1.168   2.343   1.26×                   7 + 0  report            no
    """

    question: Any
    choices: tuple[Choice, ...]

    @overload
    def __getitem__(self, at: int) -> Choice: ...
    @overload
    def __getitem__(self, at: slice) -> Ranking: ...
    def __getitem__(self, at: int | slice) -> Choice | Ranking:
        """Return a choice, or those of a slice."""
        if isinstance(at, slice):
            return Ranking(self.question, self.choices[at])
        return self.choices[at]

    def __len__(self) -> int:
        """Return the number of choices, with those that are excluded."""
        return len(self.choices)

    def __iter__(self) -> Iterator[Choice]:
        """Go through all choices."""
        return iter(self.choices)

    @property
    def best(self) -> Choice:
        """The first choice.

        Raises
        ------
        ValueError
            If all are excluded.
        """
        if self.choices and not self.choices[0].excluded:
            return self.choices[0]
        question = self.question
        given = []
        for name in ("bits", "public_free", "listed"):
            if hasattr(question, name):
                given.append(f"{name} = {getattr(question, name)}")
        sent = []
        for one in self:
            if one.errors:
                sent.append(question._sent(one.private_bits, one.public_bits))
        got = f"{', '.join(given)}, which exclude all"
        if sent:
            got += f": the shortest report has {min(sent):,} bits"
        raise ValueError(f"question must leave a mechanism, got {got}")

    def to_frame(self) -> Frame:
        """Return one row a choice as a pandas DataFrame, nothing rounded.

        Columns are `name`, the errors by what they are of ("error: share", …), `error`,
        `half_width` (95 %, about a population), `private_bits`, `public_bits`, `server`, `listed`,
        `excluded`, `why` and `code`.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> from ldpnb import choose
        >>> choose.Item(n=20_000, epsilon=1.0, k=3).rank().to_frame()["name"][0]
        'k-RR'
        """
        try:
            import pandas as pd  # type: ignore[import-untyped]
        except ImportError as missing:
            cure = "install ldpnb with its extra, ldpnb[chapters]"
            raise ImportError(f"to_frame needs pandas: {cure}") from missing
        rows = [_row(choice) for choice in self.choices]
        frame = pd.DataFrame(rows)
        if not rows:
            return frame
        return frame.astype({"private_bits": "Int64", "public_bits": "Int64"})

    def __repr__(self) -> str:
        """Return the table."""
        return self._sheet().text()

    def _repr_html_(self) -> str:
        return self._sheet().html()

    def _sheet(self) -> Sheet:
        """Return the table that is shown, with the lines above and below it."""
        question = self.question
        people = f"for {question.n:,} people at ε = {question.epsilon:g}"
        above = [f"Standard error of {question._what()}, {people};", ABOUT, ""]
        usable = [choice for choice in self if not choice.excluded]
        others = [choice for choice in self if choice.excluded]
        cells = []
        if usable:
            cells = _cells(usable)
        else:
            above.append("No mechanism is left.")
        below = []
        if others:
            below += ["", "Excluded:"]
        for choice in others:
            line = f"  {choice.name}: {choice.why}"
            if choice.errors:
                line += f" (error {_digits(choice.error, choice._first)})"
            below.append(line)
        last = len(cells[0]) - 1 if cells else 0
        return Sheet(cells, below, above, left=(0, last - 1, last))


def _row(choice: Choice) -> dict[str, Any]:
    """Return what a frame has of a choice."""
    row: dict[str, Any] = {"name": choice.name}
    for what, error in choice.errors.items():
        row[f"error: {what}"] = error
    row["error"] = choice.error
    row["half_width"] = choice.half_width() if choice.errors else inf
    for name in ("private_bits", "public_bits", "server", "listed", "excluded", "why", "code"):
        row[name] = getattr(choice, name)
    return row


def _cells(usable: Sequence[Choice]) -> list[list[str]]:
    """Return the cells of choices that can be used: the head, and then the best one first."""
    best = usable[0]
    named = list(best.errors)
    head = ["mechanism"]
    head += [f"{what}{_unit(what)}" for what in named]
    head += ["± 95 %", "people", "bits, private + public", "server works per", "needs list"]
    rows = [head]
    for one in usable:
        row = [one.name]
        row += [_digits(one.errors[what], what) for what in named]
        row.append(_digits(one.half_width(), named[0]))
        row.append(_times((one.error / best.error) ** 2))
        row.append(f"{one.private_bits:,} + {one.public_bits:,}")
        row.append(one.server)
        row.append("yes" if one.listed else "no")
        rows.append(row)
    return rows


def needed(n: int, own: Fraction, other: Fraction, z: float, *, people: bool = False) -> int:
    """Return how many supporters it takes for an interval above zero; n + 1 if all are not enough.

    Parameters
    ----------
    n : int
        Number of reports.
    own, other, z
        As in `ldpnb.intervals.support_interval`.
    people : bool
        Whether the interval is about these people.

    Examples
    --------
    Of 300 reports by k-RR over 100 items at ε = 4, 1.95 support an item by chance.

    >>> needed(300, Fraction(546, 1536), Fraction(10, 1536), 1.96)
    6
    """
    sampled = 0.0 if people else 1.0
    low = -1
    high = n + 1
    while high - low > 1:
        middle = (low + high) // 2
        end, _ = support_interval(middle, n, own, other, z, sampled=sampled)
        if end > 0:
            high = middle
        else:
            low = middle
    return high


def _counted_reports(mechanism: Any, question: Any) -> Support | None:
    """Return what is known of reports that support an item or do not.

    None where reports do more than support a share or not.
    """
    if isinstance(mechanism, Supporting):
        return Support(1.0, *mechanism.chances)
    if isinstance(mechanism, SignedTernary):
        alpha, beta, gamma = mechanism.answer
        used = exact(float(mechanism.used(np.array([1]))[0]))
        own = 2 * gamma + (alpha + beta - 2 * gamma) * used
        return Support(mechanism.asked, own, 2 * gamma)
    if isinstance(mechanism, HarmonyFrequency):
        return Support(1 / len(mechanism.sizes), mechanism.truth, Fraction(1, 2))
    if isinstance(mechanism, DrawnAttributes) and isinstance(mechanism.oracle, Supporting):
        return Support(1 / mechanism.questions, *mechanism.oracle.chances)
    if isinstance(mechanism, Blocks) and len(set(mechanism.sizes)) == 1:
        d = len(mechanism.sizes)
        together = question.attributes
        keep = exact(mechanism.keep[0])
        blind = (1 - keep) / mechanism.sizes[0] ** together
        part = comb(mechanism.size, together) / comb(d, together)
        return Support(part, keep + blind, blind)
    return None


def check_half_width(value: Any, what: str, name: str = "half_width") -> float:
    """Return a half-width, or a difference, of a share or of a mean.

    Raises
    ------
    ValueError
        If it is no positive number, or of a share not below 1.
    """
    point = "± 1 point" if name == "half_width" else "1 point"
    width = as_float(value, name) if is_number(value) else 0.0
    if not 0 < width < inf:
        cure = f"0.01 is {point} of a share"
        raise ValueError(f"{name} must be a positive number, got {shown(value)}: {cure}")
    if "mean" not in what and width >= 1:
        rule = "below 1, which is 100 points"
        raise ValueError(f"{name} must be {rule}, got {shown(value)}: 0.01 is {point}")
    return width


def check_power(power: Any) -> None:
    """Refuse what is no part of surveys, at least half, that a question can be asked about."""
    if not is_number(power) or not 0.5 <= power < 1 or float(power) == 1:
        got = f"{shown(power)}{percent(power)}"
        raise ValueError(f"power must be a number in [0.5, 1), got {got}")


def _counted(n: int, now: float, wanted: float, name: str) -> int:
    """Return how many people it takes for a wanted error, if n people have that of now."""
    ratio = now / wanted
    if ratio > 1e100:
        raise ValueError(f"{name} must be at least 1e-100 of {in_full(now)}, got {shown(wanted)}")
    return max(1, ceil(n * ratio**2 * (1 - 1e-12)))  # n itself for its own error


def written(value: Any) -> str:
    """Write a value as Python that makes it again, without what a mechanism has by default."""
    if is_dataclass(value) and not isinstance(value, type):
        return _written_fields(value)
    if isinstance(value, tuple):
        return _written_tuple(value)
    if isinstance(value, str):
        return f'"{value}"'
    return repr(value)


def _written_fields(value: Any) -> str:
    """Write a dataclass, with those of its fields that differ from the default."""
    kept = []
    for one in fields(value):
        own = getattr(value, one.name)
        if one.init and (one.default is MISSING or own != one.default):
            kept.append(f"{one.name}={written(own)}")
    return f"{type(value).__name__}({', '.join(kept)})"


def _written_tuple(value: tuple[Any, ...]) -> str:
    """Write a tuple; one that is long by its rule, if it is all alike, or are numbered keys."""
    n = len(value)
    if n > LONG and len(set(value)) == 1:
        return f"({written(value[0])},) * {n}"
    if n > LONG and value == tuple(f"key {i}" for i in range(1, n + 1)):
        return f'tuple(f"key {{i}}" for i in range(1, {n + 1}))'
    if n == 1:
        return f"({written(value[0])},)"
    return f"({', '.join(map(written, value))})"


def _unit(what: str) -> str:
    if what == "mean":
        return ""
    return ", points"


def _digits(x: float, what: str) -> str:
    """Write an error: a share in points, four digits."""
    if what != "mean":
        x = 100 * x
    return f"{x:#.4g}".rstrip(".")


def _times(ratio: float) -> str:
    if ratio < 9.995:
        return f"{ratio:,.2f}×"
    if ratio < 1e6:
        return f"{ratio:,.0f}×"
    return f"{ratio:.1e}×"
