r"""Weighted sums of rows: differences, scores and means of one result, and differences of two.

Rows of one result come from the same reports, so that their errors do not add.  `variance_of` asks
the mechanism; where its tally does not tell, the error of a sum is at most the sum of the errors
(Cauchy–Schwarz), which is said.

Two results of other people are independent: variances add.  Of the same people, given what they
answer, noise of the two is independent, too, but the answers are not: with X and Y what a person
contributes to either, n times the variance has a part :math:`\operatorname{Var}(X - Y)`, and which
X goes with which Y is in no report.  `largest_apart` is the largest that it can be with these laws
of X and Y.

Which interval a sum has follows from one principle, see ``ldpnb.survey._ends``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import combinations
from math import inf, isfinite, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldpnb._sheets import Sheet
from ldpnb.asked import AsksSome, contrast_variance_of_asked, estimate_of_asked
from ldpnb.attributes import Blocks
from ldpnb.chance import inexact
from ldpnb.checks import as_float, check_count, is_number, shown
from ldpnb.collecting._columns import key, other_type, told
from ldpnb.core import Floats, Untold
from ldpnb.intervals import support_interval
from ldpnb.keyvalue import Wheel
from ldpnb.keyvalue.ternary import SignedTernary
from ldpnb.oracles import GRR
from ldpnb.oracles.base import FrequencyOracle
from ldpnb.postprocess import norm_sub, normal_quantile
from ldpnb.survey._ends import (
    LEAST,
    PART,
    Ends,
    added,
    chance_of_zero,
    exact,
    moved,
    normal,
    reaching,
    settled,
)

if TYPE_CHECKING:
    from ldpnb.attributes.records import Set
    from ldpnb.survey._results import Result

ROUNDING = 1e-9  # of a variance that is 0, in units of that of one row
NOTHING = 1e-13  # of a squared score: less than this scatter is rounding
ALIKE = 1e-14  # of the largest weight: closer ones are the same, as 0.1 + 0.2 and 0.3
SAME_VALUE = 4e-16  # of the largest value: closer ones are one, written in two ways
BESIDE = 1e-12  # of 1 − level: p is so far from it where p and the interval would say two things
SMALLEST = 1e-50  # of a weight: squares of products of two are neither 0 nor infinite
LARGEST = 1e50
ALONE = "one result: its rows come from the same reports, which is allowed for"
OTHERS = "other people in each: variances add; results of the same people are same_people=True"
ASSIGNED = (
    "of these two groups as they are; "
    "for the effect of what was assigned at random, leave out people=True"
)
INTERVAL = "low, high: "
NOISE = "the same people, and an error about these people alone: noise adds"
DRAWN = (
    "people drawn from one group: the error is at most this, "
    "since no report tells how two answers go together"
)
SAME = (
    "people of one group: the error is at most this, "
    "since no report tells how a person's two answers go together"
)
UNTOLD = "–: too few reports tell the error, or that of one part, which is estimated as 0"
OF_ONE_REPORT = (
    "–: too few reports tell the error, or that of one part, which is estimated as at most that of "
    "one report: collect more"
)
OF_POPULATION = ", or take an error about a population, people=False"
AT_MOST = "the error is at most this, since reports do not tell how these rows go together"


class Support(NamedTuple):
    """How many reports support a row or a set, of how many, and with what chances."""

    supporters: float
    reports: float
    own: Fraction
    other: Fraction

    @property
    def part_of_a_report(self) -> float:
        """What distances have more than z standard errors, see ``ldpnb.survey._ends``."""
        return PART / (self.reports * abs(inexact(self.own - self.other)))


@dataclass(frozen=True, eq=False)
class Part:
    """A weighted sum of rows of one result.

    Attributes
    ----------
    result : Result
    weights : ndarray (labels,)
    """

    result: Result
    weights: Floats

    def span(self, what: str) -> tuple[float, float]:
        """Return the least and the largest that the sum can be, with each share between 0 and 1.

        Parameters
        ----------
        what : str
            "share" or "mean": of shares, the mean of the values that stand for them.
        """
        result = self.result
        if what == "mean" and result.what == "share":
            return float(np.nanmin(result.values)), float(np.nanmax(result.values))
        low, high = result.span
        least = 0.0
        most = 0.0
        for weight in self.weights[self.weights != 0].tolist():
            least += min(weight * low, weight * high)
            most += max(weight * low, weight * high)
        return least, most


@dataclass(frozen=True, eq=False)
class Contrast:
    """A weighted sum of rows, or a difference of two, with its standard error and interval.

    ``print`` shows a line.  A sum with one row has the interval of that row, as it is printed but
    for the level; by k-RR, so has one of several rows with one weight, as if they were a row.  A
    difference of results, or a change, combines the intervals of both; about these people, the
    wider ones of `between`.  Other sums of several rows
    of one result follow the normal law, with limits that `ldpnb.survey.Result.contrast` states;
    where their error is estimated as 0, ends and p are NaN; these and the error print as "–".

    Attributes
    ----------
    label : str
        What it is, in terms of the rows.
    estimate, error, low, high : float
        Shares are parts of 1; means are in the number's own unit.  An error is NaN where it would
        be that of one report, see `ldpnb.survey.Result.mean`.
    level : float
        Of the interval, and of all intervals at once where several were asked for.
    family : int
        How many were asked for at once: the interval and `p_value` allow for it (Bonferroni).
    what, unit : str
        "share" or "mean", and the unit of a mean.
    said : str
        What errors are about.
    parts : tuple of Part
        What it was made of.
    least, most : float
        The least and the largest that it can be.
    ends : function
        Ends of the interval, from z, the quantile of a level.
    between : function, optional
        About these people: ends that need not be shares which they can have, and that reach z
        standard errors at least, for sums over several results.  Where there are none, `ends` are
        taken.
    """

    label: str
    estimate: float
    error: float
    level: float
    family: int
    what: str
    unit: str
    said: str
    parts: tuple[Part, ...]
    least: float
    most: float
    ends: Ends
    between: Ends | None = None

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self._interval[0]

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self._interval[1]

    @cached_property
    def _interval(self) -> tuple[float, float]:
        return self._settled(normal_quantile(self.level, self.family))

    @property
    def _settled(self) -> Ends:
        """Its ends, 0 where they are 0 but for rounding."""
        return partial(settled, self.ends, self.most - self.least)

    @property
    def share(self) -> float:
        """The estimate, where it is of shares."""
        return self.estimate

    @property
    def mean(self) -> float:
        """The estimate, where it is of means."""
        return self.estimate

    @property
    def is_sum(self) -> bool:
        """Whether it is a share of people itself: rows of one result that are added up."""
        return len(self.parts) == 1 and set(self.parts[0].weights.tolist()) <= {0.0, 1.0}

    @cached_property
    def p_value(self) -> float:
        """Smallest 1 − level whose interval leaves out 0, times the number of sums at once.

        It counts the sums that were asked for at once.  It is at most 1 − `level` where the
        interval leaves out 0, and there alone: an end at 0 holds it.  For one sum, nothing below
        1e-9 is looked for, which prints as "<1e-09"; if the interval leaves out 0 at a `level`
        beyond 1 − 1e-9, it is 1 − `level`.  NaN where the interval is: too few reports tell the
        error of several rows.
        """
        if not isfinite(self._chance):
            return nan
        found = min(1.0, self.family * self._chance)
        out = 1 - self.level
        holds = self.low <= 0 <= self.high
        if holds and found <= out:  # exact ends take steps, and may do so to and fro
            return min(1.0, out * (1 + BESIDE))
        if not holds and found > out:
            return out * (1 - BESIDE)
        return found

    @property
    def to_add(self) -> Ends:
        """Its ends where it is a part of a sum over several results."""
        if self.between is not None:
            return self.between
        if any(part.result.people for part in self.parts):
            return partial(reaching, self.estimate, self.error, 0.0, self.ends)
        return self.ends

    @cached_property
    def _chance(self) -> float:
        return chance_of_zero(self._settled)

    @property
    def tests_zero(self) -> bool:
        """Whether 0 lies inside of what it can be: only then is p printed.

        A share, a sum of shares, or a mean of the numbers 1 to 5 cannot lie on both sides of 0; a
        difference of two groups can.
        """
        return self.least < 0 < self.most

    def __str__(self) -> str:
        return _sheet([self]).text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _sheet([self]).html()


class Contrasts(dict[str, Contrast]):
    """Several weighted sums by name, whose intervals hold all at once.

    ``print`` shows them as a table.

    Attributes
    ----------
    heading : str
        What all of them are, "" if nothing.
    """

    heading: str = ""

    def __str__(self) -> str:
        return _sheet(self._rows(), self.heading).text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _sheet(self._rows(), self.heading).html()

    def _rows(self) -> list[Contrast]:
        """Return the sums, each with its name."""
        return [replace(one, label=name) for name, one in self.items()]


def _sheet(rows: Sequence[Contrast], heading: str = "") -> Sheet:
    """Return a table, and the lines that say what it is about."""
    return Sheet(_cells(rows, heading), _said(rows))


def _said(rows: Sequence[Contrast]) -> list[str]:
    """Return the lines below a table, each once."""
    said: list[str] = []
    for one in rows:
        said += one.said.splitlines()
    tested = any(one.tests_zero for one in rows)
    lines = []
    for line in dict.fromkeys(said):
        if tested and line.startswith(INTERVAL):
            line += "; p: if 0 were true"
        lines.append(line)
    return [*lines, *untold(rows)]


def untold(rows: Sequence[Contrast]) -> list[str]:
    """Return lines that say why errors are not told, none if all are."""
    lines = []
    lost = [one for one in rows if isnan(one.low)]
    if any(not isnan(one.error) for one in lost):
        lines.append(UNTOLD)
    of_one_report = [one for one in lost if isnan(one.error)]
    if of_one_report:
        about_people = any(part.result.people for one in of_one_report for part in one.parts)
        lines.append(OF_ONE_REPORT + (OF_POPULATION if about_people else ""))
    return lines


def _cells(rows: Sequence[Contrast], heading: str) -> list[list[str]]:
    """Return the cells of a table, the head first; all rows are shares, or all are means."""
    first = rows[0]
    scale = 1
    unit = f" {first.unit}" if first.unit else ""
    if first.what == "share":
        scale = 100
        unit = " %" if all(one.is_sum for one in rows) else " points"
    decimals = _decimals(rows, scale)
    tested = any(one.tests_zero for one in rows)
    head = [heading, first.what, "error", "low", "high"]
    if tested:
        head.append("p")
    cells = [head]
    for one in rows:
        error = nan if isnan(one.low) else one.error  # 0, as too few reports tell it
        row = [one.label]
        for number in (one.estimate, error, one.low, one.high):
            row.append("–" if isnan(number) else f"{scale * number:,.{decimals}f}{unit}")
        if tested:
            row.append(_chance(one))
        cells.append(row)
    return cells


def _decimals(rows: Sequence[Contrast], scale: int) -> int:
    """Return how many decimals show two digits of the least error."""
    errors = [one.error for one in rows if one.error > 0]
    if not errors:
        errors = [(one.high - one.low) / 4 for one in rows]
    least = min((scale * error for error in errors if error > 0), default=1.0)
    return min(6, max(0, 1 - int(np.floor(np.log10(least)))))


def _chance(one: Contrast) -> str:
    """Write a p-value, where there is one."""
    if not one.tests_zero:
        return ""
    if isnan(one.p_value):
        return "–"
    below = "<" if one._chance <= LEAST else ""
    return f"{below}{one.p_value:.2g}"


# ------------------------------------------------------------------------------------------ weights


def place_of(label: Any, labels: Sequence[Any]) -> int | None:
    """Return the place of a label among others, None if it is none of them."""
    return _found(label, {key(one): i for i, one in enumerate(labels)})


def _found(label: Any, places: Mapping[Any, int]) -> int | None:
    try:
        return places.get(key(label))
    except ValueError:  # it could be none
        return None


def finite(value: Any, name: str) -> float:
    """Return a finite number as a float."""
    found = as_float(value, name) if is_number(value) else nan
    if not isfinite(found):
        raise ValueError(f"{name} must be finite numbers, got {shown(value)}")
    check_size(found, name)
    return found


def is_of_size(weight: float) -> bool:
    """Return whether a number is 0, or one whose squares a float holds."""
    return weight == 0 or SMALLEST <= abs(weight) <= LARGEST


def check_size(weight: float, name: str) -> None:
    """Refuse a number, other than 0, whose squares a float may not hold."""
    if not is_of_size(weight):
        rule = f"0, or of a size from {SMALLEST:g} to {LARGEST:g}"
        raise ValueError(f"{name} must be {rule}, got {shown(weight)}: scale all of them")


def weights_of(given: Mapping[Any, Any], labels: Sequence[Any], name: str = "weights") -> Floats:
    """Return a weight for each label, 0 for those that are not named."""
    found = np.zeros(len(labels))
    places = {key(one): i for i, one in enumerate(labels)}
    for label, weight in given.items():
        place = _found(label, places)
        if place is None:
            cure = ""
            if isinstance(label, tuple):
                cure = (
                    ": of two questions, results.difference((question, label), (question, label))"
                )
            else:
                cure = other_type(label, labels)
            rule = f"of the labels {told(labels)}"
            raise ValueError(f"{name} must be {rule}, got {shown(label)}{cure}")
        found[place] = finite(weight, name)
    return found


def _written(weights: Floats, labels: Sequence[Any]) -> str:
    """Write a weighted sum in words, what is added first."""
    used = np.flatnonzero(weights).tolist()
    text = ""
    for i in sorted(used, key=lambda i: bool(weights[i] < 0)):
        size = abs(weights[i])
        factor = "" if size == 1 else f"{size:g} × "
        sign = "− " if weights[i] < 0 else "+ "
        if text:
            sign = f" {sign}"
        elif weights[i] > 0:
            sign = ""
        text += f"{sign}{factor}{labels[i]}"
    if len(text) <= 60:
        return text
    return f"{text[:29]} … {text[-28:]}"


# ---------------------------------------------------------------------------------- within a result


def contrast(result: Result, weights: Any, level: float) -> Contrast | Contrasts:
    """Estimate one weighted sum of rows, or several by name; see `Result.contrast`."""
    if not isinstance(weights, Mapping) or not weights:
        rule = 'a dict of numbers by label, such as {"promoter": 1, "detractor": -1}'
        raise ValueError(f"weights must be {rule}, got {shown(weights)}")
    normal_quantile(level)  # checks it
    several = [isinstance(one, Mapping) for one in weights.values()]
    if not any(several):
        return _one(result, weights_of(weights, result.labels), level, 1, "")
    if not all(several):
        rule = "numbers, or a dict for each name"
        raise ValueError(f"weights must be {rule}, got both: {shown(weights)}")
    for name in weights:
        if not isinstance(name, str) or not name.strip():
            rule = "sums by name, a string that is not empty"
            raise ValueError(f"weights must be {rule}, got {shown(name)}")
    each = {}
    for name, one in weights.items():
        each[name] = weights_of(one, result.labels, f"weights[{name!r}]")
    found = Contrasts()
    for name, w in each.items():
        found[name] = _one(result, w, level, len(each), name)
    return found


def _one(result: Result, weights: Floats, level: float, family: int, name: str) -> Contrast:
    """Return a weighted sum of rows, if all of them are told."""
    if not weights.any():
        where = f" for {name}" if name else ""
        raise ValueError(f"weights must not all be 0, got that{where}")
    used = np.flatnonzero(weights)
    lost = [result.labels[i] for i in used if not isfinite(result.estimate[i])]
    if lost:
        cure = "too few to tell; leave them out"
        raise ValueError(f"weights must be of rows that are told, got {told(lost)}: {cure}")
    estimate = float(result.estimate[used] @ weights[used])
    return _made(Part(result, weights), estimate, level, family, _written(weights, result.labels))


def _made(
    part: Part, estimate: float, level: float, family: int, label: str, what: str = ""
) -> Contrast:
    """Make a contrast of one result, whose variance is that of its weights."""
    result = part.result
    kind = what or result.what
    variance, bound = variance_of(result, part.weights, result.people)
    # the square, at least, of one report's score
    one_score = float(part.weights @ part.weights) * result.scale**2
    error = 0.0
    if variance * result.tally.n > NOTHING * one_score:
        error = sqrt(variance)
    least, most = part.span(kind)
    of_rows = AT_MOST if bound else ALONE
    return Contrast(
        label,
        estimate,
        error,
        ends=_ends_of(part, estimate, error),
        between=_between(part, estimate, error),
        level=level,
        family=family,
        what=kind,
        unit=result.unit,
        said=f"{_reports(result)}\n{of_rows}\n{_interval_said(level, family, result)}",
        parts=(part,),
        least=least,
        most=most,
    )


def _ends_of(part: Part, estimate: float, error: float) -> Ends:
    """Return the ends of a weighted sum of rows.

    They are those of the row or set, if it is only one, else normal ones.
    """
    result = part.result
    weights = fewest(result, part.weights)
    used = np.flatnonzero(weights)
    if len(used) == 0:
        return partial(exact, estimate)
    factor = float(weights[used[0]])
    shift = estimate - factor * float(result.estimate[used].sum())
    if len(used) == 1:
        of_row = partial(_ends_of_row, result, int(used[0]))
        return partial(moved, of_row, factor, shift)
    if _names_one(result) and np.all(weights[used] == factor):
        support = _support_of_set(result, used)
        of_set = partial(_ends_of_support, support, _sampled(result), True)
        return partial(moved, of_set, factor, shift)
    return partial(normal, estimate, error)


def _between(part: Part, estimate: float, error: float) -> Ends | None:
    """Return ends of a row or set that need not be shares which these people can have.

    None where the sum is of other rows, or ends are no such shares anyway.
    """
    result = part.result
    if not result.people or result.of is not None:
        return None
    weights = fewest(result, part.weights)
    used = np.flatnonzero(weights)
    if len(used) == 0:
        return None
    factor = float(weights[used[0]])
    shift = estimate - factor * float(result.estimate[used].sum())
    if len(used) == 1:
        support = _support_of_row(result, int(used[0]))
    elif _names_one(result) and np.all(weights[used] == factor):
        support = _support_of_set(result, used)
    else:
        support = None
    if support is None:
        return None
    ends = partial(moved, partial(_ends_of_support, support, 0.0, False), factor, shift)
    return partial(reaching, estimate, error, abs(factor) * support.part_of_a_report, ends)


def _support_of_row(result: Result, place: int) -> Support | None:
    """Return by how many reports a row is supported; None if not all people were asked about it."""
    for part in result.support:
        rows = range(len(result))[part.rows]
        if place not in rows:
            continue
        at = rows.index(place)
        n = np.broadcast_to(part.n, len(rows))[at]
        if n == result.tally.n:
            return Support(float(part.count[at]), float(n), *part.chances)
    return None


def _support_of_set(result: Result, places: Any) -> Support:
    """Return by how many reports a set of categories is supported, by k-RR.

    A report is in a set of s categories with chance p + (s − 1) q if the answer is, and else with s
    q: so many reports support the set as if it was one category with these chances.
    """
    m: Any = result.tally.mechanism
    tally = result.tally
    p, q = m.chances
    count = m.supporters(tally)[places].sum()
    size = len(places)
    return Support(float(count), float(tally.n), p + (size - 1) * q, size * q)


def _ends_of_support(
    support: Support, sampled: float, possible: bool, z: float
) -> tuple[float, float]:
    """Return the ends of the share that so many reports support, see `support_interval`."""
    low, high = support_interval(*support, z, sampled=sampled, possible=possible)
    return float(low), float(high)


def _ends_of_row(result: Result, place: int, z: float) -> tuple[float, float]:
    """Return the ends of the interval of a row."""
    if result.ends_at is None:
        return normal(float(result.estimate[place]), float(result.error[place]), z)
    return result.ends_at(z, place)


def _sampled(result: Result) -> float:
    """Return the part of the chance of who is asked that counts, see `support_interval`."""
    if not result.people:
        return float(result.rounds)
    if result.of is None:
        return 0.0
    return (result.of - result.tally.n) / max(1, result.of - 1)


def fewest(result: Result, weights: Floats) -> Floats:
    """Return weights whose sum differs by a constant alone, as few as possible.

    They are of one row or none, or of one set, where that is possible.  Where each report supports
    as many categories as any other, as in k-RR, estimated shares sum to 1: one number less in all
    weights takes that number from each such sum.  The share of two of three categories is 1 less
    the third.  A set is of rows with one weight, where a report names one category; of two sets
    that have all, it is the smaller.
    """
    if np.count_nonzero(weights) <= 1:
        return weights
    common = np.sort(weights)[len(weights) // 2]  # if more than half are alike, it is what they are
    rounding = ALIKE * float(np.abs(weights).max())
    left: Floats = weights - common
    left[np.abs(left) <= rounding] = 0
    used = np.flatnonzero(left)
    if len(used) <= 1:
        return left if _sums_to_one(result) else weights
    if _names_one(result) and np.ptp(left[used]) <= rounding:
        left[used] = left[used[0]]
        return left
    return weights


def _names_one(result: Result) -> bool:
    """Whether each report names one category.

    It is as likely to name any that is not the answer.
    """
    m = result.tally.mechanism
    return result.what == "share" and isinstance(m, GRR) and len(result) == m.k


def _sums_to_one(result: Result) -> bool:
    """Whether estimated shares sum to 1, whatever the reports are.

    The sum of their scores has no variance then.
    """
    m: Any = result.tally.mechanism
    if result.what != "share" or not isinstance(m, FrequencyOracle):
        return False
    if not hasattr(m, "linear_variance"):
        return False
    try:
        whole = m.linear_variance(np.ones(m.k))
        row = m.linear_variance(np.eye(m.k)[0])
    except Untold:
        return False
    return float(np.max(whole)) <= ROUNDING * float(np.max(row))


def _reports(*results: Result) -> str:
    """Say how many reports there are, and by which mechanisms."""
    each = list(dict.fromkeys(result.sent for result in results))
    both = "each of " if len(each) < len(results) else ""
    return f"{both}{'; '.join(each)}; error: standard error"


def _interval_said(level: float, family: int, *results: Result) -> str:
    """Say of which level and kind an interval is, and whom it is about."""
    about = " and ".join(dict.fromkeys(result.about for result in results))
    kind = f"all {family} together" if family > 1 else "alone"
    return f"{INTERVAL}{percent(level)} % interval, {kind}, about {about}"


def percent(level: float) -> str:
    """Write a level in percent, which is never 100."""
    short = f"{100 * level:g}"
    if short == "100":
        return f"{100 * level:.15g}"
    return short


def mean_of_values(result: Result) -> Contrast:
    r"""Estimate the mean of the numbers that stand for labels, among people whose answer has one.

    If all labels have numbers, it is the sum of shares times numbers; estimated shares need not sum
    to 1, so numbers are taken from their middle, where that makes least noise.  Otherwise it is a
    ratio r, and its error that of the sum with weights :math:`(v_i - r)/S`, S the share of people
    with numbers.
    """
    if not result.values:
        cure = 'OneOf(…, values={"promoter": 1, "passive": 0, "detractor": -1}), or contrast(…)'
        raise ValueError(f"values must be given for a mean, got none: {cure}")
    values = np.array(result.values)
    valued = ~np.isnan(values)
    if valued.all():
        middle = float(values.mean())
        weights = values - middle
        estimate = middle + float(result.estimate @ weights)
    else:
        _check_told(result, valued)
        estimate, weights = mean_of_valued(values, result.estimate)
    mean = _made(Part(result, weights), estimate, result.level, 1, "mean", "mean")
    if not valued.all() and _names_one(result):
        return _among_those_with(values, mean)
    return mean


def _check_told(result: Result, valued: NDArray[np.bool_]) -> None:
    """Refuse a mean of people who may be none: the share of those with a value is near 0."""
    inside = float(result.estimate[valued].sum())
    variance, _ = variance_of(result, valued.astype(np.float64), result.people)
    if inside <= 3 * sqrt(max(variance, 0.0)):
        rule = "of more people to have a mean"
        raise ValueError(f"values must be {rule}, got a share not told from 0: collect more")


def mean_of_valued(values: Floats, shares: Floats) -> tuple[float, Floats]:
    """Return the mean of those with a value, and the weight of each share in its error.

    A value that is NaN is none.
    """
    valued = ~np.isnan(values)
    inside = float(shares[valued].sum())
    least = float(values[valued].min())
    above = np.where(valued, values - least, 0)  # no digits are lost where all values are large
    ratio = float(shares @ above) / inside
    weights: Floats = np.where(valued, above - ratio, 0) / inside
    return least + ratio, weights


def _among_those_with(values: Floats, mean: Contrast) -> Contrast:
    """Return the mean, by k-RR, of values that some categories have, with the ends that it has.

    Weights hold the mean itself, so that those of the people who are counted come near 0 where all
    of them have one value: the error is then near 0, too, and tells nothing.
    """
    result = mean.parts[0].result
    least = float(np.nanmin(values))
    most = float(np.nanmax(values))
    rounding = SAME_VALUE * max(abs(least), abs(most))
    if most - least <= rounding:
        return replace(mean, error=0.0, ends=partial(exact, mean.estimate), between=None)
    low = np.flatnonzero(values <= least + rounding)
    high = np.flatnonzero(values >= most - rounding)
    if len(low) + len(high) == np.count_nonzero(~np.isnan(values)):
        support = _support_among(result, high, low)
        # about these people, it need not be a share of the reports that count
        possible = not result.people
        of_share = partial(_ends_of_support, support, _sampled(result), possible)
        away = 0.0 if possible else (most - least) * support.part_of_a_report
        ends = partial(moved, of_share, most - least, least)
        reached = partial(reaching, mean.estimate, mean.error, away, ends)
        return replace(mean, ends=reached, between=None)
    m: Any = result.tally.mechanism
    p, q = m.chances
    largest = float(np.abs(mean.parts[0].weights).max())
    of_one_report = largest / inexact(p - q) / result.tally.n
    if mean.error <= (1 + ROUNDING) * of_one_report:
        return replace(mean, error=nan, ends=partial(normal, mean.estimate, nan), between=None)
    return mean


def _support_among(result: Result, these: Any, others: Any) -> Support:
    r"""Return by how many reports a set of categories is supported, among this one and another.

    Of the m of n reports that name either, those that name the set have the law of a share again,
    with f the share of people in either, s and t the sizes of the sets, and :math:`m/n = (s + t) q
    + (p - q) f`: the chance of somebody in the set is :math:`1 - t q n/m`, that of others
    :math:`s q n/m`.
    """
    m: Any = result.tally.mechanism
    tally = result.tally
    _, q = m.chances
    counts = m.supporters(tally)
    count = counts[these].sum()
    named = count + counts[others].sum()
    blind = q * tally.n / round(named)
    own = 1 - len(others) * blind
    other = len(these) * blind
    return Support(float(count), float(named), own, other)


def end_of_scale(result: Result, count: int, name: str) -> Contrast:
    """Estimate the share of people in the first or last so many categories in order."""
    if not result.order:
        got = f"{shown(result.heading)}s: OneOf has an order"
        raise ValueError(f"{name} must be of categories in order, got {got}")
    most = len(result.order) - 1
    try:
        size = check_count(count, 1, "count", most)
    except ValueError as error:
        if not is_number(count) or count != most + 1:
            raise
        why = f"all {count} categories are everybody who has one of them"
        raise ValueError(f"{error}: {why}") from None
    places = result.order[-size:] if name == "top" else result.order[:size]
    weights = np.zeros(len(result.labels))
    weights[list(places)] = 1
    return _one(result, weights, result.level, 1, name)


# ---------------------------------------------------------------------------------------- variances


def variance_of(result: Result, weights: Floats, people: bool) -> tuple[float, bool]:
    """Return the variance of a weighted sum of rows, and whether it is only known as a bound."""
    weights = fewest(result, weights)
    used = np.flatnonzero(weights)
    if len(used) == 0:
        return 0.0, False
    if len(used) == 1 and people == result.people:  # as it is printed
        return float((weights[used[0]] * result.error[used[0]]) ** 2), False
    try:
        return _of_these(result, weights, people), False
    except Untold:
        pass
    if people:  # about a population it is larger
        variance, _ = variance_of(result, weights, False)
        return variance, True
    errors = result.error[used]
    if result.people:
        errors = np.array([sqrt(_alone(result, i)) for i in used.tolist()])
    return float(np.abs(weights[used]) @ errors) ** 2, True


def _of_these(result: Result, weights: Floats, people: bool) -> float:
    """Return the variance by the mechanism, with the right part of the chance of who was asked.

    If n of N people were drawn, without replacement, 1 − n/N of it is left.  If people sent r
    reports each, it is r times that of as many people, but for terms of order 1/n.
    """
    if not people:
        part = float(result.rounds)
    elif result.of is None:
        part = 0.0
    else:
        part = 1 - result.tally.n / result.of
    if part in (0, 1):
        return known_variance(result, weights, people)
    noise = known_variance(result, weights, True)
    sample = known_variance(result, weights, False)
    return noise + part * (sample - noise)


def _alone(result: Result, place: int) -> float:
    """Return the variance of one row about a population."""
    m = result.tally.mechanism
    tally = result.tally
    if result.what == "share" and isinstance(m, SignedTernary):
        return float(m.standard_error(tally)[0, place]) ** 2
    if isinstance(m, Wheel):
        return float(m.standard_error(tally)[place]) ** 2
    return float(result.error[place]) ** 2  # of means, whose errors are about a population anyway


def known_variance(result: Result, weights: Floats, people: bool) -> float:
    """Return the variance of a weighted sum of rows, by the mechanism.

    Raises
    ------
    Untold
        If the tally does not tell.
    """
    m: Any = result.tally.mechanism
    tally = result.tally
    if isinstance(m, Blocks):
        return m.pooled_contrast_variance(tally, _sets(m, weights), people=people)
    if isinstance(m, Wheel):
        return _of_strings(result, weights, people)
    if isinstance(m, SignedTernary):
        wide = _of_ratings(result, weights)
    elif hasattr(m, "sizes"):
        wide = _of_columns(m.sizes, weights)
    else:
        wide = weights * result.scale
    if isinstance(m, AsksSome):
        return float(contrast_variance_of_asked(m, tally, wide, people=people))
    return float(m.contrast_variance(tally, wide, people=people))


def _of_columns(sizes: Sequence[int], weights: Floats) -> Floats:
    """Write weights of the rows of a table as weights of an attribute's values, one a column."""
    columns = len(sizes)
    v = sizes[0]
    wide = np.zeros(v * columns)
    for place in np.flatnonzero(weights).tolist():
        column = place % columns
        value = 1 + place // columns
        wide[v * column + value] = weights[place]
    return wide


def _sets(m: Blocks, weights: Floats) -> dict[Set, Floats]:
    """Write weights of the rows of a table as weights of cells.

    Rows are of columns, of their missing answers, and of pairs of columns.
    """
    d = len(m.sizes)
    v = m.sizes[0]
    pairs = list(combinations(range(d), 2))
    found: dict[Set, Floats] = {}
    for place in np.flatnonzero(weights).tolist():
        value = 1 + place // d
        one: Set
        cell: tuple[int, ...]
        if value < v:
            one = (place % d,)
            cell = (value,)
        else:
            one = pairs[place - d * (v - 1)]
            cell = (1, 1)
        table = found.setdefault(one, np.zeros((v,) * len(one)))
        table[cell] += weights[place]
    return found


def _of_strings(result: Result, weights: Floats, people: bool) -> float:
    """Return the variance of a sum over candidates, of which each person has one at most."""
    m: Any = result.tally.mechanism
    f = result.estimate
    n = result.tally.n
    squares = float(m.contrast_squares_of_one_key(result.tally, weights))
    if people:
        return (squares - float(weights**2 @ f)) / n
    return (squares - float(weights @ f) ** 2) / (n - 1)


def _of_ratings(result: Result, weights: Floats) -> Floats:
    """Return weights of frequencies and products: of a sum of means, of its first-order change."""
    m: Any = result.tally.mechanism
    wide = np.zeros((2, len(weights)))
    if result.what == "share":
        wide[0] = weights
        return wide
    if isinstance(m, AsksSome):
        f, s = estimate_of_asked(m, result.tally)
    else:
        f, s = m.estimate(result.tally)
    used = np.flatnonzero(weights)
    wide[0, used] = -weights[used] * s[used] / f[used] ** 2
    wide[1, used] = weights[used] / f[used]
    return wide * result.scale


# ---------------------------------------------------------------------------------- between results


def part_of(given: Any, name: str) -> Contrast:
    """Return a row of a result as a contrast of one weight; a contrast as it is."""
    if isinstance(given, Contrast):
        return given
    result = getattr(given, "result", None)
    if result is None:
        rule = "a row of a result, such as result['pay'], or a contrast"
        raise ValueError(f"{name} must be {rule}, got {shown(given)}")
    place = place_of(given.label, result.labels)
    assert place is not None
    weights = np.zeros(len(result.labels))
    weights[place] = 1
    return _one(result, weights, result.level, 1, "")


def apart_from(
    a: Contrast,
    b: Contrast,
    level: float,
    same_people: bool | None,
    names: tuple[str, str] | None = None,
    family: int = 1,
) -> Contrast:
    """Estimate the difference of two weighted sums; names are those of the two groups."""
    normal_quantile(level)  # checks it
    if (a.what, a.unit) != (b.what, b.unit):
        got = f"{a.what} {a.unit} and {b.what} {b.unit}".rstrip()
        raise ValueError(f"a and b must be of one kind and unit, got {got}")
    results = [part.result for part in (*a.parts, *b.parts)]
    if len({one.people for one in results}) > 1:
        rule = "both be about these people, or both about a population"
        cure = "estimate both with people=True, or both with people=False"
        raise ValueError(f"a and b must {rule}, got one of each: {cure}")
    if _tallies(a) & _tallies(b):
        if names is not None:
            got = f"{shown(names)}: they name two groups"
            raise ValueError(f"names must be left out for rows of one result, got {got}")
        return _within(a, b, level)
    if same_people is None:
        _check_not_the_same(a, b)
    variance, what = _of_difference(a, b, same_people)
    said = f"{_reports(*results)}\n{what}\n{_apart_said(a, b, level, family)}"
    more = variance - a.error**2 - b.error**2
    both = 2 * a.error * b.error
    if both > 0:
        together = min(more / both, 1.0)
    else:
        together = 1.0 if same_people and what != NOISE else 0.0
    correlations = np.array([[1.0, together], [together, 1.0]])
    estimates = (a.estimate, -b.estimate)
    each = (a.to_add, partial(moved, b.to_add, -1.0, 0.0))
    subtracted = [replace(part, weights=-part.weights) for part in b.parts]
    return Contrast(
        _of_two(a.label, b.label, names),
        a.estimate - b.estimate,
        sqrt(variance),
        ends=partial(added, estimates, each, correlations),
        level=level,
        family=family,
        what=a.what,
        unit=a.unit,
        said=said,
        parts=(*a.parts, *subtracted),
        least=a.least - b.most,
        most=a.most - b.least,
    )


def _tallies(one: Contrast) -> set[int]:
    """Return which tallies a sum is of."""
    return {id(part.result.tally) for part in one.parts}


def _surveyed(one: Contrast) -> set[int]:
    """Return which tallies are of the same people as a sum."""
    found: set[int] = set()
    for part in one.parts:
        found |= {id(tally) for tally in part.result.survey}
    return found


def _waves(one: Contrast) -> set[str | None]:
    """Return which waves a sum is of."""
    return {part.result.tally.wave for part in one.parts}


def _check_not_the_same(a: Contrast, b: Contrast) -> None:
    """Refuse two sums that may be of the same people, if nothing was said."""
    if _tallies(a) & _surveyed(b) or _tallies(b) & _surveyed(a):
        rule = "said for two questions of one survey"
        cure = "same_people=True, or results.difference((question, label), (question, label))"
        raise ValueError(f"same_people must be {rule}, got nothing: {cure}")
    if _waves(a) != _waves(b):
        rule = "said for results of different waves"
        cure = (
            "same_people=True if a and b are of the same people, False if they are of others; "
            "Waves(…, same=…) takes more than two"
        )
        raise ValueError(f"same_people must be {rule}, got nothing: {cure}")


def _of_difference(a: Contrast, b: Contrast, same_people: bool | None) -> tuple[float, str]:
    """Return the variance of a difference of sums from two tallies, and what it rests on."""
    results = [part.result for part in (*a.parts, *b.parts)]
    people = results[0].people
    independent = a.error**2 + b.error**2
    if not same_people:
        return independent, f"{OTHERS}\n{ASSIGNED}" if people else OTHERS
    if not people:
        return _same(a, b), SAME
    if any(one.of is not None for one in results):
        return _drawn(a, b), DRAWN
    return independent, NOISE


def _apart_said(a: Contrast, b: Contrast, level: float, family: int) -> str:
    """Say of which level and kind the interval of a difference is."""
    results = [part.result for part in (*a.parts, *b.parts)]
    interval = _interval_said(level, family, *results)
    if family > 1:
        return interval
    if any(one.together for one in results):
        return f"{interval}; differences(…) holds for all rows together"
    if max(a.family, b.family) > 1:
        several = "each of several differences at once"
        return f"{interval}; {several}: at a level of 1 − (1 − level)/(number of them)"
    return interval


def _of_two(a: str, b: str, names: tuple[str, str] | None) -> str:
    """Say what a difference is of."""
    if a == b:
        first, second = names or ("first", "second")
        return f"{a}: {first} − {second}"
    if names is None:
        return f"{a} − {b}"
    return f"{names[0]}: {a} − {names[1]}: {b}"


def _within(a: Contrast, b: Contrast, level: float) -> Contrast:
    """Estimate the difference of two weighted sums of rows of one result."""
    parts = [*a.parts, *b.parts]
    if len(parts) > 2 or parts[0].result.labels != parts[1].result.labels:
        rule = "of one result, or of other reports"
        of_two_rows = "Waves([one.contrast({…: 1, …: -1}) for one in …], same=…).change()"
        of_one_row = "waves.combine(label, weights)"
        cure = f"of two rows over waves, {of_two_rows}; of one row, {of_one_row}"
        raise ValueError(f"a and b must be {rule}, got a part of the reports in both: {cure}")
    weights = parts[0].weights - parts[1].weights
    if not weights.any():
        raise ValueError(f"a and b must be different, got {a.label} twice")
    label = f"{a.label} − {b.label}"
    return _made(Part(parts[0].result, weights), a.estimate - b.estimate, level, 1, label)


def _drawn(a: Contrast, b: Contrast) -> float:
    """Return the largest variance, about N people, of a difference of sums.

    Both are of people who were drawn from the N.  Noise of the two is independent.  Who was drawn
    for one may go with who was drawn for the other.
    """
    noise = 0.0
    drawn = 0.0
    for one in (a, b):
        own = _noise(one)
        noise += own
        drawn += sqrt(max(one.error**2 - own, 0.0))
    return noise + drawn**2


def _noise(one: Contrast) -> float:
    """Return the variance by coins alone, 0 where it is not known."""
    if len(one.parts) > 1:
        return 0.0
    (part,) = one.parts
    try:
        return min(max(known_variance(part.result, part.weights, True), 0.0), one.error**2)
    except Untold:
        return 0.0


def _same(a: Contrast, b: Contrast) -> float:
    """Return the largest variance, about a population, of a difference of one group's sums."""
    widest = (a.error + b.error) ** 2  # whatever goes with what
    parts = [*a.parts, *b.parts]
    if len(parts) > 2 or any(part.result.rounds != 1 for part in parts):
        return widest
    of_a = law_of(parts[0])
    of_b = law_of(parts[1])
    if of_a is None or of_b is None:
        return widest
    own = 0.0
    spreads = 0.0
    for part, (values, chances) in zip(parts, (of_a, of_b), strict=True):
        noise, bound = variance_of(part.result, part.weights, True)
        if bound:
            return widest
        spread = float(chances @ values**2 - (chances @ values) ** 2)
        own += max(noise, 0.0) + spread / (part.result.tally.n - 1)
        spreads += spread
    both = max(largest_apart(*of_a, *of_b) - spreads, 0.0)  # −2 Cov, at most
    n = max(part.result.tally.n for part in parts)
    return min(widest, own + both / (n - 1))


def law_of(part: Part) -> tuple[Floats, Floats] | None:
    """Return what a person may contribute to a weighted sum of shares, and how many do.

    None if that is not known.
    """
    result = part.result
    weights = part.weights
    if result.what != "share":
        return None
    if isinstance(result.tally.mechanism, FrequencyOracle):
        return weights, norm_sub(result.estimate)
    if isinstance(result.tally.mechanism, Wheel):
        others = 1 - result.estimate.sum()
        return np.append(weights, 0.0), norm_sub(np.append(result.estimate, others))
    used = np.flatnonzero(weights)
    if len(used) > 1:
        return None
    share = float(np.clip(result.estimate[used[0]], 0, 1))
    return np.array([weights[used[0]], 0.0]), np.array([share, 1 - share])


def largest_apart(x: Floats, p: Floats, y: Floats, q: Floats) -> float:
    """Return the largest variance of X − Y.

    X has values x of probabilities p, and Y has y of q.  It is that where large X go with small Y.
    Of shares f and g it is min(f + g, 2 − f − g) − (f − g)².

    Examples
    --------
    >>> yes = np.array([1.0, 0.0])
    >>> round(largest_apart(yes, np.array([0.7, 0.3]), yes, np.array([0.4, 0.6])), 2)
    0.81
    """
    up = np.argsort(x, kind="stable")
    down = np.argsort(-y, kind="stable")
    of_x = p[up].cumsum()
    of_y = q[down].cumsum()
    steps = np.concatenate([of_x, of_y]).clip(0, 1)
    ends = np.append(0, np.sort(steps))
    middles = (ends[1:] + ends[:-1]) / 2
    first = x[up][np.searchsorted(of_x, middles).clip(0, len(x) - 1)]
    second = y[down][np.searchsorted(of_y, middles).clip(0, len(y) - 1)]
    chance = np.diff(ends)
    apart = first - second
    total = max(float(chance.sum()), 1 / inf)
    mean = float(chance @ apart) / total
    return float(chance @ (apart - mean) ** 2) / total
