r"""One question, wave after wave: what has changed, how fast, and how sure is that.

A *wave* is a time at which a question is asked, with a name of its own: ``question.tally(reports, wave="2026-W48")``.
Tallies of different waves do not add, since they may hold the same people.  Three ways lead on:

- `Waves` compares them: a change, a slope or a mean over waves is :math:`\sum_t w_t \hat f_t`.
- `pool_waves` adds them on purpose, for an estimate over all reports: ``estimate(…, rounds=T)``.
- If reports were remembered (`Account.remembered`), the same report came back in each wave: estimate one wave alone.

*Errors.*  Let :math:`e_t` be the standard error of wave t, about these people or about a population, as its result
says.  Coins are fresh in each wave.  About these people, and about a population of which new people were asked each
time,

.. math:: \operatorname{Var} \sum_t w_t \hat f_t = \sum_t w_t^2 e_t^2 .

If the *same* people were asked, their answers go together from wave to wave, and nobody knows how.  About a population
of which they are a random sample, one term is added,

.. math:: 2 \sum_{s<t} w_s w_t \frac{C_{st}}{\sqrt{m_s m_t}},

where :math:`m_t` is the number of people and :math:`C_{st}` the covariance of a person's two answers.  It is taken to
be what makes the sum largest: answers with weights of one sign go together as far as their shares let them,
:math:`\min(f_s, f_t) - f_s f_t`, and those with weights of two signs against each other,
:math:`\max(0, f_s + f_t - 1) - f_s f_t`.  All pairs can be so at once, so that this is the largest variance that there
is: intervals are safe, and wide where ε is large.  A number in a range is a chance of its upper end; the bound is the
same.

With remembered reports, the noise of waves goes together, too.  It partly cancels in a change, and is not averaged away
in a mean.  Both are treated on the safe side: in a change as if the noise was independent, in a mean as if it was the
same in each wave.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import Any

import numpy as np

from ldpnb._door import needs
from ldpnb.checks import check_flag, check_numbers, shown
from ldpnb.core import Floats, Tally
from ldpnb.serve._asked import quantile
from ldpnb.serve._columns import told
from ldpnb.serve._results import Entry, RatingsResult, Result, padded
from ldpnb.serve._rounds import POOLED

NAMED_WAVES = 3  # of several, which are written out
NAMED = "name each, question.tally(reports, wave='2026-W48')"


def pool_waves(tallies: Iterable[Tally]) -> Tally:
    """Add tallies of different waves on purpose; the sum is of "waves …", and adds to nothing else.

    Say in the estimate how often each person reported, ``estimate(tally, rounds=T)``; 1 if people are new each time.
    Do not add remembered reports: T copies of a report say no more than one.

    Parameters
    ----------
    tallies : iterable of Tally
        Of one mechanism, at least one; each of a wave of its own.

    Raises
    ------
    ValueError
        If there is none, one has no wave, two have the same wave, or they do not add otherwise.

    Examples
    --------
    >>> from ldpnb import OneOf
    >>> stays, rng = OneOf(["yes", "no"], epsilon=2.0), np.random.default_rng(0)
    >>> people = ["yes"] * 300 + ["no"] * 200
    >>> weeks = [stays.tally(stays.perturb(people, rng=rng), wave=f"2026-W{week}") for week in (48, 49, 50, 51)]
    >>> print(stays.estimate(pool_waves(weeks), rounds=4).said.partition(" (")[0])
    waves 2026-W48, 2026-W49, 2026-W50 and 1 more: 2,000 reports of 500 people, 4 each, ε = 2 a report
    """
    if isinstance(tallies, Tally) or not isinstance(tallies, Iterable):
        raise ValueError(f"tallies must be a list of tallies, got {shown(tallies)}")
    given = list(tallies)
    if wrong := [one for one in given if not isinstance(one, Tally)]:
        raise ValueError(f"tallies must be tallies, got {shown(wrong[0])}: question.tally(reports, wave=…) makes one")
    if not given:
        raise ValueError("tallies must be at least one, got none")
    _check_waves([one.wave for one in given], "tallies")
    names = [str(one.wave) for one in given]
    more = f" and {len(names) - NAMED_WAVES} more" if len(names) > NAMED_WAVES else ""
    wave = POOLED + ", ".join(names[:NAMED_WAVES]) + more
    first, *others = (replace(one, wave=wave) for one in given)
    return sum(others, first)


def _check_waves(waves: Sequence[str | None], name: str) -> None:
    """Refuse waves without a name, and two of one name."""
    if None in waves:
        raise ValueError(f"{name} must be of named waves, got one without a name: {NAMED}")
    for at, wave in enumerate(waves):
        if wave in waves[:at]:
            raise ValueError(
                f"{name} must be of different waves, got {shown(wave)} twice: add tallies of one wave before"
            )


@dataclass(frozen=True, eq=False)
class Waves:
    """Results of one question in several waves, and what changes between them.

    Parameters
    ----------
    results : list of Result, at least two
        In the order of time, each estimated from a tally with a wave of its own, and all with the same level, `people`
        and `together`, which the intervals here take over: about these people if results are.  Of `Ratings`, its
        ``shares`` or its ``means``.  Questions are told apart by their labels and units; mechanisms may differ.
    same : bool
        Whether the same people were asked each time, or some of them; False if people were new.
    remembered : bool
        Whether they sent the same report again, as `Account.remembered` does.

    Notes
    -----
    Errors about these people (of shares) are exact, given the noise.  Those about a population are exact for new
    people, and the largest possible for the same ones; see `ldpnb.serve.waves`.  Of numbers, errors about these people
    are too wide, if anything, as in each result.

    About these people is about each wave's: if people are new, a change is that from one group to the other.

    Examples
    --------
    >>> from ldpnb import OneOf
    >>> stays, rng = OneOf(["yes", "no"], epsilon=2.0), np.random.default_rng(0)
    >>> tallies = []
    >>> for week, yes in ((48, 1500), (49, 1400), (50, 1200)):
    ...     answers = ["yes"] * yes + ["no"] * (2000 - yes)
    ...     tallies.append(stays.tally(stays.perturb(answers, rng=rng), wave=f"2026-W{week}"))
    >>> waves = Waves([stays.estimate(tally, people=True) for tally in tallies], same=True)
    >>> print(waves)
    category  2026-W48  2026-W49  2026-W50         change        error            low           high
    yes        74.95 %   69.76 %   60.44 %  -14.51 points  1.35 points  -17.15 points  -11.87 points
    no         25.05 %   30.24 %   39.56 %   14.51 points  1.35 points   11.87 points   17.15 points
    3 waves of the same people, ε = 2 a report; change: 2026-W48 to 2026-W50
    low, high: 95 % intervals of the change, each alone, about these very people
    >>> change = waves.change("yes")
    >>> bool(change.low < -0.15 < change.high)
    True
    """

    results: Any
    same: bool
    remembered: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.results, Result) or not isinstance(self.results, Iterable):
            raise ValueError(f"results must be a list of results, a wave each, got {type(self.results).__name__}")
        found = tuple(self.results)
        object.__setattr__(self, "results", found)
        check_flag(self.same, "same")
        check_flag(self.remembered, "remembered")
        if self.remembered and not self.same:
            raise ValueError("same must be True where reports are remembered: they are those of the same people")
        for one in found:
            if isinstance(one, RatingsResult):
                cure = "Waves([result.shares for result in …], …), or result.means"
                raise ValueError(f"results must be of one kind, got shares and means of ratings: {cure}")
            if not isinstance(one, Result):
                raise ValueError(f"results must be those of question.estimate(tally), got {shown(one)}")
        if len(found) < 2:
            raise ValueError(f"results must be of at least two waves, got {len(found)}")
        _check_waves(self.waves, "results")
        self._check_alike()

    def _check_alike(self) -> None:
        """Refuse results of different questions, or that were not estimated in one way."""
        first = self.results[0]
        for one in self.results[1:]:
            for name in ("what", "heading", "labels", "unit", "span"):
                a, b = getattr(first, name), getattr(one, name)
                if a != b or [*map(type, _each(a))] != [*map(type, _each(b))]:
                    both = f"{shown(a)} and {shown(b)} as {name}"
                    raise ValueError(f"results must be of one question, got {both}: make Waves of each question")
            for name in ("level", "people", "together"):
                a, b = getattr(first, name), getattr(one, name)
                if a != b:
                    got = f"{name}={a!r} and {name}={b!r}"
                    raise ValueError(f"results must be estimated in one way, got {got}: estimate all with one of them")
        if first.what == "mean" and first.heading and self.same and not first.people:
            cure = "estimate with people=True, or compare shares"
            raise ValueError(
                f"results must be about these people where the same rate again, got means about a population, whose "
                f"error from wave to wave is not known: {cure}"
            )

    @property
    def waves(self) -> tuple[str, ...]:
        """Names of the waves."""
        return tuple(one.tally.wave for one in self.results)

    @property
    def labels(self) -> tuple[Any, ...]:
        """Labels of the question."""
        return tuple(self.results[0].labels)

    def combine(self, label: Any, weights: Sequence[float]) -> Entry:
        """Return a weighted sum over waves of one row, with its error and interval: a change has weights −1 and 1.

        Parameters
        ----------
        label : label of the question
        weights : list of float, one a wave

        Raises
        ------
        KeyError
            If there is no such label.
        ValueError
            If there is not one finite number a wave, or one wave tells too little of the label.
        """
        w = check_numbers(weights, "weights")
        if w.shape != (len(self.results),):
            raise ValueError(f"weights must be one a wave, {len(self.results)}, got shape {w.shape}")
        rows = [one[label] for one in self.results]
        for wave, row in zip(self.waves, rows, strict=True):
            if not (isfinite(row.estimate) and isfinite(row.error)):
                raise ValueError(f"label must be one that each wave tells of, got {shown(label)} in {shown(wave)}")
        estimate = float(w @ [row.estimate for row in rows])
        error = sqrt(self._variance(w, rows))
        first = self.results[0]
        half = quantile(first.level, len(first) if first.together else 1) * error
        return Entry(rows[0].label, estimate, error, estimate - half, estimate + half)

    def change(self, label: Any, start: str | None = None, end: str | None = None) -> Entry:
        """Return how much one row has changed: the wave `end`, the last, less the wave `start`, the first.

        Parameters
        ----------
        label : label of the question
        start, end : str, optional
            Names of two waves.
        """
        first = self._place(start, "start", 0)
        last = self._place(end, "end", len(self.results) - 1)
        if first == last:
            raise ValueError(f"start and end must be two waves, got {shown(self.waves[first])} twice")
        weights = np.zeros(len(self.results))
        weights[first] = -1
        weights[last] = 1
        return self.combine(label, weights.tolist())

    def slope(self, label: Any, times: Sequence[float] | None = None) -> Entry:
        """Return the change of one row per wave, by least squares.

        Parameters
        ----------
        label : label of the question
        times : list of float, optional
            When each wave was, where they are not equally spaced: the slope is per unit of time.
        """
        t = check_numbers(range(len(self.results)) if times is None else times, "times")
        if t.shape != (len(self.results),):
            raise ValueError(f"times must be one a wave, {len(self.results)}, got shape {t.shape}")
        apart = t - t.mean()
        if not np.any(apart):
            raise ValueError(f"times must differ, got {shown(t.tolist())}")
        return self.combine(label, (apart / (apart @ apart)).tolist())

    def mean(self, label: Any) -> Entry:
        """Return the mean of one row over the waves, each with the same weight."""
        waves = len(self.results)
        return self.combine(label, [1 / waves] * waves)

    def _place(self, wave: str | None, name: str, default: int) -> int:
        """Return the place of a wave."""
        if wave is None:
            return default
        if wave not in self.waves:
            raise ValueError(f"{name} must be one of the waves {told(self.waves)}, got {shown(wave)}")
        return self.waves.index(wave)

    def _variance(self, w: Floats, rows: Sequence[Entry]) -> float:
        """Variance of a weighted sum of the estimates of one row."""
        first = self.results[0]
        e = np.array([row.error for row in rows])
        total = float(w**2 @ e**2)
        if not self.same:
            return total
        low, high = first.span
        f = np.clip((np.array([row.estimate for row in rows]) - low) / (high - low), 0, 1)
        people = np.array([one.tally.n / one.rounds for one in self.results])
        for s, t in _pairs(len(w)):
            product = w[s] * w[t]
            together = product > 0
            if together and self.remembered:  # noise and people: no correlation is above 1
                total += 2 * product * e[s] * e[t]
            elif not first.people:
                alike = min(f[s], f[t]) if together else max(0.0, f[s] + f[t] - 1)
                covariance = (high - low) ** 2 * (alike - f[s] * f[t])
                total += 2 * product * covariance / sqrt(people[s] * people[t])
        return float(total)

    @property
    def said(self) -> str:
        """What the table is about: people, ε and mechanism, and the kind of the intervals."""
        first = self.results[0]
        each = ", ".join(dict.fromkeys(f"{one.tally.mechanism.epsilon:g}" for one in self.results))
        who = "the same people" if self.same else "new people in each wave"
        about = "these very people" if first.people else "the population these people are a random sample of"
        kind = "all together" if first.together else "each alone"
        how = ", remembered reports" if self.remembered else ""
        bound = ", the widest that the same people can need" if self.same and not first.people else ""
        return (
            f"{len(self.results)} waves of {who}, ε = {each} a report{how}; "
            f"change: {self.waves[0]} to {self.waves[-1]}\n"
            f"low, high: {100 * first.level:g} % intervals of the change, {kind}, about {about}{bound}"
        )

    def __str__(self) -> str:
        first = self.results[0]
        scale, unit = (100, " %") if first.what == "share" else (1, f" {first.unit}" if first.unit else "")
        form = first._form(scale)
        rows = [[first.heading, *self.waves, "change", "error", "low", "high"]]
        for label in self.labels:
            estimates = [one[label].estimate for one in self.results]
            changed = self.change(label)[1:] if all(map(isfinite, estimates)) else [np.nan] * 4
            units = [unit] * len(estimates) + [" points" if first.what == "share" else unit] * len(changed)
            numbers = zip([*estimates, *changed], units, strict=True)
            rows.append([label, *(f"{scale * x:{form}}{of}" if isfinite(x) else "–" for x, of in numbers)])
        return f"{padded(rows)}\n{self.said}"

    __repr__ = __str__

    def plot(self, ax: Any = None) -> Any:
        """Draw the estimates of each row over the waves, with each wave's own intervals, and return the axes.

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
            _, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
        first = self.results[0]
        scale, unit = (100, "%") if first.what == "share" else (1, first.unit)
        place = np.arange(len(self.results))
        for i, label in enumerate(self.labels):
            shift = 0.08 * (i - (len(self.labels) - 1) / 2) / max(1, len(self.labels) - 1)
            estimate, low, high = (
                scale * np.array([getattr(one, name)[i] for one in self.results])
                for name in ("estimate", "low", "high")
            )
            (line,) = ax.plot(place + shift, estimate, "o-", label=str(label))
            ax.vlines(place + shift, low, high, color=line.get_color(), linewidth=1)
        ax.set_xticks(place, self.waves)
        ax.set_ylabel(f"{first.what} ({unit})" if unit else first.what)
        if len(self.labels) > 1:
            ax.legend()
        return ax


def _pairs(n: int) -> list[tuple[int, int]]:
    """Return all pairs of places, the smaller first."""
    return [(s, t) for t in range(n) for s in range(t)]


def _each(value: Any) -> tuple[Any, ...]:
    """Return the parts of a tuple, or a value alone."""
    return value if isinstance(value, tuple) else (value,)
