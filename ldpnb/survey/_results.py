"""What a survey found: estimates with their errors and intervals.

They are shown as a table, a data frame, or a picture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldpnb._door import needs
from ldpnb._sheets import Sheet, short
from ldpnb.checks import shown
from ldpnb.collecting._columns import other_type, told
from ldpnb.core import Floats, Tally
from ldpnb.survey._contrasts import (
    Contrast,
    apart_from,
    contrast,
    end_of_scale,
    mean_of_values,
    part_of,
    percent,
    place_of,
)
from ldpnb.survey._rounds import is_pooled, told as reported

if TYPE_CHECKING:
    from ldpnb.survey.drawing import Supported

DECIMALS = 6  # printed, at most
WHOLE = (
    2**53
)  # a float of this size or more has no digits after the decimal point, nor all before it
ROWS = 40  # of a printed table; of a longer one the largest estimates are printed
NOTED = (0, 5)  # columns of a printed table that stand left: label and note


class _Row(NamedTuple):
    """What an `Entry` holds, in this order."""

    label: Any
    estimate: float
    error: float
    low: float
    high: float


class Entry(_Row):
    """One row of a result: a label, its estimate, standard error and interval.

    Shares are parts of 1, not percent.

    Attributes
    ----------
    result : Result, or None
        Whose row it is: `ldpnb.survey.difference` asks it how the row goes together with others.
    """

    result: Any = None

    @classmethod
    def of(cls, result: Result, place: int) -> Entry:
        """Return the row of a result at this place."""
        found = cls(
            result.labels[place],
            float(result.estimate[place]),
            float(result.error[place]),
            float(result.low[place]),
            float(result.high[place]),
        )
        found.result = result
        return found

    def __str__(self) -> str:
        level = ""
        if self.result is not None:
            level = f"{percent(self.result.level)} %: "
        ends = f"({level}{self.low:.4g} to {self.high:.4g})"
        return f"{self.label}: {self.estimate:.4g} ± {self.error:.2g} {ends}"

    @property
    def share(self) -> float:
        """The estimate, where it is a share."""
        return self.estimate

    @property
    def mean(self) -> float:
        """The estimate, where it is a mean."""
        return self.estimate


@dataclass(frozen=True, eq=False)
class Result:
    """Estimates of one question, with standard errors and confidence intervals.

    Estimates are not clipped: by chance, one may lie below 0 or above what is possible.  So may the
    end of an interval about a population; exact ends of a share about these very people are shares
    that they can have (see `ldpnb.intervals`), but for those of means and of sums over results.
    ``result[label]`` is one row, an `Entry`; a loop runs over all rows; ``print`` shows them as a
    table.  There, labels of more than 40 characters are cut in the middle; where two would look the
    same, ``[i]`` is the place of the label in `labels`.  The table holds an ε: where Windows sends
    it to a file or pipe, Python before 3.15 has to be started with ``PYTHONUTF8=1``.

    Attributes
    ----------
    what : str
        "share" or "mean".
    heading : str
        What labels are.
    labels : tuple
    estimate, error, low, high : ndarray (labels,)
        Shares are parts of 1; means are in the number's own unit.
    tally : Tally
    level : float
    people, together : bool
        As they were asked for.
    unit : str
        Of a mean.
    notes : tuple of str
        What else a row has to say, one a label or none.
    scale : float
        What errors of the mechanism are multiplied by, to be in the unit.
    order : tuple of int
        Places of the labels from the lowest to the highest, where there is an order.
    values : tuple of float
        Numbers that stand for the labels, NaN for one without; none where nothing was said.
    survey : tuple of Tally
        Tallies of all questions that were estimated together: of the same people.
    of : int, optional
        Number of people that the result is about, if only some of them were drawn to answer.
    rounds : int or float
        Reports a person, as asked for.
    span : (float, float)
        Ends of what an answer can be, in the unit: of a share, 0 and 1.
    ends_at : function
        Ends of the interval of a row, from z (the quantile of a level) and the place of its label.
    supported : function
        Returns `support`, which is asked for where rows are compared alone.
    """

    what: str
    heading: str
    labels: tuple[Any, ...]
    estimate: Floats
    error: Floats
    low: Floats
    high: Floats
    tally: Tally
    level: float
    people: bool
    together: bool
    unit: str = ""
    notes: tuple[str, ...] = ()
    scale: float = 1.0
    order: tuple[int, ...] = ()
    values: tuple[float, ...] = ()
    survey: tuple[Tally, ...] = ()
    of: int | None = None
    rounds: float = 1
    span: tuple[float, float] = (0.0, 1.0)
    ends_at: Callable[[float, int], tuple[float, float]] | None = None
    supported: Callable[[], Sequence[Supported]] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Entry]:
        return (Entry.of(self, place) for place in range(len(self)))

    def __getitem__(self, label: Any) -> Entry:
        at = place_of(label, self.labels)
        if at is None:
            hint = other_type(label, self.labels)
            raise KeyError(f"label must be one of {told(self.labels)}, got {shown(label)}{hint}")
        return Entry.of(self, at)

    @cached_property
    def support(self) -> Sequence[Supported]:
        """How many reports support the rows, of those where reports do or do not."""
        return () if self.supported is None else self.supported()

    def contrast(self, weights: Mapping[Any, Any], level: float | None = None) -> Any:
        """Estimate a weighted sum of rows, or several at once, with the error that it has.

        Rows of one result come from the same reports: the error of a difference of two shares is
        larger than the root of their squared errors, that of a sum smaller.  See
        `Mechanism.contrast_variance`.

        A sum of one row has the interval that is printed for this row, scaled by the weight, at the
        level asked for; so has what differs from such a sum by a constant, as the share of two of
        three categories.  By k-RR, sums of several rows with one weight, as the last two of four
        categories, have the ends of the law of all reports that name one of these.  All others
        follow the normal law.  They are too narrow where hardly anybody, say fewer than ten people,
        is in what is added, or in all categories but one: if all of a population are promoters, at
        ε = 4, 95 % intervals of the Net Promoter Score from 100, 200 and 400 people cover 89.9,
        91.3 and 92.9 %.  Where their error is estimated as 0, ends and p are NaN, error and ends
        print as "–", and a line says so.

        Parameters
        ----------
        weights : dict of label to number, or dict of str to such a dict
            Of one weighted sum; labels that are left out have weight 0.  Or several sums by name:
            then the level is that of all intervals at once, and p-values allow for their number
            (Bonferroni).
        level : float in (0, 1), optional
            That of the result, by default.

        Returns
        -------
        Contrast, or Contrasts (a dict of them by name)

        Raises
        ------
        ValueError
            If a label is not one of the result, a weight no finite number or of a size beyond 1e-50
            to 1e50, or all weights are 0.

        Examples
        --------
        The Net Promoter Score (NPS), the share of promoters less that of detractors:

        >>> from ldpnb import OneOf
        >>> score = OneOf(["promoter", "passive", "detractor"], epsilon=2.0)
        >>> answers = ["promoter"] * 5000 + ["passive"] * 3000 + ["detractor"] * 2000
        >>> reports = score.perturb(answers, rng=np.random.default_rng(0))
        >>> result = score.estimate(score.tally(reports))
        >>> nps = result.contrast({"promoter": 1, "detractor": -1})
        >>> bool(nps.low < 0.3 < nps.high), bool(nps.p_value < 0.001)
        (True, True)
        """
        return contrast(self, weights, self.level if level is None else level)

    @property
    def mean(self) -> Contrast:
        """The mean of the numbers that stand for labels: NPS, or a Likert scale.

        It has an error and an interval.  Of ``OneOf(…, values=…)``, or where all labels are
        numbers.  It is the mean among the people whose answer has a number: those of ``missing="no
        answer"`` are left out.

        By k-RR, the interval of a mean of two different values, also with `missing`, has the ends
        of the law of the reports that count.  All others follow the normal law, with the limits
        that `contrast` states.  With `missing` and more values, error, ends and p are NaN where
        reports scatter so little that the error is that of one report.  About these people that may
        be so in nearly all small surveys, as at ε = 4 of 20 people, of whom 2, 6 and 8 have the
        values 0, 1 and 2; ``people=False`` tells an error there.

        With `missing`, there is no mean if the share of those with a number is not told from 0.
        Where so few have one that it is told in few surveys alone, these cover less: of 30 people,
        six with a number, which is the larger of two, at ε = 1, it is told in 4 % of surveys, of
        which 95 % intervals about these people cover in 86 %.

        Numbers that differ by less than about 1e-12 of their size lose digits in differences of two
        means; take from all what they have in common, as the date of the first day.

        Examples
        --------
        >>> from ldpnb import OneOf
        >>> service = OneOf([1, 2, 3, 4, 5], epsilon=2.0)
        >>> answers = [5] * 4000 + [4] * 3000 + [3] * 2000 + [1] * 1000
        >>> reports = service.perturb(answers, rng=np.random.default_rng(0))
        >>> result = service.estimate(service.tally(reports))
        >>> top = result.top(2)
        >>> bool(result.mean.low < 3.9 < result.mean.high), bool(top.low < 0.7 < top.high)
        (True, True)
        """
        return mean_of_values(self)

    def top(self, count: int) -> Contrast:
        """Estimate the share of people in the last so many categories.

        The order is that of values where there are any, else as listed.  Top-two boxes of a Likert
        scale that is listed from the worst to the best.  That of missing answers is no such
        category; the share is of all people.  Among those who answered it is `mean`, with
        ``values={1: 0, 2: 0, 3: 0, 4: 1, 5: 1}``.
        """
        return end_of_scale(self, count, "top")

    def bottom(self, count: int) -> Contrast:
        """Estimate the share of people in the first so many categories, see `top`."""
        return end_of_scale(self, count, "bottom")

    @property
    def intervals(self) -> int:
        """Number of intervals."""
        return len(self.labels)

    @property
    def about(self) -> str:
        """Whom errors and intervals are about."""
        if self.of is not None:
            return f"all {self.of:,} people, of whom these were drawn"
        if self.people:
            return "these very people"
        return "the population these people are a random sample of"

    @property
    def sent(self) -> str:
        """What was sent: wave, reports, ε and mechanism."""
        mechanism = self.tally.mechanism
        name = mechanism.label or type(mechanism).__name__
        wave = self.tally.wave
        when = ""
        if is_pooled(self.tally):
            when = f"{wave}: "
        elif wave is not None:
            when = f"wave {wave}: "
        spent = f"ε = {mechanism.epsilon:g}"
        if self.rounds != 1:
            spent += " a report"
        return f"{when}{reported(self.tally, self.rounds)}, {spent} ({name})"

    @property
    def said(self) -> str:
        """What the table is about: what was sent; level and kind of the intervals."""
        kind = "all together" if self.together else "each alone"
        intervals = f"{percent(self.level)} % intervals, {kind}, about {self.about}"
        return f"{self.sent}; error: standard error\nlow, high: {intervals}"

    def table(self) -> str:
        """Return the rows as lines of text."""
        return self._sheet([]).text()

    def _sheet(self, said: Sequence[str]) -> Sheet:
        """Return the table that is shown, with these lines at its end."""
        return Sheet(self._cells(), [*self._left_out(), *said], left=NOTED)

    def _kept(self) -> list[int]:
        """Return the places of the rows that are printed."""
        if len(self) <= ROWS:
            return list(range(len(self)))
        largest: list[int] = np.argsort(-self.estimate, kind="stable")[:ROWS].tolist()
        return sorted(largest)

    def _cells(self) -> list[list[str]]:
        """Return the cells of the printed table, the head first."""
        scale = 1
        unit = f" {self.unit}" if self.unit else ""
        if self.what == "share":
            scale = 100
            unit = " %"
        form = self._form(scale)
        kept = self._kept()
        labels = short([self.labels[i] for i in kept], kept)
        cells = [[self.heading, self.what, "error", "low", "high", ""]]
        for i, label in zip(kept, labels, strict=True):
            row = [label]
            for numbers in (self.estimate, self.error, self.low, self.high):
                number = scale * float(numbers[i])
                row.append(f"{number:{form}}{unit}" if isfinite(number) else "–")
            row.append(self._note(i))
            cells.append(row)
        return cells

    def _left_out(self) -> list[str]:
        """Return lines that say which rows are not printed, if any."""
        rows = len(self)
        if rows <= ROWS:
            return []
        lines = [f"… the {ROWS} largest of {rows:,} are shown; to_frame() has all"]
        if self.what == "share" and not self.together:
            above = f"about {rows * (1 - self.level) / 2:,.0f} of {rows:,} intervals"
            cure = "estimate(…, together=True) allows for that"
            lines.append(f"if all shares were 0, {above} would lie above it by chance; {cure}")
        return lines

    def _form(self, scale: int) -> str:
        """Return the format of numbers, with two digits of the least error.

        It has powers of ten where decimals would mislead.
        """
        errors = [scale * x for x in self.error.tolist() if isfinite(x) and x > 0]
        if not errors:
            return ",.2f"
        least = floor(log10(min(errors)))
        greatest = floor(log10(max(errors)))
        ends = [*self.low.tolist(), *self.high.tolist()]
        largest = scale * max((abs(x) for x in ends if isfinite(x)), default=0.0)
        # where no digit of any error would be seen, or digits that no float has
        if 1 - greatest > DECIMALS or largest >= WHOLE:
            digits = floor(log10(max(largest, max(errors)))) - least + 1
            return f".{min(15, digits)}e"
        return f",.{min(DECIMALS, max(0, 1 - least))}f"

    def _note(self, i: int) -> str:
        """Return what the row at this place has to say."""
        if self.notes and self.notes[i]:
            return self.notes[i]
        if self.what == "share" and self.low[i] <= 0 <= self.high[i]:
            return "not told from zero"
        return ""

    def __str__(self) -> str:
        return self._sheet(self.said.splitlines()).text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._sheet(self.said.splitlines()).html()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: a row a label; the estimate, error, low and high.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        needs("to_frame", "chapters", "pandas")
        import pandas as pd  # type: ignore[import-untyped]

        columns = {
            self.what: self.estimate,
            "error": self.error,
            "low": self.low,
            "high": self.high,
        }
        index = pd.Index(list(self.labels), name=self.heading, dtype=object)
        return pd.DataFrame(columns, index=index)

    def plot(self, ax: Any = None) -> Any:
        """Draw estimates and intervals, a line a label, and return the axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure otherwise.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        needs("plot", "chapters", "matplotlib")
        import matplotlib.pyplot as plt

        if ax is None:
            size = (6.4, 1 + 0.32 * len(self))
            _, ax = plt.subplots(figsize=size, layout="constrained")
        scale = 1
        unit = self.unit
        if self.what == "share":
            scale = 100
            unit = "%"
        place = np.arange(len(self))
        ax.hlines(place, scale * self.low, scale * self.high, linewidth=2, color="C0")
        ax.plot(scale * self.estimate, place, "o", color="C0")
        if self.what == "share":
            ax.axvline(0, color="0.6", linewidth=0.8, zorder=0)
        ax.set_yticks(place, short(self.labels, range(len(self))))
        ax.set_ylim(len(self) - 0.5, -0.5)
        ax.set_xlabel(f"{self.what} ({unit})" if unit else self.what)
        return ax


class Rated(NamedTuple):
    """What is known of one item that people rate: who rate it, and how."""

    share: Entry
    mean: Entry


@dataclass(frozen=True, eq=False)
class RatingsResult:
    """Shares of the people who rate each item, and mean ratings.

    ``result[item]`` has both rows; ``print`` shows both tables.

    Attributes
    ----------
    shares, means : Result
    """

    shares: Result
    means: Result

    @property
    def intervals(self) -> int:
        """Number of intervals."""
        return len(self.shares) + len(self.means)

    def __len__(self) -> int:
        return len(self.shares)

    def __iter__(self) -> Iterator[Rated]:
        return (Rated(share, mean) for share, mean in zip(self.shares, self.means, strict=True))

    def __getitem__(self, item: Any) -> Rated:
        return Rated(self.shares[item], self.means[item])

    def __str__(self) -> str:
        return "\n\n".join(sheet.text() for sheet in self._sheets())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "\n".join(sheet.html() for sheet in self._sheets())

    def _sheets(self) -> list[Sheet]:
        """Return the tables that are shown."""
        said = self.shares.said.splitlines()
        return [self.shares._sheet([]), self.means._sheet(said)]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: a row an item.

        Columns are share, share_error, share_low, share_high, mean, mean_error, ….

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frames = []
        for result in (self.shares, self.means):
            names = {end: f"{result.what}_{end}" for end in ("error", "low", "high")}
            frames.append(result.to_frame().rename(columns=names))
        shares, means = frames
        return shares.join(means)

    def plot(self, axes: Any = None) -> Any:
        """Draw shares and means beside each other, and return the two axes.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        needs("plot", "chapters", "matplotlib")
        import matplotlib.pyplot as plt

        if axes is None:
            size = (9.6, 1 + 0.32 * len(self))
            _, axes = plt.subplots(1, 2, sharey=True, figsize=size, layout="constrained")
        self.shares.plot(axes[0])
        self.means.plot(axes[1])
        return axes


class Results(dict[str, Any]):
    """The results of a survey by question; ``print`` shows all tables.

    They are of the same people: `difference` allows for that.
    """

    def difference(
        self,
        first: tuple[str, Any],
        second: tuple[str, Any],
        level: float | None = None,
    ) -> Contrast:
        """Estimate by how much a row of one question is above a row of another one.

        The same people answered both.  Noise of the two questions adds.  How people's answers to
        one go with their answers to the other is in no report; about a population, the largest
        variance is taken that it can make, and ``print`` says so.

        Parameters
        ----------
        first, second : (str, label)
            Name of a question and label of a row.
        level : float in (0, 1), optional
            That of the first result, by default.

        Examples
        --------
        >>> from ldpnb import OneOf, Survey
        >>> yes_no = OneOf([True, False], epsilon=1.0)
        >>> survey = Survey({"stays": yes_no, "recommends": yes_no}, limit=2.0)
        >>> rows = {"stays": [True, True, True, False] * 2000, "recommends": [True, False] * 4000}
        >>> reports = survey.perturb(rows, rng=np.random.default_rng(0))
        >>> results = survey.estimate(survey.tally(reports))
        >>> found = results.difference(("stays", True), ("recommends", True))
        >>> bool(found.low < 0.25 < found.high)
        True
        >>> print(found.said.splitlines()[1].partition(",")[0])
        people of one group: the error is at most this
        """
        a = self._row(first, "first")
        b = self._row(second, "second")
        wanted = a.level if level is None else level
        found = apart_from(a, b, wanted, same_people=True)
        return replace(found, label=f"{first[0]}: {first[1]} − {second[0]}: {second[1]}")

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of all questions, with a row for each row of each result.

        Its columns are question, row, what, estimate, error, low, high; `what` is "share" or
        "mean".  Of ratings, shares come first.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        needs("to_frame", "chapters", "pandas")
        import pandas as pd

        rows = []
        for question, found in self.items():
            tables = [found]
            if isinstance(found, RatingsResult):
                tables = [found.shares, found.means]
            for table in tables:
                for entry in table:
                    rows.append((question, entry.label, table.what, *entry[1:]))
        return pd.DataFrame(rows, columns=["question", "row", "what", *_Row._fields[1:]])

    def _row(self, given: Any, name: str) -> Contrast:
        """Return the row of a question, as a contrast."""
        if not isinstance(given, tuple) or len(given) != 2 or given[0] not in self:
            rule = f"(question, label), of the questions {told(self)}"
            raise ValueError(f"{name} must be {rule}, got {shown(given)}")
        question, label = given
        result = self[question]
        if not isinstance(result, Result):
            rule = "of a question with one table"
            cure = f"difference(results[{question!r}].shares[…], …, same_people=True)"
            raise ValueError(f"{name} must be {rule}, got {shown(given)}: {cure}")
        place = place_of(label, result.labels)
        if place is None:
            rule = f"have a label of {told(result.labels)}"
            hint = other_type(label, result.labels)
            raise ValueError(f"{name} must {rule}, got {shown(label)}{hint}")
        return part_of(Entry.of(result, place), name)

    def of_same_people(self) -> Results:
        """Return the results, each of which knows the tallies of the others."""
        tallies = tuple(getattr(one, "shares", one).tally for one in self.values())
        return Results({name: _marked(one, tallies) for name, one in self.items()})

    def __str__(self) -> str:
        return "\n\n".join(f"{name}\n{result}" for name, result in self.items())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = []
        for name, result in self.items():
            parts.append(Sheet([], above=[name]).html())
            parts.append(result._repr_html_())
        return "\n".join(parts)


def _marked(result: Any, tallies: tuple[Tally, ...]) -> Any:
    """Return a result, or both of ratings, with the tallies of the same people."""
    if isinstance(result, RatingsResult):
        return RatingsResult(_marked(result.shares, tallies), _marked(result.means, tallies))
    return replace(result, survey=tallies)
