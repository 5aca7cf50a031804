r"""One question, wave after wave: what has changed, how fast, and how sure is that.

A *wave* is a time at which a question is asked, with a name of its own: ``question.tally(reports, wave="2026-W48")``.
Tallies of different waves do not add, since they may hold the same people.  Three ways lead on:

- `Waves` compares them: a change, a slope or a mean over waves is :math:`\sum_t w_t \hat f_t`.
- `pool_waves` adds them on purpose, for an estimate over all reports: ``estimate(…, rounds=T)``.
- If reports were remembered (`Account.remembered`), the same report came back in each wave: estimate one wave alone.

*Errors.*  Let :math:`e_t` be the standard error of wave t, about these people, all N people of a drawn survey, or a
population, as its result says.  Coins are fresh in each wave.  About these people, and about a population of which new
people were asked each time,

.. math:: \operatorname{Var} \sum_t w_t \hat f_t = \sum_t w_t^2 e_t^2 .

If the *same* people were asked, their answers go together from wave to wave, and nobody knows how.  If they are a
random sample of a population, or were drawn from N people, one term is added,

.. math:: 2 \sum_{s<t} w_s w_t\, c_{st}\, C_{st}, \qquad
   c_{st} = \frac{1 - n/N}{n - 1} .

Here n people answered both waves, :math:`n/N` is 0 for a population, and :math:`C_{st}` is the covariance of a person's
two answers, from the estimated shares.  That these come from n people makes n − 1 of n.  It is what is left of the
draw: who is drawn once stays, and of :math:`n = N` people nobody was drawn.  If the waves have n and m people, the
smaller group is taken to be within the larger one, whose number counts.  If people sent several reports a wave, or N
differs between waves, :math:`c_{st}` is the root of the product for either wave, its largest.

:math:`C_{st}` is taken to be what makes the sum largest: answers with weights of one sign go together as far as their
shares let them, :math:`\min(f_s, f_t) - f_s f_t`, and those with weights of two signs against each other,
:math:`\max(0, f_s + f_t - 1) - f_s f_t`.  Scores, as of a mean or the Net Promoter Score, are paired in order, or in
opposite order.  All pairs of waves can be so at once, so that this is the largest variance that there is, if shares are
as estimated; intervals are wide where ε is large.  Of two estimates of one share, noise makes the smaller too small:
where weights are of one sign and waves differ by less than 1.96 errors by coins alone, both shares are taken to
be in their middle; scores of a mean with missing answers, which hold it, become those there.
Of 600 people, one in ten in a row, at ε = 1, a 95 % interval of the mean over twelve waves of constant answers
covers 94.4 % in 4,000 trials, and that over 52 waves 94.5 % in 1,000; with each wave's own share, it would be
92.9 and 91.3 %.  A number in a range is a chance of its upper end; the bound is the same.  Where
reports do not tell how often each score occurs, as of a sum over the columns of a table, a covariance is at most the
root of the product of two variances.

*Intervals* of rows are combined with these correlations, and are not normal: see ``ldpnb.serve._ends``.  Where an error is
estimated as 0, since hardly anybody is in a row, no correlation is known: of the same people, distances to the ends add.

With remembered reports, the noise of waves goes together, too.  It partly cancels in a change, and is not averaged away
in a mean.  Both are treated on the safe side: in a change as if the noise was independent, in a mean as if it was the
same in each wave.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, isnan, pi, sqrt
from typing import Any

import numpy as np

from ldpnb._door import needs
from ldpnb.checks import POOLED, check_flag, check_numbers, is_pooled, shown
from ldpnb.core import Floats, Tally
from ldpnb.oracles.base import Supporting
from ldpnb.serve._columns import told
from ldpnb.serve._ends import added, moved
from ldpnb.serve._contrasts import (
    AT_MOST,
    LARGEST,
    SMALLEST,
    UNTOLD,
    Contrast,
    Contrasts,
    Part,
    _noise,
    is_of_size,
    largest_apart,
    law_of,
    mean_of_valued,
    part_of,
    percent,
    check_size,
    variance_of,
)
from ldpnb.serve._results import Entry, RatingsResult, Result, padded

ROUNDING = 1e-14  # of times, in units of their range
NEAR = 1.96  # standard errors, by coins alone, of a difference of two waves
NAMED_WAVES = 3  # of several, which are written out
BY_CHANCE = 1e-6  # below this, equal counts are taken for the same reports
Law = tuple[Floats, Floats]  # what a person may contribute to a sum, and how many do

NAMED = "name each, question.tally(reports, wave='2026-W48')"


def pool_waves(tallies: Iterable[Tally]) -> Tally:
    """Add tallies of different waves on purpose; the sum is of "waves …", and neither adds nor pools again.

    Say in the estimate how often each person reported, ``estimate(tally, rounds=T)``; 1 if people are new each time.
    Do not add remembered reports: T copies of a report say no more than one.

    Parameters
    ----------
    tallies : iterable of Tally
        Of one mechanism, at least one; each of a wave of its own.

    Raises
    ------
    ValueError
        If there is none, one has no wave or is of several, two have the same wave, or they do not add otherwise.

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
    _check_waves([one.wave for one in given], "tallies", "pool all of them at once")
    names = [str(one.wave) for one in given]
    more = f" and {len(names) - NAMED_WAVES} more" if len(names) > NAMED_WAVES else ""
    wave = POOLED + ", ".join(names[:NAMED_WAVES]) + more
    first, *others = (replace(one, wave=None) for one in given)
    return replace(sum(others, first), wave=wave)


def _check_waves(waves: Sequence[str | None], name: str, cure: str) -> None:
    """Refuse waves without a name, several that were pooled, and two of one name."""
    for wave in waves:
        if is_pooled(wave):
            raise ValueError(f"{name} must be of one wave each, got {shown(wave)}, which are several: {cure}")
    if None in waves:
        raise ValueError(f"{name} must be of named waves, got one without a name: {NAMED}")
    for at, wave in enumerate(waves):
        if wave in waves[:at]:
            raise ValueError(
                f"{name} must be of different waves, got {shown(wave)} twice: add tallies of one wave before"
            )


@dataclass(frozen=True, eq=False, repr=False)
class OverWaves(Contrast):
    """A weighted sum over waves of one row, or of one contrast; ``print`` shows a line."""

    @property
    def is_sum(self) -> bool:
        """Whether it is a share of people itself: a mean over waves of such shares."""
        each = np.stack([part.weights for part in self.parts])
        total = each.sum(0)
        return bool(np.all(each >= 0) and np.allclose(total * (1 - total), 0))


@dataclass(frozen=True, eq=False)
class Waves:
    """Results of one question in several waves, and what changes between them.

    Parameters
    ----------
    results : list of Result, or of Contrast, at least two
        In the order of time, each estimated from a tally with a wave of its own, and all with the same level, `people`
        and `together`, which the intervals here take over: about these people if results are.  Of `Ratings`, its
        ``shares`` or its ``means``.  Questions are told apart by their labels and units; mechanisms may differ.
        Or one contrast of each: ``[one.mean for one in results]``, ``one.top(2)``, ``one.contrast({…})``.  Then there
        is one row, and no method needs its label.
    same : bool
        It must be said: whether the same people were asked each time, or some of them; False if people were new.  Of a survey that
        draws its questions, the same people answer one if accounts keep their draw, as by `Survey.drawn`; if questions
        are dealt anew in each wave, say False, and errors about all these people are right.
    remembered : bool
        Whether they sent the same report again, as `Account.remembered` does.

    Notes
    -----
    Errors about these people (of shares) are exact, given the noise.  Those about a population, or about all people of
    whom some were drawn, are exact for new people, and of the same ones the largest that estimated shares allow; see
    `ldpnb.serve.waves`, which says by how little a mean over many waves may fall short.  Intervals of rows are combined, so that they hold for rare categories, too; those of waves of
    contrasts with several rows follow the normal law, as in `Result.contrast`.  Of numbers, errors about these people are too wide, if anything, as in each result.

    About these people is about each wave's: if people are new, a change is that from one group to the other.

    Examples
    --------
    >>> from ldpnb import OneOf
    >>> stays, rng = OneOf(["yes", "no"], epsilon=2.0), np.random.default_rng(0)
    >>> tallies = []
    >>> for week, yes in ((48, 1500), (49, 1400), (50, 1200)):
    ...     answers = ["yes"] * yes + ["no"] * (2000 - yes)
    ...     tallies.append(stays.tally(stays.perturb(answers, rng=rng), wave=f"W{week}"))
    >>> waves = Waves([stays.estimate(tally, people=True) for tally in tallies], same=True)
    >>> print(waves)
    category      W48      W49      W50         change        error            low           high
    yes       74.95 %  69.76 %  60.44 %  -14.51 points  1.35 points  -17.15 points  -11.87 points
    no        25.05 %  30.24 %  39.56 %   14.51 points  1.35 points   11.87 points   17.15 points
    3 waves of the same people, ε = 2 a report; change: W48 to W50
    low, high: 95 % intervals of the change, each alone, about these very people
    >>> change = waves.change("yes")
    >>> bool(change.low < -0.15 < change.high)
    True

    The mean of a scale:

    >>> mood, results = OneOf([1, 2, 3], epsilon=2.0), []
    >>> for week, low in ((48, 900), (49, 600)):
    ...     answers = [1] * low + [2] * 500 + [3] * (1600 - low)
    ...     results.append(mood.estimate(mood.tally(mood.perturb(answers, rng=rng), wave=f"2026-W{week}")))
    >>> change = Waves([one.mean for one in results], same=True).change()
    >>> change.label, bool(change.low < 600 / 2100 < change.high)
    ('change of mean, 2026-W48 to 2026-W49', True)
    """

    results: Any
    same: Any = None  # bool
    remembered: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.results, Result) or not isinstance(self.results, Iterable):
            raise ValueError(f"results must be a list of results, a wave each, got {type(self.results).__name__}")
        found = tuple(self.results)
        object.__setattr__(self, "results", found)
        if not isinstance(self.same, bool):
            cure = "True if the same people were asked each time, False if people were new"
            raise ValueError(f"same must be said, {cure}, got {shown(self.same)}")
        check_flag(self.remembered, "remembered")
        if self.remembered and not self.same:
            raise ValueError("same must be True where reports are remembered: they are those of the same people")
        for one in found:
            _check_kind(one)
        if len({isinstance(one, Contrast) for one in found}) > 1:
            raise ValueError("results must be of one kind, got results and contrasts: make Waves of each")
        if len(found) < 2:
            raise ValueError(f"results must be of at least two waves, got {len(found)}")
        _check_waves([one.tally.wave for one in self._results], "results", "estimate each wave alone")
        self._check_alike()
        self._check_fresh()

    def _check_alike(self) -> None:
        """Refuse results of different questions, or that were not estimated in one way."""
        for series in (self._results, self._tables):
            first = series[0]
            for one in series[1:]:
                for name in ("what", "heading", "labels", "unit", "span"):
                    a, b = getattr(first, name), getattr(one, name)
                    if a != b or [*map(type, _each(a))] != [*map(type, _each(b))]:
                        both = f"{shown(a)} and {shown(b)} as {name}"
                        raise ValueError(f"results must be of one question, got {both}: make Waves of each question")
        if isinstance(self.results[0], Contrast):
            self._check_weights()
        first = self._tables[0]
        for one in self._tables[1:]:
            for name in ("level", "people", "together"):
                a, b = getattr(first, name), getattr(one, name)
                if a != b:
                    got = f"{name}={a!r} and {name}={b!r}"
                    raise ValueError(f"results must be estimated in one way, got {got}: estimate all with one of them")
        if self.same and any(_is_rating(one) and _left(one) for one in self._results):
            cure = "estimate each wave alone with people=True and without of, or compare shares"
            raise ValueError(
                f"results must be about these people where the same rate again, got means about a population, whose "
                f"error from wave to wave is not known: {cure}"
            )

    def _check_weights(self) -> None:
        """Refuse contrasts of different weights, or of different numbers of sums that were asked for at once."""
        first = self.results[0]
        for one in self.results[1:]:
            if one.family != first.family:
                both = f"of {first.family} and of {one.family} asked for at once"
                raise ValueError(f"results must be contrasts of one kind, got some {both}: ask for all alike")
            a, b = (x.parts[0].weights for x in (first, one))
            if first.what == "mean" and first.parts[0].result.what == "share":  # of numbers that stand for labels
                a, b = (np.array(x.parts[0].result.values) for x in (first, one))
            if not np.array_equal(a, b, equal_nan=True):
                both = f"{shown(a.tolist())} and {shown(b.tolist())}"
                raise ValueError(f"results must be contrasts of one kind, got weights {both}: make Waves of each")

    def _check_fresh(self) -> None:
        """Refuse tallies that are equal in all waves, where chance does that in less than one of a million cases."""
        first, *others = (one.tally for one in self._results)
        if self.remembered or not isinstance(first.mechanism, Supporting):
            return
        for one in others:
            if one.mechanism != first.mechanism or one.n != first.n or not np.array_equal(one.counts, first.counts):
                return
        own, other = (float(chance) for chance in first.mechanism.chances)
        variance = first.n * min(own * (1 - own), other * (1 - other))  # of one count, at least
        if variance > 10 and (2 * pi * variance) ** (-len(others) / 2) < BY_CHANCE:  # its likeliest value
            cure = "say remembered=True if people sent the same reports again, else count each wave's own"
            got = f"the same counts in all {1 + len(others)} waves"
            raise ValueError(f"results must be of reports that are drawn anew in each wave, got {got}: {cure}")

    @property
    def _results(self) -> tuple[Result, ...]:
        """Results of the waves, or those that their contrasts are of."""
        return tuple(one.parts[0].result if isinstance(one, Contrast) else one for one in self.results)

    @property
    def _tables(self) -> tuple[Result, ...]:
        """Results of the waves, with one row where they are contrasts."""
        return tuple(_one_row(one) if isinstance(one, Contrast) else one for one in self.results)

    @property
    def _family(self) -> int:
        """Number of intervals that hold at once."""
        first = self.results[0]
        if isinstance(first, Contrast):
            return first.family
        return len(first) if first.together else 1

    @property
    def waves(self) -> tuple[str, ...]:
        """Names of the waves."""
        return tuple(str(one.tally.wave) for one in self._results)

    @property
    def labels(self) -> tuple[Any, ...]:
        """Labels of the question, or that of the contrast."""
        return tuple(self._tables[0].labels)

    def combine(self, label: Any, weights: Sequence[float]) -> OverWaves:
        """Return a weighted sum over waves of one row, with its error and interval: a change has weights −1 and 1.

        Parameters
        ----------
        label : label of the question
            None for the only row of waves of a contrast, which the other methods take if nothing is said.
        weights : list of float, one a wave

        Returns
        -------
        OverWaves
            A `Contrast`, with a p-value; ``print`` shows a line with its unit.

        Raises
        ------
        KeyError
            If there is no such label.
        ValueError
            If there is not one finite number a wave, one is of a size beyond 1e-50 to 1e50, all are 0, or one wave
            whose weight is not 0 tells too little of the label.
        """
        return self._combined(label, weights, "weighted sum of {}" + f" over {len(self.results)} waves")

    def _combined(self, label: Any, weights: Sequence[float], name: str) -> OverWaves:
        """Return a weighted sum, of this name with the row's label put in."""
        w = check_numbers(weights, "weights")
        if w.shape != (len(self.results),):
            raise ValueError(f"weights must be one a wave, {len(self.results)}, got shape {w.shape}")
        if not w.any():
            raise ValueError("weights must not all be 0, got that")
        for weight in w.tolist():
            check_size(weight, "weights")
        used = np.flatnonzero(w)  # a wave of weight 0 is not asked: it may not tell the row
        rows, w = self._rows(label, used.tolist()), w[used]
        errors = w * [row.error for row in rows]
        covariances, correlations = self._going_together(w, rows)
        first = rows[0]
        estimates = [float(x * row.estimate) for x, row in zip(w, rows, strict=True)]
        each = [partial(moved, row.to_add, float(x), 0.0) for x, row in zip(w, rows, strict=True)]
        kind = self._intervals.replace(" intervals, each alone,", " interval, alone,")
        extremes = np.outer(w, (first.least, first.most))
        return OverWaves(
            name.format(label if label is not None else first.label),
            sum(estimates),
            sqrt(float(errors @ errors + covariances.sum())),
            ends=partial(added, estimates, each, correlations),
            level=self._tables[0].level,
            family=self._family,
            what=first.what,
            unit=first.unit,
            said=f"{self._who}\n{kind}",
            parts=tuple(
                Part(row.parts[0].result, x * row.parts[0].weights) for x, row in zip(w, rows, strict=True)
            ),
            least=float(extremes.min(1).sum()),
            most=float(extremes.max(1).sum()),
        )

    def _rows(self, label: Any, used: Sequence[int]) -> list[Contrast]:
        """Return the row of each wave that is used."""
        if isinstance(self.results[0], Contrast):
            if label not in (None, *self.labels):
                raise KeyError(f"label must be {shown(self.labels[0])}, or left out, got {shown(label)}")
            return [self.results[t] for t in used]
        if label is None:
            raise ValueError(f"label must be one of {told(self.labels)}, got none")
        rows: list[Entry] = [self.results[t][label] for t in used]
        for t, row in zip(used, rows, strict=True):
            if not (isfinite(row.estimate) and isfinite(row.error)):
                where = f"{shown(label)} in {shown(self.waves[t])}"
                raise ValueError(f"label must be one that each wave tells of, got {where}")
        return [part_of(row, "label") for row in rows]

    def change(self, label: Any = None, start: str | None = None, end: str | None = None) -> OverWaves:
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
        both = f"{self.waves[first]} to {self.waves[last]}"
        return self._combined(label, weights.tolist(), "change of {}, " + _plain(both))

    def slope(self, label: Any = None, times: Sequence[float] | None = None) -> OverWaves:
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
        span = max(t.tolist()) - min(t.tolist())
        if span == 0:
            raise ValueError(f"times must differ, got {shown(t.tolist())}")
        check_size(span, "the range of times")
        apart = (t - t.min()) / span
        apart -= apart.mean()
        apart[np.abs(apart) <= ROUNDING] = 0  # a wave in the middle has no weight
        weights = (apart / (apart @ apart) / span).tolist()
        if not all(is_of_size(weight) for weight in weights):
            rule = f"such that a slope has weights of a size from {SMALLEST:g} to {LARGEST:g}, or 0"
            raise ValueError(f"times must be {rule}, got {shown(t.tolist())}: take another unit of time")
        per = "a wave" if times is None else "a unit of time"
        return self._combined(label, weights, "slope of {}, " + per)

    def mean(self, label: Any = None) -> OverWaves:
        """Return the mean of one row over the waves, each with the same weight."""
        waves = len(self.results)
        return self._combined(label, [1 / waves] * waves, "mean of {}" + f" over {waves} waves")

    def _place(self, wave: str | None, name: str, default: int) -> int:
        """Return the place of a wave."""
        if wave is None:
            return default
        if wave not in self.waves:
            raise ValueError(f"{name} must be one of the waves {told(self.waves)}, got {shown(wave)}")
        return self.waves.index(wave)

    def _going_together(self, w: Floats, rows: Sequence[Contrast]) -> tuple[Floats, Floats]:
        """Return the largest covariances of the weighted estimates of waves, 0 with itself, and correlations.

        Where an error is estimated as 0, nothing is known of the correlation of the same people's waves.
        """
        e = np.abs(w) * [row.error for row in rows]
        covariances, correlations = np.zeros((len(w), len(w))), np.eye(len(w))
        if not self.same:
            return covariances, correlations
        of_one = [_of_one(row.parts[0].result) for row in rows]
        for s, t in _pairs(len(w)):
            together = w[s] * w[t] > 0
            found = unknown = 0.0
            if together and self.remembered:  # noise and people: no correlation is above 1
                found, unknown = e[s] * e[t], 1.0
            elif of_one[s] and of_one[t]:
                found = abs(w[s] * w[t]) * _covariance(rows[s], rows[t], together)
                unknown = 1.0
            both = e[s] * e[t]
            covariances[s, t] = covariances[t, s] = found
            correlations[s, t] = correlations[t, s] = min(found / both, 1.0) if both > 0 else unknown
        return covariances, correlations

    @property
    def _who(self) -> str:
        """How many waves there are, of whom, at which ε."""
        each = ", ".join(dict.fromkeys(f"{one.tally.mechanism.epsilon:g}" for one in self._results))
        who = "the same people" if self.same else "new people in each wave"
        how = ", remembered reports" if self.remembered else ""
        return f"{len(self.results)} waves of {who}, ε = {each} a report{how}"

    @property
    def _intervals(self) -> str:
        """The kind of the intervals."""
        about = [*dict.fromkeys(one.about for one in self._results)]
        if len(about) > NAMED_WAVES:
            about[NAMED_WAVES:] = [f"{len(about) - NAMED_WAVES} more"]
        kind = "all together" if self._family > 1 else "each alone"
        widest = self.same and any(_left(one) for one in self._results)
        bound = ", the widest that the same people can need" if widest else ""
        found = f"low, high: {percent(self._tables[0].level)} % intervals, {kind}, about {' and '.join(about)}{bound}"
        if any(_is_bound(one) for one in self.results):
            found = f"each wave: {AT_MOST}\n{found}"
        return found

    @property
    def said(self) -> str:
        """What the table is about: people, ε and mechanism, and the kind of the intervals."""
        table = self._intervals.replace(" intervals,", " intervals of the change,")
        return f"{self._who}; change: {self.waves[0]} to {self.waves[-1]}\n{table}"

    def __str__(self) -> str:
        first = self._tables[0]
        scale, unit = (100, " %") if first.what == "share" else (1, f" {first.unit}" if first.unit else "")
        moved = " points" if first.what == "share" else unit
        if not getattr(self.results[0], "is_sum", True):
            unit = moved
        form = first._form(scale)
        rows = [[first.heading, *self.waves, "change", "error", "low", "high"]]
        untold = False
        for label in self.labels:
            estimates = [one[label].estimate for one in self._tables]
            changed = [np.nan] * 4
            if all(map(isfinite, estimates)):
                change = self.change(label)
                changed = [change.estimate, change.error, change.low, change.high]
                if isnan(change.low):
                    changed[1] = np.nan  # an error of 0 that too few reports tell
                    untold = True
            units = [unit] * len(estimates) + [moved] * len(changed)
            numbers = zip([*estimates, *changed], units, strict=True)
            rows.append([label, *(f"{scale * x:{form}}{of}" if isfinite(x) else "–" for x, of in numbers)])
        text = f"{padded(rows)}\n{self.said}"
        return f"{text}\n{UNTOLD}" if untold else text

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
        tables = self._tables
        first = tables[0]
        scale, unit = (100, "%") if first.what == "share" else (1, first.unit)
        if first.what == "share" and not getattr(self.results[0], "is_sum", True):
            unit = "points"
        place = np.arange(len(self.results))
        for i, label in enumerate(self.labels):
            shift = 0.08 * (i - (len(self.labels) - 1) / 2) / max(1, len(self.labels) - 1)
            estimate, low, high = (
                scale * np.array([getattr(one, name)[i] for one in tables]) for name in ("estimate", "low", "high")
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


def _plain(text: str) -> str:
    """Return a text that `str.format` leaves as it is."""
    return text.replace("{", "{{").replace("}", "}}")


# ------------------------------------------------------------------------------------------------------ of one wave


def _check_kind(one: Any) -> None:
    """Refuse what is neither a result nor a contrast of one."""
    if isinstance(one, RatingsResult):
        cure = "Waves([result.shares for result in …], …), or result.means"
        raise ValueError(f"results must be of one kind, got shares and means of ratings: {cure}")
    if isinstance(one, Contrasts):
        cure = f"[one[{shown(next(iter(one)))}] for one in …]"
        raise ValueError(f"results must be of one contrast each, got {len(one)} by name: {cure}")
    if isinstance(one, Contrast) and len(one.parts) > 1:
        cure = "make Waves of either, and look at both"
        raise ValueError(f"results must be contrasts of one result each, got {shown(one.label)} of several: {cure}")
    if not isinstance(one, Result | Contrast):
        raise ValueError(f"results must be those of question.estimate(tally), or contrasts of them, got {shown(one)}")


def _one_row(one: Contrast) -> Result:
    """Return a contrast as a result with one row."""
    result = one.parts[0].result
    names = ("estimate", "error", "low", "high")
    numbers: dict[str, Any] = {name: np.array([getattr(one, name)]) for name in names}
    said: dict[str, Any] = {"what": one.what, "unit": one.unit, "heading": "", "labels": (one.label,), "notes": ()}
    return replace(result, **numbers, **said, level=one.level, together=one.family > 1, order=(), values=())


def _is_rating(result: Result) -> bool:
    """Whether rows are means of ratings: of those people alone who rate the item."""
    return result.what == "mean" and bool(result.heading)


def _is_bound(one: Any) -> bool:
    """Whether the error of a contrast is only known to be at most so large."""
    if not isinstance(one, Contrast):
        return False
    (part,) = one.parts
    return variance_of(part.result, part.weights, part.result.people)[1]


def _left(result: Result) -> float:
    """Return the part that is left of the chance of who was asked: none about these people, all about a population."""
    if not result.people:
        return 1.0
    return 0.0 if result.of is None else 1 - result.tally.n / result.of


def _covariance(a: Contrast, b: Contrast, together: bool) -> float:
    """Return the largest covariance of two waves of the same people, or of one and the negative of the other."""
    (one,), (other,) = a.parts, b.parts
    parts = _of_one(one.result), _of_one(other.result)
    laws = [law for law in map(_scores, (one, other)) if law is not None]
    if len(laws) < 2 or 0 in parts:
        sampled = [max(x.error**2 - _noise(x), 0.0) if part else 0.0 for x, part in zip((a, b), parts, strict=True)]
        return sqrt(sampled[0] * sampled[1])
    fixed = one.result.rounds == other.result.rounds == 1 and one.result.of == other.result.of
    part = min(parts) if fixed else sqrt(parts[0] * parts[1])
    if together and _near(a, b):
        laws = _in_common(laws, np.array(one.result.values))
    (x, p), (y, q) = laws
    spread = sum(float(chance @ v**2 - (chance @ v) ** 2) for v, chance in laws)
    apart = largest_apart(x, p, -y if together else y, q)
    return part * max(apart - spread, 0.0) / 2


def _in_common(laws: list[Law], values: Floats) -> list[Law]:
    """Return the laws of two waves with the shares in their middle.

    Scores of a mean with missing answers hold the mean of their wave: they become those of the mean
    at the common shares.
    """
    (x, p), (y, q) = laws
    if np.array_equal(x, y):
        share = (p + q) / 2
        return [(x, share)] * 2
    if not len(x) == len(y) == len(values):
        return laws
    share = (p + q) / 2
    if share[~np.isnan(values)].sum() <= 0:
        return laws
    _, score = mean_of_valued(values, share)
    return [(score, share)] * 2


def _near(a: Contrast, b: Contrast) -> bool:
    """Whether coins may be all that two waves differ by: then the smaller share is too small for a covariance."""
    return abs(a.estimate - b.estimate) <= NEAR * sqrt(_noise(a) + _noise(b))


def _of_one(result: Result) -> float:
    """Return what the variance of one person's answer is multiplied by in that of the mean of those asked."""
    people = result.tally.n / result.rounds
    return _left(result) / (people - 1)


def _scores(part: Part) -> tuple[Floats, Floats] | None:
    """Return what a person may contribute to a row or contrast, and how many do; None if that is not known.

    A number, or one of several rows, is one end of its range or the other.
    """
    used = np.flatnonzero(part.weights)
    if len(used) > 1:
        return law_of(part)
    low, high = part.result.span
    share = (float(part.result.estimate[used[0]]) - low) / (high - low)
    share = min(max(share, 0.0), 1.0)
    return part.weights[used[0]] * np.array([low, high]), np.array([1 - share, share])
