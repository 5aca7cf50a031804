r"""One question, wave after wave: what has changed, how fast, and how sure is that.

A *wave* is a time at which a question is asked, with a name of its own: ``question.tally(reports,
wave="2026-W48")``.  Tallies of different waves do not add, since they may hold the same people.
Three ways lead on:

- `Waves` compares them: a change, a slope or a mean over waves is :math:`\sum_t w_t \hat f_t`.
- `pool_waves` adds them on purpose, for an estimate over all reports: ``estimate(…, rounds=T)``.
- If reports were remembered (`Account.remembered`), the same report came back in each wave:
  estimate one wave alone.

*Errors.*  Let :math:`e_t` be the standard error of wave t, about these people, all N people of a
drawn survey, or a population, as its result says.  Coins are fresh in each wave.  About these
people, and about a population of which new people were asked each time,

.. math:: \operatorname{Var} \sum_t w_t \hat f_t = \sum_t w_t^2 e_t^2 .

If the *same* people were asked, their answers go together from wave to wave, and nobody knows how.
If they are a random sample of a population, or were drawn from N people, one term is added,

.. math:: 2 \sum_{s<t} w_s w_t\, c_{st}\, C_{st}, \qquad
   c_{st} = \frac{1 - n/N}{n - 1} .

Here n people answered both waves, :math:`n/N` is 0 for a population, and :math:`C_{st}` is the
covariance of a person's two answers, from the estimated shares.  That these come from n people
makes n − 1 of n.  It is what is left of the draw: who is drawn once stays, and of :math:`n = N`
people nobody was drawn.  If the waves have n and m people, the smaller group is taken to be within
the larger one, whose number counts.  If people sent several reports a wave, or N differs between
waves, :math:`c_{st}` is the root of the product for either wave, its largest.

:math:`C_{st}` is taken to be what makes the sum largest: answers with weights of one sign go
together as far as their shares let them, :math:`\min(f_s, f_t) - f_s f_t`, and those with weights
of two signs against each other, :math:`\max(0, f_s + f_t - 1) - f_s f_t`.  Scores, as of a mean or
the Net Promoter Score, are paired in order, or in opposite order.  All pairs of waves can be so at
once, so that this is the largest variance that there is, if shares are as estimated; intervals are
wide where ε is large.  Of two estimates of one share, noise makes the smaller too small: where
weights are of one sign and waves differ by less than 1.96 errors by coins alone, both shares are
taken to be in their middle; scores of a mean with missing answers, which hold it, become those
there.  Of 600 people, one in ten in a row, at ε = 1, a 95 % interval of the mean over twelve waves
of constant answers covers 94.4 % in 4,000 trials, and that over 52 waves 94.5 % in 1,000; with each
wave's own share, it would be 92.9 and 91.3 %.  A number in a range is a chance of its upper end;
the bound is the same.  Where reports do not tell how often each score occurs, as of a sum over the
columns of a table, a covariance is at most the root of the product of two variances.

*Intervals* of rows are combined with these correlations, and are not normal: see
``ldpnb.survey._ends``.  Where an error is estimated as 0, since hardly anybody is in a row, no
correlation is known: of the same people, distances to the ends add.

With remembered reports, the noise of waves goes together, too.  It partly cancels in a change, and
is not averaged away in a mean.  Both are treated on the safe side: in a change as if the noise was
independent, in a mean as if it was the same in each wave.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import isfinite, isnan, nan, pi, sqrt
from typing import Any

import numpy as np

from ldpnb._door import needs
from ldpnb._sheets import Sheet, short
from ldpnb.checks import POOLED, check_flag, check_numbers, is_pooled, shown
from ldpnb.collecting._columns import told
from ldpnb.core import Floats, Tally
from ldpnb.oracles.base import Supporting
from ldpnb.survey._contrasts import (
    AT_MOST,
    LARGEST,
    SMALLEST,
    Contrast,
    Contrasts,
    Part,
    _noise,
    check_size,
    is_of_size,
    largest_apart,
    law_of,
    mean_of_valued,
    part_of,
    percent,
    untold,
    variance_of,
)
from ldpnb.survey._ends import Ends, added, moved
from ldpnb.survey._results import Entry, RatingsResult, Result

ROUNDING = 1e-14  # of times, in units of their range
NEAR = 1.96  # standard errors, by coins alone, of a difference of two waves
NAMED_WAVES = 3  # of several, which are written out
BY_CHANCE = 1e-6  # below this, equal counts are taken for the same reports
Law = tuple[Floats, Floats]  # what a person may contribute to a sum, and how many do

NAMED = "name each, question.tally(reports, wave='2026-W48')"


def pool_waves(tallies: Iterable[Tally]) -> Tally:
    """Add tallies of different waves on purpose.

    The sum is of "waves …", and neither adds nor pools again.  Say in the estimate how often each
    person reported, ``estimate(tally, rounds=T)``; 1 if people are new each time.  Do not add
    remembered reports: T copies of a report say no more than one.

    Parameters
    ----------
    tallies : iterable of Tally
        Of one mechanism, at least one; each of a wave of its own.

    Raises
    ------
    ValueError
        If there is none, one has no wave or is of several, two have the same wave, or they do not
        add otherwise.

    Examples
    --------
    >>> from ldpnb import OneOf
    >>> stays = OneOf(["yes", "no"], epsilon=2.0)
    >>> rng = np.random.default_rng(0)
    >>> people = ["yes"] * 300 + ["no"] * 200
    >>> weeks = []
    >>> for week in (48, 49, 50, 51):
    ...     reports = stays.perturb(people, rng=rng)
    ...     weeks.append(stays.tally(reports, wave=f"2026-W{week}"))
    >>> print(stays.estimate(pool_waves(weeks), rounds=4).said.partition(": ")[0])
    waves 2026-W48, 2026-W49, 2026-W50 and 1 more
    """
    if isinstance(tallies, Tally) or not isinstance(tallies, Iterable):
        raise ValueError(f"tallies must be a list of tallies, got {shown(tallies)}")
    given = list(tallies)
    for one in given:
        if not isinstance(one, Tally):
            cure = "question.tally(reports, wave=…) makes one"
            raise ValueError(f"tallies must be tallies, got {shown(one)}: {cure}")
    if not given:
        raise ValueError("tallies must be at least one, got none")
    _check_waves([one.wave for one in given], "tallies", "pool all of them at once")
    names = [str(one.wave) for one in given]
    wave = POOLED + ", ".join(names[:NAMED_WAVES])
    if len(names) > NAMED_WAVES:
        wave += f" and {len(names) - NAMED_WAVES} more"
    first, *others = (replace(one, wave=None) for one in given)
    return replace(sum(others, first), wave=wave)


def _check_waves(waves: Sequence[str | None], name: str, cure: str) -> None:
    """Refuse waves without a name, several that were pooled, and two of one name."""
    for wave in waves:
        if is_pooled(wave):
            got = f"{shown(wave)}, which are several"
            raise ValueError(f"{name} must be of one wave each, got {got}: {cure}")
    if None in waves:
        raise ValueError(f"{name} must be of named waves, got one without a name: {NAMED}")
    for at, wave in enumerate(waves):
        if wave in waves[:at]:
            got = f"{shown(wave)} twice: add tallies of one wave before"
            raise ValueError(f"{name} must be of different waves, got {got}")


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
        In the order of time, each estimated from a tally with a wave of its own, and all with the
        same level, `people` and `together`, which the intervals here take over: about these people
        if results are.  Of `Ratings`, its ``shares`` or its ``means``.  Questions are told apart by
        their labels and units; mechanisms may differ.  Or one contrast of each: ``[one.mean for one
        in results]``, ``one.top(2)``, ``one.contrast({…})``.  Then there is one row, and no method
        needs its label.
    same : bool
        It must be said: whether the same people were asked each time, or some of them; False if
        people were new.  Of a survey that draws its questions, the same people answer one if
        accounts keep their draw, as by `Survey.drawn`; if questions are dealt anew in each wave,
        say False, and errors about all these people are right.
    remembered : bool
        Whether they sent the same report again, as `Account.remembered` does.

    Notes
    -----
    Errors about these people (of shares) are exact, given the noise.  Those about a population, or
    about all people of whom some were drawn, are exact for new people, and of the same ones the
    largest that estimated shares allow; see `ldpnb.survey.waves`, which says by how little a mean
    over many waves may fall short.  Intervals of rows are combined, so that they hold for rare
    categories, too (as in `difference`, which says by which mechanisms); those of waves of
    contrasts with rows of several weights follow the normal law, unless they come down to one row
    or set, as in `Result.contrast`.  Of numbers, errors about these people are too wide, if
    anything, as in each result.

    About these people is about each wave's: if people are new, a change is that from one group to
    the other.

    Examples
    --------
    >>> from ldpnb import OneOf
    >>> stays = OneOf(["yes", "no"], epsilon=2.0)
    >>> rng = np.random.default_rng(0)
    >>> tallies = []
    >>> for week, yes in ((48, 1500), (49, 1400), (50, 1200)):
    ...     answers = ["yes"] * yes + ["no"] * (2000 - yes)
    ...     tallies.append(stays.tally(stays.perturb(answers, rng=rng), wave=f"W{week}"))
    >>> waves = Waves([stays.estimate(tally, people=True) for tally in tallies], same=True)
    >>> print(waves)
    category      W48      W49      W50         change        error            low           high
    yes       74.95 %  69.76 %  60.44 %  -14.51 points  1.35 points  -17.17 points  -11.85 points
    no        25.05 %  30.24 %  39.56 %   14.51 points  1.35 points   11.85 points   17.17 points
    3 waves of the same people, ε = 2 a report; change: W48 to W50
    low, high: 95 % intervals of the change, each alone, about these very people
    >>> change = waves.change("yes")
    >>> bool(change.low < -0.15 < change.high)
    True

    The mean of a scale:

    >>> mood = OneOf([1, 2, 3], epsilon=2.0)
    >>> results = []
    >>> for week, low in ((48, 900), (49, 600)):
    ...     answers = [1] * low + [2] * 500 + [3] * (1600 - low)
    ...     tally = mood.tally(mood.perturb(answers, rng=rng), wave=f"2026-W{week}")
    ...     results.append(mood.estimate(tally))
    >>> change = Waves([one.mean for one in results], same=True).change()
    >>> change.label, bool(change.low < 600 / 2100 < change.high)
    ('change of mean, 2026-W48 to 2026-W49', True)
    """

    results: Any
    same: Any = None  # bool
    remembered: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.results, Result) or not isinstance(self.results, Iterable):
            got = type(self.results).__name__
            raise ValueError(f"results must be a list of results, a wave each, got {got}")
        found = tuple(self.results)
        object.__setattr__(self, "results", found)
        if not isinstance(self.same, bool):
            cure = "True if the same people were asked each time, False if people were new"
            raise ValueError(f"same must be said, {cure}, got {shown(self.same)}")
        check_flag(self.remembered, "remembered")
        if self.remembered and not self.same:
            why = "they are those of the same people"
            raise ValueError(f"same must be True where reports are remembered: {why}")
        for one in found:
            _check_kind(one)
        if len({isinstance(one, Contrast) for one in found}) > 1:
            got = "results and contrasts: make Waves of each"
            raise ValueError(f"results must be of one kind, got {got}")
        if len(found) < 2:
            raise ValueError(f"results must be of at least two waves, got {len(found)}")
        waves = [one.tally.wave for one in self._results]
        _check_waves(waves, "results", "estimate each wave alone")
        self._check_alike()
        self._check_fresh()

    def _check_alike(self) -> None:
        """Refuse results of different questions, or that were not estimated in one way."""
        _check_one_question(self._results)
        _check_one_question(self._tables)
        if isinstance(self.results[0], Contrast):
            self._check_weights()
        first = self._tables[0]
        for one in self._tables[1:]:
            for name in ("level", "people", "together"):
                a = getattr(first, name)
                b = getattr(one, name)
                if a != b:
                    got = f"{name}={a!r} and {name}={b!r}: estimate all with one of them"
                    raise ValueError(f"results must be estimated in one way, got {got}")
        if self.same and any(_is_rating(one) and _left(one) for one in self._results):
            rule = "about these people where the same rate again"
            got = "means about a population, whose error from wave to wave is not known"
            cure = "estimate each wave alone with people=True and without of, or compare shares"
            raise ValueError(f"results must be {rule}, got {got}: {cure}")

    def _check_weights(self) -> None:
        """Refuse contrasts of different weights, or of different families of sums."""
        rule = "contrasts of one kind"
        first = self.results[0]
        for one in self.results[1:]:
            if one.family != first.family:
                got = f"some of {first.family} and of {one.family} asked for at once"
                raise ValueError(f"results must be {rule}, got {got}: ask for all alike")
            a = first.parts[0].weights
            b = one.parts[0].weights
            if first.what == "mean" and first.parts[0].result.what == "share":
                a = np.array(first.parts[0].result.values)  # numbers that stand for labels
                b = np.array(one.parts[0].result.values)
            if not np.array_equal(a, b, equal_nan=True):
                got = f"weights {shown(a.tolist())} and {shown(b.tolist())}"
                raise ValueError(f"results must be {rule}, got {got}: make Waves of each")

    def _check_fresh(self) -> None:
        """Refuse tallies that are equal in all waves.

        Chance does that in less than one of a million cases.
        """
        first, *others = (one.tally for one in self._results)
        if self.remembered or not isinstance(first.mechanism, Supporting):
            return
        for one in others:
            alike = one.mechanism == first.mechanism and one.n == first.n
            if not alike or not np.array_equal(one.counts, first.counts):
                return
        own, other = (float(chance) for chance in first.mechanism.chances)
        # of one count, at least
        variance = first.n * min(own * (1 - own), other * (1 - other))
        if variance <= 10:
            return
        chance = (2 * pi * variance) ** (-len(others) / 2)  # of its likeliest value
        if chance < BY_CHANCE:
            rule = "of reports that are drawn anew in each wave"
            got = f"the same counts in all {1 + len(others)} waves"
            cure = (
                "say remembered=True if people sent the same reports again, "
                "else count each wave's own"
            )
            raise ValueError(f"results must be {rule}, got {got}: {cure}")

    @property
    def _results(self) -> tuple[Result, ...]:
        """Results of the waves, or those that their contrasts are of."""
        found = []
        for one in self.results:
            found.append(one.parts[0].result if isinstance(one, Contrast) else one)
        return tuple(found)

    @property
    def _tables(self) -> tuple[Result, ...]:
        """Results of the waves, with one row where they are contrasts."""
        found = []
        for one in self.results:
            found.append(_one_row(one) if isinstance(one, Contrast) else one)
        return tuple(found)

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
        """Return a weighted sum over waves of one row, with its error and interval.

        A change has weights −1 and 1.

        Parameters
        ----------
        label : label of the question
            None for the only row of waves of a contrast, which the other methods take if nothing is
            said.
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
            If there is not one finite number a wave, one is of a size beyond 1e-50 to 1e50, all are
            0, or one wave whose weight is not 0 tells too little of the label.
        """
        return self._combined(
            label, weights, "weighted sum of {}" + f" over {len(self.results)} waves"
        )

    def _combined(self, label: Any, weights: Sequence[float], name: str) -> OverWaves:
        """Return a weighted sum, of this name with the row's label put in."""
        w = check_numbers(weights, "weights")
        if w.shape != (len(self.results),):
            got = f"shape {w.shape}"
            raise ValueError(f"weights must be one a wave, {len(self.results)}, got {got}")
        if not w.any():
            raise ValueError("weights must not all be 0, got that")
        for weight in w.tolist():
            check_size(weight, "weights")
        used = np.flatnonzero(w)  # a wave of weight 0 is not asked: it may not tell the row
        rows = self._rows(label, used.tolist())
        w = w[used]
        errors = w * [row.error for row in rows]
        covariances, correlations = self._going_together(w, rows)
        estimates: list[float] = []
        each: list[Ends] = []
        parts: list[Part] = []
        for weight, row in zip(w, rows, strict=True):
            part = row.parts[0]
            estimates.append(float(weight * row.estimate))
            each.append(partial(moved, row.to_add, float(weight), 0.0))
            parts.append(Part(part.result, weight * part.weights))
        first = rows[0]
        kind = self._intervals.replace(" intervals, each alone,", " interval, alone,")
        extremes = np.outer(w, (first.least, first.most))
        return OverWaves(
            name.format(first.label if label is None else label),
            sum(estimates),
            sqrt(float(errors @ errors + covariances.sum())),
            ends=partial(added, estimates, each, correlations),
            level=self._tables[0].level,
            family=self._family,
            what=first.what,
            unit=first.unit,
            said=f"{self._who}\n{kind}",
            parts=tuple(parts),
            least=float(extremes.min(1).sum()),
            most=float(extremes.max(1).sum()),
        )

    def _rows(self, label: Any, used: Sequence[int]) -> list[Contrast]:
        """Return the row of each wave that is used."""
        if isinstance(self.results[0], Contrast):
            if label not in (None, *self.labels):
                rule = f"{shown(self.labels[0])}, or left out"
                raise KeyError(f"label must be {rule}, got {shown(label)}")
            return [self.results[t] for t in used]
        if label is None:
            raise ValueError(f"label must be one of {told(self.labels)}, got none")
        rows: list[Entry] = [self.results[t][label] for t in used]
        for t, row in zip(used, rows, strict=True):
            if not (isfinite(row.estimate) and isfinite(row.error)):
                where = f"{shown(label)} in {shown(self.waves[t])}"
                raise ValueError(f"label must be one that each wave tells of, got {where}")
        return [part_of(row, "label") for row in rows]

    def change(
        self, label: Any = None, start: str | None = None, end: str | None = None
    ) -> OverWaves:
        """Return how much one row has changed.

        It is the wave `end`, the last, less the wave `start`, the first.

        Parameters
        ----------
        label : label of the question
        start, end : str, optional
            Names of two waves.
        """
        first = self._place(start, "start", 0)
        last = self._place(end, "end", len(self.results) - 1)
        if first == last:
            got = f"{shown(self.waves[first])} twice"
            raise ValueError(f"start and end must be two waves, got {got}")
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
            cure = "take another unit of time"
            raise ValueError(f"times must be {rule}, got {shown(t.tolist())}: {cure}")
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
            rule = f"one of the waves {told(self.waves)}"
            raise ValueError(f"{name} must be {rule}, got {shown(wave)}")
        return self.waves.index(wave)

    def _going_together(self, w: Floats, rows: Sequence[Contrast]) -> tuple[Floats, Floats]:
        """Return covariances of the weighted estimates of waves, 0 with itself, and correlations.

        They are the largest that there can be.  Where an error is estimated as 0, nothing is known
        of the correlation of the same people's waves.
        """
        errors = np.abs(w) * [row.error for row in rows]
        covariances = np.zeros((len(w), len(w)))
        correlations = np.eye(len(w))
        if not self.same:
            return covariances, correlations
        for s, t in combinations(range(len(w)), 2):
            together = w[s] * w[t] > 0
            both = errors[s] * errors[t]
            found = 0.0
            unknown = 0.0
            if together and self.remembered:  # noise and people: no correlation is above 1
                found = both
                unknown = 1.0
            elif _of_one(rows[s].parts[0].result) and _of_one(rows[t].parts[0].result):
                found = abs(w[s] * w[t]) * _covariance(rows[s], rows[t], together)
                unknown = 1.0
            covariances[s, t] = found
            covariances[t, s] = found
            correlation = min(found / both, 1.0) if both > 0 else unknown
            correlations[s, t] = correlation
            correlations[t, s] = correlation
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
        about = list(dict.fromkeys(one.about for one in self._results))
        if len(about) > NAMED_WAVES:
            about[NAMED_WAVES:] = [f"{len(about) - NAMED_WAVES} more"]
        kind = "all together" if self._family > 1 else "each alone"
        level = percent(self._tables[0].level)
        found = f"low, high: {level} % intervals, {kind}, about {' and '.join(about)}"
        if self.same and any(_left(one) for one in self._results):
            found += ", the widest that the same people can need"
        if any(_is_bound(one) for one in self.results):
            found = f"each wave: {AT_MOST}\n{found}"
        return found

    @property
    def said(self) -> str:
        """What the table is about: people, ε and mechanism, and the kind of the intervals."""
        table = self._intervals.replace(" intervals,", " intervals of the change,")
        return f"{self._who}; change: {self.waves[0]} to {self.waves[-1]}\n{table}"

    def __str__(self) -> str:
        return self._sheet().text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._sheet().html()

    def _sheet(self) -> Sheet:
        """Return the table that is shown, with the lines below it."""
        changes = self._changes()
        return Sheet(self._cells(changes), self._below(changes))

    def _changes(self) -> list[OverWaves | None]:
        """Return the change of each row, None where a wave does not tell it."""
        found: list[OverWaves | None] = []
        for label in self.labels:
            told_by_all = all(isfinite(one[label].estimate) for one in self._tables)
            found.append(self.change(label) if told_by_all else None)
        return found

    def _cells(self, changes: Sequence[OverWaves | None]) -> list[list[str]]:
        """Return the cells of the printed table, the head first."""
        first = self._tables[0]
        scale = 1
        unit = f" {first.unit}" if first.unit else ""
        of_change = unit
        if first.what == "share":
            scale = 100
            unit = " %"
            of_change = " points"
        if not getattr(self.results[0], "is_sum", True):
            unit = of_change
        form = first._form(scale)

        def written(number: float, of: str) -> str:
            """Return a number with its unit."""
            return f"{scale * number:{form}}{of}" if isfinite(number) else "–"

        labels = short(self.labels, range(len(self.labels)))
        cells = [[first.heading, *self.waves, "change", "error", "low", "high"]]
        for label, text, change in zip(self.labels, labels, changes, strict=True):
            row = [text]
            for one in self._tables:
                row.append(written(one[label].estimate, unit))
            changed = [nan] * 4
            if change is not None:
                # an error of 0 that too few reports tell is none
                error = nan if isnan(change.low) else change.error
                changed = [change.estimate, error, change.low, change.high]
            row += [written(number, of_change) for number in changed]
            cells.append(row)
        return cells

    def _below(self, changes: Sequence[OverWaves | None]) -> list[str]:
        """Return the lines below the printed table."""
        lines = self.said.splitlines()
        return lines + untold([change for change in changes if change is not None])

    def plot(self, ax: Any = None) -> Any:
        """Draw the estimates of each row over the waves, and return the axes.

        Intervals are those of each wave.

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
        scale = 1
        unit = first.unit
        if first.what == "share":
            scale = 100
            unit = "%" if getattr(self.results[0], "is_sum", True) else "points"
        place = np.arange(len(self.results))
        rows = len(self.labels)
        for i, label in enumerate(self.labels):
            shift = 0.08 * (i - (rows - 1) / 2) / max(1, rows - 1)
            estimate = scale * np.array([one.estimate[i] for one in tables])
            low = scale * np.array([one.low[i] for one in tables])
            high = scale * np.array([one.high[i] for one in tables])
            (line,) = ax.plot(place + shift, estimate, "o-", label=str(label))
            ax.vlines(place + shift, low, high, color=line.get_color(), linewidth=1)
        ax.set_xticks(place, self.waves)
        ax.set_ylabel(f"{first.what} ({unit})" if unit else first.what)
        if rows > 1:
            ax.legend()
        return ax


def _check_one_question(results: Sequence[Result]) -> None:
    """Refuse results that are of different questions."""
    first = results[0]
    for one in results[1:]:
        for name in ("what", "heading", "labels", "unit", "span"):
            a = getattr(first, name)
            b = getattr(one, name)
            if a != b or _types(a) != _types(b):
                got = f"{shown(a)} and {shown(b)} as {name}: make Waves of each question"
                raise ValueError(f"results must be of one question, got {got}")


def _types(value: Any) -> list[type]:
    """Return the types of the parts of a tuple, or of a value alone: 1 is not True."""
    parts = value if isinstance(value, tuple) else (value,)
    return [type(one) for one in parts]


def _plain(text: str) -> str:
    """Return a text that `str.format` leaves as it is."""
    return text.replace("{", "{{").replace("}", "}}")


# -------------------------------------------------------------------------------------- of one wave


def _check_kind(one: Any) -> None:
    """Refuse what is neither a result nor a contrast of one."""
    if isinstance(one, RatingsResult):
        got = "shares and means of ratings"
        cure = "Waves([result.shares for result in …], …), or result.means"
        raise ValueError(f"results must be of one kind, got {got}: {cure}")
    if isinstance(one, Contrasts):
        got = f"{len(one)} by name"
        cure = f"[one[{shown(next(iter(one)))}] for one in …]"
        raise ValueError(f"results must be of one contrast each, got {got}: {cure}")
    if isinstance(one, Contrast) and len(one.parts) > 1:
        got = f"{shown(one.label)} of several"
        cure = "make Waves of either, and look at both"
        raise ValueError(f"results must be contrasts of one result each, got {got}: {cure}")
    if not isinstance(one, Result | Contrast):
        rule = "those of question.estimate(tally), or contrasts of them"
        raise ValueError(f"results must be {rule}, got {shown(one)}")


def _one_row(one: Contrast) -> Result:
    """Return a contrast as a result with one row."""
    return replace(
        one.parts[0].result,
        estimate=np.array([one.estimate]),
        error=np.array([one.error]),
        low=np.array([one.low]),
        high=np.array([one.high]),
        what=one.what,
        unit=one.unit,
        heading="",
        labels=(one.label,),
        notes=(),
        level=one.level,
        together=one.family > 1,
        order=(),
        values=(),
    )


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
    """Return the part that is left of the chance of who was asked.

    It is none about these people, and all about a population.
    """
    if not result.people:
        return 1.0
    if result.of is None:
        return 0.0
    return 1 - result.tally.n / result.of


def _covariance(a: Contrast, b: Contrast, together: bool) -> float:
    """Return the largest covariance of two waves of the same people.

    If they do not go together, it is that of one and the negative of the other.
    """
    (one,) = a.parts
    (other,) = b.parts
    of_one = _of_one(one.result)
    of_other = _of_one(other.result)
    law = _scores(one)
    other_law = _scores(other)
    if law is None or other_law is None or 0 in (of_one, of_other):
        sampled = _sampled(a, of_one) * _sampled(b, of_other)
        return sqrt(sampled)
    once = one.result.rounds == other.result.rounds == 1
    if once and one.result.of == other.result.of:
        part = min(of_one, of_other)
    else:
        part = sqrt(of_one * of_other)
    laws = [law, other_law]
    if together and _near(a, b):
        laws = _in_common(laws, np.array(one.result.values))
    spread = sum(float(chance @ v**2 - (chance @ v) ** 2) for v, chance in laws)
    (x, p), (y, q) = laws
    apart = largest_apart(x, p, -y if together else y, q)
    return part * max(apart - spread, 0.0) / 2


def _sampled(one: Contrast, part: float) -> float:
    """Return the variance by who was asked, of which this part is left."""
    if not part:
        return 0.0
    return max(one.error**2 - _noise(one), 0.0)


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
    """Whether coins may be all that two waves differ by.

    Then the smaller share is too small for a covariance.
    """
    return abs(a.estimate - b.estimate) <= NEAR * sqrt(_noise(a) + _noise(b))


def _of_one(result: Result) -> float:
    """Return what the variance of one answer is multiplied by in that of the mean of all asked."""
    people = result.tally.n / result.rounds
    return _left(result) / (people - 1)


def _scores(part: Part) -> Law | None:
    """Return what a person may contribute to a row or contrast, and how many do.

    None if that is not known.  A number, or one of several rows, is one end of its range or the
    other.
    """
    used = np.flatnonzero(part.weights)
    if len(used) > 1:
        return law_of(part)
    low, high = part.result.span
    share = (float(part.result.estimate[used[0]]) - low) / (high - low)
    share = min(max(share, 0.0), 1.0)
    return part.weights[used[0]] * np.array([low, high]), np.array([1 - share, share])
