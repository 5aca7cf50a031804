"""What all questions of a survey share: labels, missing answers, and the way to a result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, cast

import numpy as np

from ldpnb.chance import Randomness
from ldpnb.checks import (
    as_float,
    check_epsilon,
    check_flag,
    check_own_wave,
    is_number,
    shown,
)
from ldpnb.collecting._columns import ALIKE, folded, gone, is_blank, key
from ldpnb.collecting.files import digested, identity
from ldpnb.core import Floats, Mechanism, Reports, Tally, check_tally
from ldpnb.intervals import support_interval
from ldpnb.numbers.means import Range
from ldpnb.oracles.base import Supporting
from ldpnb.postprocess import normal_quantile
from ldpnb.survey._results import Result
from ldpnb.survey._rounds import (
    check_rounds,
    is_pooled,
    of_share,
    of_unit,
    repeated_end,
    repeated_error,
)
from ldpnb.survey.drawing import Supported, about_all, check_of

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # that of Python has a default from 3.13 on

    from ldpnb.choose.planning import Question
    from ldpnb.choose.ranking import Choice, Ranking

    R = TypeVar("R", default=Any)  # Result or RatingsResult
else:
    from typing import TypeVar

    R = TypeVar("R")

Labels = list[Any] | tuple[Any, ...]  # of strings, bools or integers

LEFT_OUT: Any = None  # in place of a field that is filled in
DECLINE = "decline"
CATEGORY = 'missing="no answer" makes them a category of their own, '
LEAVE = f'missing="{DECLINE}" leaves these people out'
DERIVED = (
    "a list taken from answers tells which answers exist, shifts codes from file to file, and "
    "clients do not know it; write the labels down before anybody answers"
)
CHOSEN = "_chosen"  # of a mechanism: whether a question has chosen it, and nobody has given it

# ------------------------------------------------------------------------------------------- labels


def check_labels(
    labels: Any,
    name: str,
    least: int = 1,
    *,
    any_form: bool = False,
) -> tuple[Any, ...]:
    """Return labels that were written down: a list or tuple of strings, bools or integers.

    Of two that people read alike (`folded`), one is a mistake, unless `any_form` is asked for.
    """
    if not isinstance(labels, list | tuple):
        got = type(labels).__name__
        raise ValueError(f"{name} must be a list or tuple, got {got}: {DERIVED}")
    _refuse_derived(labels, name)
    for label in labels:
        plain = type(label) in (str, bool, int)
        if not plain or (isinstance(label, str) and is_blank(label)):
            rule = "strings, not empty, bools or integers"
            raise ValueError(f"{name} must be {rule}, got {shown(label)}: write it as a string")
        key(label, name)
    if len(labels) < least:
        raise ValueError(f"{name} must hold at least {least}, got {len(labels)}")
    _refuse_alike(labels, name, any_form)
    return tuple(labels)


def _refuse_derived(labels: list[Any] | tuple[Any, ...], name: str) -> None:
    """Refuse labels of types that only a column of answers has."""
    of_numpy = [label for label in labels if isinstance(label, np.generic)]
    if of_numpy:
        rule = "Python's own strings, bools or integers"
        raise ValueError(f"{name} must be {rule}, got {shown(of_numpy[0])}: {DERIVED}")
    missing = [label for label in labels if gone(label)]
    if missing:
        rule = "strings, not empty, bools or integers"
        why = f'a missing answer is no label, missing="no answer" counts them; {DERIVED}'
        raise ValueError(f"{name} must be {rule}, got {shown(missing[0])}: {why}")


def _refuse_alike(labels: list[Any] | tuple[Any, ...], name: str, any_form: bool) -> None:
    """Refuse two labels that are printed alike, or that people read alike."""
    seen: dict[str, Any] = {}
    for label in labels:
        text = str(label) if any_form else folded(label)
        if text in seen:
            other = seen[text]
            if str(label) == str(other):
                got = f"{shown(str(label))} twice"
            else:
                got = f"{shown(other, ascii)} and {shown(label, ascii)}, which {ALIKE}"
            cure = "leave one out, or rename it"
            raise ValueError(f"{name} must be distinct in print, got {got}: {cure}")
        seen[text] = label


# ---------------------------------------------------------------------------------------- questions


class Asked(ABC, Generic[R]):
    """What all questions of a survey share: from answers to reports, from a tally to a result R."""

    epsilon: float
    missing: str | None
    mechanism: Mechanism

    # -------------------------------------------------------------------- what a subclass must give

    @abstractmethod
    def _asked(self) -> str:
        """Say what was asked."""

    @abstractmethod
    def _question(self, n: int) -> Question:
        """Return the question that `ldpnb.choose` ranks mechanisms for."""

    @abstractmethod
    def encoded(self, values: Any) -> Any:
        """Return what the mechanism's `perturb` takes, of those people who send something."""

    @abstractmethod
    def _estimate(
        self, tally: Tally, level: float, people: bool, together: bool, rounds: float
    ) -> R:
        """Return the result."""

    @abstractmethod
    def _planned(self, n: int) -> tuple[float, float]:
        """Return the variance to come of an estimate: about n people, and about a population.

        Of a share it is in parts of 1, of a mean in parts of its range, squared.
        """

    # ----------------------------------------------------------------------------- what it may give

    def _best(self, usable: list[Choice]) -> Choice:
        """Return the choice to take of those that can be used, the least error first."""
        return usable[0]

    def _supported(self, tally: Tally) -> list[Supported]:
        """Return the rows of the result, or of its shares, that reports support or do not."""
        return []

    def _candidates(self, items: Any) -> Any:
        """Return candidates as the mechanism's tally takes them; only some questions have any."""
        return items

    def _column(self, frame: Any, name: str) -> Any:
        """Return what this question asks about, from a table of all answers."""
        return column_of(frame, name)

    def _one(self, row: Any, name: str) -> Any:
        """Return the column of one person's answer."""
        return [column_of(row, name)]

    # ----------------------------------------------------------------------- how a question is made

    def _set(self, **found: Any) -> None:
        for name, value in found.items():
            object.__setattr__(self, name, value)  # the class is frozen

    def _policy(self, named: bool) -> None:
        """Refuse what is no policy for missing answers."""
        missing = self.missing
        if missing is None:
            return
        if isinstance(missing, str) and missing == DECLINE:
            return
        if named and isinstance(missing, str) and not is_blank(missing):
            return
        rule = f'None, "{DECLINE}"'
        if named:
            rule += ", or the name of a category for them"
        raise ValueError(f"missing must be {rule}, got {shown(missing)}")

    def _take(self, kinds: type[Any] | tuple[type[Any], ...], what: str) -> None:
        """Set ε and mechanism: that which is given, or the best one that can be used.

        A mechanism that another question has chosen is chosen anew if there is an ε, so that
        `dataclasses.replace`, which hands over all fields of the old question, can change any.
        """
        made = self.mechanism
        if made is None or (self.epsilon is not None and getattr(made, CHOSEN, False)):
            self._choose(kinds)
            return
        if not isinstance(made, kinds):
            raise ValueError(f"mechanism must be {what}, got {shown(made, most=200)}")
        if self.epsilon is not None:
            own = as_float(self.epsilon, "epsilon") if is_number(self.epsilon) else None
            if own != made.epsilon:
                rule = f"that of the mechanism, {made.epsilon}"
                cure = "leave it out, or give another mechanism"
                raise ValueError(f"epsilon must be {rule}, got {shown(self.epsilon)}: {cure}")
        self._set(epsilon=made.epsilon)

    def _choose(self, kinds: type[Any] | tuple[type[Any], ...]) -> None:
        """Set the best mechanism that can be used at the ε that is given."""
        if self.epsilon is None:
            raise ValueError("epsilon must be given, e.g. epsilon=1.0")
        self._set(epsilon=check_epsilon(self.epsilon))
        usable = []
        for choice in self.rank():
            if not choice.excluded and isinstance(choice.mechanism, kinds):
                usable.append(choice)
        chosen = self._best(usable).mechanism
        object.__setattr__(chosen, CHOSEN, True)
        self._set(mechanism=chosen)

    # ------------------------------------------------------------------------------- what was asked

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Asked):
            return NotImplemented
        return self._said == other._said

    def __hash__(self) -> int:
        return hash(self._said)

    @property
    def _said(self) -> tuple[Any, ...]:
        """All that makes this question; written out, since True is another label than 1."""
        question: Any = self  # a dataclass
        names = [field.name for field in fields(question) if field.name != "mechanism"]
        written = [repr(getattr(self, name)) for name in names]
        return (type(self).__name__, *written, self.mechanism)

    @cached_property
    def identity(self) -> str:
        """What was asked, labels included, and the mechanism: a label for `save_tally` and `save`.

        With this label, files of another list, or of another order of the same list, are refused.
        A tally has it as its `question`.  Of more than 200 characters, it ends in a digest of all
        of them.
        """
        asked = f"{type(self).__name__}({self._asked()})"
        return digested(f"{asked}; {identity(self.mechanism)}")

    def question(self, n: int = 10_000) -> Question:
        """Return the question to `ldpnb.choose`, for n people: which ε, how many people.

        It answers for the mechanism that is best for what is asked, its `best_for`, which need not
        be this question's own: ``mechanism=`` takes it.  `plan` is about this question's own.

        Examples
        --------
        >>> from ldpnb import OneOf
        >>> planned = OneOf(["pay", "boss", "hours"], epsilon=1.0).question(20_000)
        >>> planned.people_for(0.01), round(planned.epsilon_for(0.02), 2)  # ±1 point, ±2 points
        (64367, 0.9)
        """
        return self._question(n)

    def rank(self, n: int = 10_000) -> Ranking:
        """Rank all mechanisms that could be used for n people, by `ldpnb.choose`."""
        return self._question(n).rank()

    # ----------------------------------------------------------------------- the client, the server

    def perturb(self, values: Any, *, rng: Randomness) -> Reports:
        """Draw a report of each person: the clients, and the only step that sees answers.

        A whole column is for simulations, and for a collector whom people trust; see
        `Survey.answer` for a device.

        Parameters
        ----------
        values : list, ndarray, pandas Series or Arrow column (n,)
            An answer a person.  Of a `YesNoTable`, a table with its columns, a list of dicts, or
            bools (n, d).
        rng : Generator or SystemRandom

        Returns
        -------
        ndarray (n, …)
            Fewer than n reports where people decline.

        Raises
        ------
        ValueError
            If an answer is not possible, or is missing and nothing was said about that.
        """
        return self._reported(self.encoded(values), rng)

    def _reported(self, encoded: Any, rng: Randomness) -> Reports:
        """Return the reports of answers that were encoded."""
        return self.mechanism.perturb(encoded, rng=rng)

    def tally(self, reports: Reports, *, wave: str | None = None) -> Tally:
        """Count reports.  Tallies of one question and wave add.

        Parameters
        ----------
        reports : ndarray (n, …)
            As `perturb` returns them.
        wave : str, optional
            When the question was asked, as "2026-W48", where it is asked again: see
            `ldpnb.survey.waves`.  It must not begin with "waves ", as the name of several waves
            does.
        """
        return self._tallied(self.mechanism.tally(reports), wave)

    def _tallied(self, counted: Tally, wave: str | None) -> Tally:
        """Return what the mechanism counted as a tally of this question, in this wave."""
        return replace(counted, wave=check_own_wave(wave), question=self.identity)

    # ----------------------------------------------------------------------------------- the result

    def estimate(
        self,
        tally: Tally,
        level: float = 0.95,
        *,
        people: bool = False,
        together: bool = False,
        of: int | None = None,
        rounds: float | None = None,
    ) -> R:
        """Estimate, with standard errors and confidence intervals.

        Parameters
        ----------
        tally : Tally
            Of at least two reports to this question.  One that the mechanism itself has counted, or
            ldpnb 1.0.0, does not say what was asked, and is taken for one of this question.
        level : float in (0, 1)
            Probability of an interval to cover, or of all to cover at once, if `together`.
        people : bool
            Whether errors and intervals are about these people, and not about a population that
            they are a random sample of.  The server cannot tell how far numbers and ratings
            scatter; those of means are then too wide, if anything.
        together : bool
            Whether the level is that of all intervals of the result at once (Bonferroni).
        of : int, optional
            With `people`: how many people errors and intervals are about, where those in the tally
            were drawn from them in public, whatever their answers.  By default, all of these people
            are in the tally.
        rounds : int or float, at least 1, optional
            1 by default; it must be said about waves that were added (`pool_waves`).  How many
            reports in the tally are of the same person, with fresh coins each: T if everybody sent
            T, and ΣT²/ΣT if numbers differ and do not depend on the answers.  Estimates are means
            over reports, and do not change; nor do errors about these people.  Errors about a
            population grow: T reports of one person say less of it than T people do.  They are
            right if nobody's answer changes, and too large otherwise (of numbers and ratings, also
            where these are not at the ends of the range).

        Returns
        -------
        Result, or RatingsResult of `Ratings`

        Raises
        ------
        ValueError
            If the tally is of another question, or not of this question's mechanism, the level is
            not in (0, 1), rounds are below 1 or those of fewer than two people, or `of` is less
            than the number of reports, or is given without `people` or with `rounds`.

        Examples
        --------
        >>> from ldpnb import OneOf
        >>> stays, rng = OneOf(["yes", "no"], epsilon=4.0), np.random.default_rng(0)
        >>> answers = ["yes"] * 150 + ["no"] * 350  # four times
        >>> tally = sum(stays.tally(stays.perturb(answers, rng=rng)) for _ in range(4))
        >>> result = stays.estimate(tally, rounds=4)
        >>> print(result.said.partition(" (")[0])
        2,000 reports of 500 people, 4 each, ε = 4 a report
        >>> round(result["yes"].error, 3)
        0.021
        >>> round(stays.estimate(tally)["yes"].error, 3)  # as if 2,000 people had answered
        0.011
        """
        normal_quantile(level)  # checks it
        check_tally(tally, type(self.mechanism), "this question's mechanism", alone=True)
        self._check_question(tally)
        check_flag(people, "people")
        check_flag(together, "together")
        sent = _rounds_of(tally, people, of, rounds)
        if of is None:
            return self._knowing(self._estimate(tally, level, people, together, sent), tally)
        return self._about_all(tally, level, people, together, of)

    def _knowing(self, result: R, tally: Tally) -> R:
        """Return a result that knows which of its shares reports support or do not."""
        found: Any = result
        supported = partial(self._supported, tally)
        if isinstance(found, Result):
            known: Any = replace(found, supported=supported)
        else:
            known = replace(found, shares=replace(found.shares, supported=supported))
        return cast(R, known)

    def _check_question(self, tally: Tally) -> None:
        """Refuse a tally that is known to be of another question; one of a mechanism is of any."""
        if tally.question not in (None, self.identity):
            rule = f"of this question, {self.identity}"
            cure = "estimate it with that question, or count its reports with this one"
            raise ValueError(f"tally must be {rule}, got one of {tally.question}: {cure}")

    def _about_all(self, tally: Tally, level: float, people: bool, together: bool, of: int) -> R:
        """Return the result about so many people, of whom those in the tally were drawn."""
        if not people:
            rule = "of must be left out where people=False"
            raise ValueError(f"{rule}, got {shown(of)}: a population has no number")
        everybody = check_of(of, tally.n)
        if everybody == tally.n:
            return self._knowing(self._estimate(tally, level, True, together, 1), tally)
        found: Any = self._estimate(tally, level, False, together, 1)
        z = quantile(level, found.intervals if together else 1)
        result: R = about_all(found, self._supported(tally), everybody, z)
        return result

    def _result(
        self,
        what: str,
        heading: str,
        labels: tuple[Any, ...],
        tally: Tally,
        level: float,
        people: bool,
        together: bool,
        rounds: float,
    ) -> Result:
        """Make a result of the mechanism's own estimate, error and interval.

        Means are those of numbers in [−1, 1].
        """
        z = quantile(level, len(labels) if together else 1)
        estimate = self.mechanism.estimate(tally)
        error = self.mechanism.standard_error(tally, people=people)
        if rounds > 1 and not people:
            spread = of_unit(estimate) if what == "mean" else of_share(estimate)
            error = repeated_error(error, spread, tally, rounds)
        low, high = self._ends_of(tally, z, people, rounds, what)
        return Result(
            what,
            heading,
            labels,
            estimate,
            error,
            low,
            high,
            tally,
            level,
            people,
            together,
            rounds=rounds,
            ends_at=partial(self._ends_at, tally, people, rounds, what),
        )

    def _ends_at(
        self, tally: Tally, people: bool, rounds: float, what: str, z: float, place: int
    ) -> tuple[float, float]:
        """Return the ends of the interval of one row."""
        row = slice(place, place + 1)
        low, high = self._ends_of(tally, z, people, rounds, what, row)
        return float(low[0]), float(high[0])

    def _ends_of(
        self,
        tally: Tally,
        z: float,
        people: bool,
        rounds: float,
        what: str,
        rows: slice = slice(None),
    ) -> tuple[Floats, Floats]:
        """Return the ends of the intervals of some rows, by the mechanism."""
        m = self.mechanism
        if isinstance(m, Supporting):
            sampled = 0 if people else rounds
            supporters = m.supporters(tally)[rows]
            return support_interval(supporters, tally.n, *m.chances, z, sampled=sampled)
        low, high = m.interval(tally, z, people=people)
        if rounds > 1 and not people:
            repeated = repeated_end if what == "mean" else _repeated_share_end
            estimate = m.estimate(tally)
            low = repeated(estimate, low, z, tally, rounds)
            high = repeated(estimate, high, z, tally, rounds)
        return low[rows], high[rows]


def _rounds_of(tally: Tally, people: bool, of: int | None, rounds: float | None) -> float:
    """Return how many reports each person sent, as it was said; 1 if nothing was."""
    pooled = is_pooled(tally)
    if rounds is None and pooled and not people:
        cure = "the number of waves if the same people answered each, 1 if they were new each time"
        raise ValueError(f"rounds must be said for {tally.wave}, got nothing: {cure}")
    repeated = pooled if rounds is None else rounds != 1
    if of is not None and repeated:
        what = "about all people, of whom some were drawn (people=True)"
        cure = "people=False for a population, "
        cure += "or Waves([a result for each wave], same=…).mean(label)"
        got = shown(rounds)
        if pooled:
            got += f" for {tally.wave}"
        raise ValueError(f"rounds must be 1 in an estimate {what}, got {got}: {cure}")
    return check_rounds(1 if rounds is None else rounds, tally.n)


def _repeated_share_end(
    estimate: Floats, end: Floats, z: float, tally: Tally, rounds: float
) -> Floats:
    """Return `repeated_end` of shares, which are mapped from [0, 1] to [−1, 1] and back."""
    found = repeated_end(2 * estimate - 1, 2 * end - 1, z, tally, rounds)
    return np.asarray((1 + found) / 2)


def quantile(level: float, entries: int) -> float:
    """Return how many standard errors to both sides cover all of so many entries (Bonferroni)."""
    return normal_quantile(level, entries)


def column_of(frame: Any, name: str) -> Any:
    """Return a column of a table, or an answer of a person's row."""
    try:
        return frame[name]
    except Exception:  # each library has an error of its own
        cure = ""
        if hasattr(frame, "rename") and name in map(str, getattr(frame, "columns", ())):
            cure = ": its names are no texts, values.rename(columns=str)"
        got = f"{type(frame).__name__} without it{cure}"
        raise ValueError(f"values must have {shown(name)}, got {got}") from None


def one_range(low: Any, high: Any) -> Range:
    """Return a range of one number."""
    for name, value in (("low", low), ("high", high)):
        if not is_number(value):
            rule = "a number, Python's int or float or numpy's"
            raise ValueError(f"{name} must be {rule}, got {shown(value)}")
    return Range(low=low, high=high)


def in_unit(found: Result, scale: Range, people: bool, unit: str) -> Result:
    """Return a result about [−1, 1] in a unit of its own."""
    half = float(scale.half)
    return replace(
        found,
        estimate=scale.from_unit(found.estimate),
        error=found.error * half,
        low=scale.from_unit(found.low),
        high=scale.from_unit(found.high),
        scale=half,
        people=people,
        unit=unit,
        span=(scale.low, scale.high),
        ends_at=partial(_from_unit, scale, found.ends_at),
    )


def _from_unit(scale: Range, ends_at: Any, z: float, place: int) -> tuple[float, float]:
    """Return the ends of a row in the unit of a range."""
    low, high = scale.from_unit(np.array(ends_at(z, place)))
    return float(low), float(high)
