"""What all questions of a survey share: labels, policies for missing answers, and the way to a result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpnb.chance import Randomness
from ldpnb.checks import as_float, check_epsilon, check_flag, check_text, is_number, shown
from ldpnb.core import Mechanism, Reports, Tally, check_tally
from ldpnb.numbers.means import Range
from ldpnb.postprocess import normal_quantile
from ldpnb.serve._columns import ALIKE, folded, gone, is_blank, key
from ldpnb.serve._results import Result
from ldpnb.serve.keeping import digested, identity

if TYPE_CHECKING:
    from ldpnb.serve.choose import Question
    from ldpnb.serve.ranking import Choice, Ranking


DECLINE = "decline"
CATEGORY = 'missing="no answer" makes them a category of their own, '
LEAVE = f'missing="{DECLINE}" leaves these people out'
DERIVED = (
    "a list taken from answers tells which answers exist, shifts codes from file to file, and clients do not know it; "
    "write the labels down before anybody answers"
)


def check_labels(labels: Any, name: str, least: int = 1, *, any_form: bool = False) -> tuple[Any, ...]:
    """Return labels that were written down: a list or tuple of strings, bools or integers.

    Of two that people read alike (`folded`), one is a mistake, unless `any_form` is asked for.
    """
    if not isinstance(labels, list | tuple):
        raise ValueError(f"{name} must be a list or tuple, got {type(labels).__name__}: {DERIVED}")
    if derived := [x for x in labels if isinstance(x, np.generic)]:
        raise ValueError(f"{name} must be Python's own strings, bools or integers, got {shown(derived[0])}: {DERIVED}")
    if lost := [x for x in labels if gone(x)]:
        rule = f'a missing answer is no label, missing="no answer" counts them; {DERIVED}'
        raise ValueError(f"{name} must be strings, not empty, bools or integers, got {shown(lost[0])}: {rule}")
    for x in labels:
        if type(x) not in (str, bool, int) or (isinstance(x, str) and is_blank(x)):
            raise ValueError(
                f"{name} must be strings, not empty, bools or integers, got {shown(x)}: write it as a string"
            )
        key(x, name)
    if len(labels) < least:
        raise ValueError(f"{name} must hold at least {least}, got {len(labels)}")
    seen: dict[str, Any] = {}
    for x in labels:
        text = str(x) if any_form else folded(x)
        if text in seen:
            both = f"{shown(seen[text], ascii)} and {shown(x, ascii)}, which {ALIKE}"
            got = f"{shown(str(x))} twice" if str(x) == str(seen[text]) else both
            raise ValueError(f"{name} must be distinct in print, got {got}: leave one out, or rename it")
        seen[text] = x
    return tuple(labels)


class Asked(ABC):
    """What all questions of a survey share: how answers become values of the mechanism, and estimates a result."""

    epsilon: Any  # float
    missing: Any  # str or None
    mechanism: Any

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _take(self, kinds: type[Any] | tuple[type[Any], ...], what: str) -> None:
        """Set ε and mechanism: that which is given, or the best one that can be used."""
        made = self.mechanism
        if made is None:
            if self.epsilon is None:
                raise ValueError("epsilon must be given, e.g. epsilon=1.0")
            self._set(epsilon=check_epsilon(self.epsilon))
            usable = [choice for choice in self.rank() if not choice.excluded and isinstance(choice.mechanism, kinds)]
            self._set(mechanism=self._best(usable).mechanism)
            return
        if not isinstance(made, kinds):
            raise ValueError(f"mechanism must be {what}, got {shown(made, most=200)}")
        own = as_float(self.epsilon, "epsilon") if is_number(self.epsilon) else None
        if self.epsilon is not None and own != made.epsilon:
            raise ValueError(
                f"epsilon must be that of the mechanism, {made.epsilon}, got {shown(self.epsilon)}: leave it out"
            )
        self._set(epsilon=made.epsilon)

    def _best(self, usable: list[Choice]) -> Choice:
        """Return the choice to take of those that can be used, the least error first."""
        return usable[0]

    def _policy(self, named: bool) -> None:
        """Refuse what is no policy for missing answers."""
        rule = f'None, "{DECLINE}"' + (", or the name of a category for them" if named else "")
        name = self.missing if isinstance(self.missing, str) else ""
        if self.missing is not None and name != DECLINE and not (named and not is_blank(name)):
            raise ValueError(f"missing must be {rule}, got {shown(self.missing)}")

    @property
    def identity(self) -> str:
        """What was asked, labels included, and the mechanism: a good label for `save_tally` and `save`.

        A tally does not know its categories.  With this label, files of another list, or of another order of the same
        list, are refused.  Of more than 200 characters, it ends in a digest of all of them.
        """
        return digested(f"{type(self).__name__}({self._asked()}); {identity(self.mechanism)}")

    @abstractmethod
    def _asked(self) -> str:
        """Say what was asked."""

    @abstractmethod
    def _question(self, n: int) -> Question:
        """Return the question that `ldpnb.serve.choose` ranks mechanisms for."""

    @abstractmethod
    def encoded(self, values: Any) -> Any:
        """Return what the mechanism's `perturb` takes, of those people who send something."""

    @abstractmethod
    def _estimate(self, tally: Tally, level: float, people: bool, together: bool) -> Any:
        """Return the result."""

    def estimate(self, tally: Tally, level: float = 0.95, *, people: bool = False, together: bool = False) -> Any:
        """Estimate, with standard errors and confidence intervals.

        Parameters
        ----------
        tally : Tally
            Of at least two reports to this question.
        level : float in (0, 1)
            Probability of an interval to cover, or of all to cover at once, if `together`.
        people : bool
            Whether errors and intervals are about these people, and not about a population that they are a random
            sample of.  The server cannot tell how far numbers and ratings scatter; those of means are then too wide,
            if anything.
        together : bool
            Whether the level is that of all intervals of the result at once (Bonferroni).

        Returns
        -------
        Result, or RatingsResult of `Ratings`

        Raises
        ------
        ValueError
            If the tally is not of this question's mechanism, or the level is not in (0, 1).
        """
        normal_quantile(level)  # checks it
        check_tally(tally, type(self.mechanism), "this question's mechanism", alone=True)
        return self._estimate(tally, level, check_flag(people, "people"), check_flag(together, "together"))

    def perturb(self, values: Any, *, rng: Randomness) -> Reports:
        """Draw a report of each person: the clients, and the only step that sees answers.

        A whole column is for simulations, and for a collector whom people trust; see `Survey.answer` for a device.

        Parameters
        ----------
        values : list, ndarray, pandas Series or Arrow column (n,)
            An answer a person.  Of a `YesNoTable`, a table with its columns, a list of dicts, or bools (n, d).
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
        return self.mechanism.perturb(self.encoded(values), rng=rng)  # type: ignore[no-any-return]

    def tally(self, reports: Reports) -> Tally:
        """Count reports.  Tallies add."""
        return self.mechanism.tally(reports)  # type: ignore[no-any-return]

    def _candidates(self, items: Any) -> Any:
        """Return the candidates of a tally as the mechanism takes them; only some questions have any."""
        return items

    def question(self, n: int = 10_000) -> Question:
        """Return the question to `ldpnb.serve.choose` for so many people: which ε, or how many people, it takes.

        It answers for the mechanism that is best for what is asked, its `best_for`, which need not be this question's
        own: ``mechanism=`` takes it.  `plan` is about this question's own.

        Examples
        --------
        >>> from ldpnb import OneOf
        >>> planned = OneOf(["pay", "boss", "hours"], epsilon=1.0).question(20_000)
        >>> planned.people_for(0.01), round(planned.epsilon_for(0.02), 2)  # ±1 point, ±2 points
        (64367, 0.9)
        """
        return self._question(n)

    def rank(self, n: int = 10_000) -> Ranking:
        """Rank all mechanisms that could be used, by `ldpnb.serve.choose`, for so many people."""
        return self._question(n).rank()

    def _column(self, frame: Any, name: str) -> Any:
        """Return what this question asks about, from a table of all answers."""
        return column_of(frame, name)

    def _one(self, row: Any, name: str) -> Any:
        """Return the column of one person's answer."""
        return [column_of(row, name)]

    def _result(self, tally: Tally, level: float, people: bool, together: bool, what: str, *names: Any) -> Result:
        """Make a result of the mechanism's own estimate, error and interval; names are heading and labels."""
        m, (heading, labels) = self.mechanism, names
        low, high = m.interval(tally, quantile(level, len(labels) if together else 1), people=people)
        found = m.estimate(tally), m.standard_error(tally, people=people), low, high
        return Result(what, heading, tuple(labels), *found, tally, level, people, together)


def mechanism_of(given: Any, label: str) -> tuple[Mechanism, str]:
    """Return a mechanism and a label for its reports: of a question its own, if nothing is said."""
    label = check_text(label, "label")
    if isinstance(given, Asked):
        return given.mechanism, given.identity if label == "" else label
    if not isinstance(given, Mechanism):
        raise ValueError(f"mechanism must be a Mechanism, or a question of a survey, got {shown(given)}")
    return given, label


def quantile(level: float, entries: int) -> float:
    """Return how many standard errors to both sides cover so many entries with this probability (Bonferroni)."""
    return normal_quantile(level, entries)


def column_of(frame: Any, name: str) -> Any:
    """Return a column of a table, or an answer of a person's row."""
    try:
        return frame[name]
    except Exception:  # each library has an error of its own
        raise ValueError(f"values must have {shown(name)}, got {type(frame).__name__} without it") from None


def one_range(low: Any, high: Any) -> Range:
    """Return a range of one number."""
    for name, value in (("low", low), ("high", high)):
        if not is_number(value):
            raise ValueError(f"{name} must be a number, Python's int or float or numpy's, got {shown(value)}")
    return Range(low=low, high=high)


def in_unit(found: Result, scale: Range, people: bool, unit: str) -> Result:
    """Return a result about [−1, 1] in a unit of its own."""
    mean, low, high = (scale.from_unit(x) for x in (found.estimate, found.low, found.high))
    fields = {"estimate": mean, "error": found.error * scale.half, "low": low, "high": high}
    return Result(**{**vars(found), **fields, "people": people, "unit": unit})
