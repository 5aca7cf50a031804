"""Questions as people ask them: labels, missing answers and results around the mechanisms, and no mechanism of its own.

    an answer ──perturb──▶ report ──tally──▶ counts ──estimate──▶ table with errors and intervals
      (client, private)      (public)   (server, additive)

`OneOf` a list of categories, a ``Number`` in a range, `Ratings` of items, `Strings` that nobody can list, a
`YesNoTable` of several columns, and the `Survey` of several such questions.  Each question takes the mechanism of the
least error among those that `ldpnb.serve.choose` ranks, or the one that it is given, and hands out reports and tallies
of that mechanism: they add, are saved, loaded and collected as ever.

Answers, items and users are named by one rule, in columns of every kind: lists, arrays, and columns of pandas, Polars
and Arrow.

- A label is a string, a bool or an integer, told apart by type first: True is not 1, and "1" is neither.
- A whole float is the integer, since tables turn integers with gaps into floats; but only below 2⁵³ (float32: 2²⁴,
  float16: 2¹¹).  From there on neighbours share a float, and it is refused: read the column as Int64 or text.
- Strings are equal if their code points are.  Nothing is stripped, normalised or put into lower case.
- None, NaN, NA and NaT are missing.  An empty string, or one of blanks alone, is refused.
- Users are refused if two of them may be one person: 7 and "7", "7.0" or "7E+0", True and 1 or "true", or strings that
  differ only in blanks around them, in characters that nobody sees (control and format characters, joiners, variation
  selectors), or in their Unicode form, that of compatibility.  Else one person would send twice, with twice the ε.

`perturb` takes a whole column.  That is for simulations, and for a collector whom people trust with their answers and
who wants to keep none of them.  On a person's own device there is one answer to each question, and `Survey.answer`
pays for the reports from the person's `Account`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ldpnb.chance import Randomness, SystemRandom
from ldpnb.checks import check_positive, shown
from ldpnb.core import Reports, Tally
from ldpnb.serve._asked import Asked
from ldpnb.serve._columns import SHOWN, told
from ldpnb.serve._results import Results
from ldpnb.serve.keeping import Account, within_limit
from ldpnb.serve.one_answer import Strings
from ldpnb.serve.several_answers import Ratings, YesNoTable


@dataclass(frozen=True, eq=False)
class Survey:
    """Several questions to the same people, whose ε add up to a limit.

    Parameters
    ----------
    questions : dict of str to question
        By name, which is that of the column with the answers; a `YesNoTable` has columns of its own.
    limit : float
        What a person may reveal in all: the sum of ε must not exceed it.  Sums are exact, in fractions, and may pass
        the limit by 2⁻⁴⁰ of it, so that ten questions of ε = 0.1 fit a limit of 1.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from ldpnb import Account, Number, OneOf, SystemRandom
    >>> survey = Survey({"stays": OneOf([True, False], epsilon=1.0), "age": Number(18, 90, epsilon=0.5)}, limit=2.0)
    >>> with TemporaryDirectory() as folder:  # one person's device
    ...     account = Account(f"{folder}/account", limit=2.0)
    ...     reports = survey.answer({"stays": True, "age": 41}, account=account, rng=SystemRandom())
    ...     sorted(reports), account.left
    (['age', 'stays'], 0.5)
    """

    questions: Mapping[str, Any]
    limit: float

    def __post_init__(self) -> None:
        if not isinstance(self.questions, Mapping) or not self.questions:
            raise ValueError(f"questions must be a dict of questions by name, got {shown(self.questions)}")
        for name, one in self.questions.items():
            if not isinstance(name, str) or not isinstance(one, Asked):
                raise ValueError(
                    f"questions must be OneOf, Number, Ratings, … by name, got {shown(name)}: {shown(one)}"
                )
        limit = check_positive(self.limit, "limit")
        object.__setattr__(self, "questions", dict(self.questions))
        object.__setattr__(self, "limit", limit)
        if not within_limit(sum((Fraction(one.epsilon) for one in self.questions.values()), Fraction(0)), limit):
            parts = _few(f"{shown(name, str)} {one.epsilon!r}" for name, one in self.questions.items())
            raise ValueError(
                f"limit must be at least the sum of ε, {shown(self.epsilon)}, got {shown(limit)}: lower some of {parts}"
            )

    @property
    def epsilon(self) -> float:
        """The sum of ε."""
        return float(sum(Fraction(one.epsilon) for one in self.questions.values()))

    def perturb(self, frame: Any, *, rng: Randomness) -> dict[str, Reports]:
        """Draw the reports of many people to all questions, from a table with a column a question.

        That is for simulations, and for a collector whom people trust; on a device, see `answer`.

        Parameters
        ----------
        frame : DataFrame, Arrow table, or dict of columns
        rng : Generator or SystemRandom

        Raises
        ------
        ValueError
            If a column is missing, or a question refuses its answers, or columns differ in length.
        """
        columns: dict[str, Any] = {}
        for name, one in self.questions.items():
            with _about(name):
                columns[name] = one._column(frame, name)
        self._check_lengths(columns)
        reports: dict[str, Reports] = {}
        for name, one in self.questions.items():
            with _about(name):
                reports[name] = one.perturb(columns[name], rng=rng)
        return reports

    def _check_lengths(self, columns: Mapping[str, Any]) -> None:
        lengths: dict[str, int] = {}
        for name, column in columns.items():
            if isinstance(self.questions[name], Ratings) and not isinstance(column, list | tuple):
                continue  # a table with a row for each rating
            parts = column if isinstance(self.questions[name], YesNoTable) else {name: column}
            lengths |= {part: length for part, values in parts.items() if (length := _length(values)) is not None}
        if len({*lengths.values()}) > 1:
            first = {length: part for part, length in reversed(lengths.items())}  # a column of each length
            found = _few(f"{shown(part, str)}: {length}" for length, part in reversed(first.items()))
            raise ValueError(f"frame must have columns of one length, got {found}")

    def tally(self, reports: Mapping[str, Reports], candidates: Mapping[str, Sequence[str]] | None = None) -> Any:
        """Count the reports to each question; questions for `Strings` take their candidates by name: {name: tally}."""
        given = self._named(reports, "reports")
        named = self._named({} if candidates is None else candidates, "candidates")
        tallies: dict[str, Tally] = {}
        for name, found in given.items():
            with _about(name):
                if name in named and not isinstance(self.questions[name], Strings):
                    raise ValueError("candidates must be of questions for Strings alone: leave them out here")
                tallies[name] = self.questions[name].tally(found, *((named[name],) if name in named else ()))
        return tallies

    def _named(self, given: Any, what: str) -> Mapping[str, Any]:
        """Return what is given for some questions, by name."""
        if not isinstance(given, Mapping):
            raise ValueError(f"{what} must be a dict by the names of questions, got {shown(given)}")
        if strange := [name for name in given if name not in self.questions]:
            raise ValueError(f"{what} must be of the questions {told(self.questions)}, got {told(strange)}")
        return given

    def estimate(
        self, tallies: Mapping[str, Tally], level: float = 0.95, *, people: bool = False, together: bool = False
    ) -> Results:
        """Estimate each question that there is a tally of: {name: result}.

        See `Asked.estimate`; `together` is about the intervals of each question.
        """
        asked: Any = {"level": level, "people": people, "together": together}
        results = Results()
        for name, tally in self._named(tallies, "tallies").items():
            with _about(name):
                results[name] = self.questions[name].estimate(tally, **asked)
        return results

    def answer(self, row: Mapping[str, Any], *, account: Account, rng: Randomness | None = None) -> dict[str, Reports]:
        """Draw one person's reports, on the person's own device, and pay for them from the account: all or none.

        The name of a question is the label of its report.  Every report has fresh coins, except those of a mechanism of
        your own that keeps a state: see `Account`.

        Parameters
        ----------
        row : dict
            The person's answer to each question, by name.
        account : Account
            What the person has revealed so far, and may still reveal.
        rng : SystemRandom, the default, or Generator

        Returns
        -------
        dict of str to ndarray (1, …)
            A report a question; none where the person declines.

        Raises
        ------
        BudgetError
            If the reports cost more together than is left of the account; nothing is paid.
        ValueError
            If there is no account, or an answer is not possible; nothing is paid.
        """
        if not isinstance(account, Account):
            cure = "the person's own, e.g. Account(path, limit=2.0)"
            raise ValueError(f"account must be an Account, {cure}, got {shown(account)}")
        rng = SystemRandom() if rng is None else rng
        values: dict[str, Any] = {}
        for name, one in self.questions.items():
            with _about(name):
                values[name] = one.encoded(one._one(row, name))
        values = {name: found for name, found in values.items() if len(found)}
        asked = [(self.questions[name].mechanism, x, name) for name, x in values.items()]
        return dict(zip(values, account.reports(asked, rng=rng), strict=True))


def _length(column: Any) -> int | None:
    """Return the number of rows, or None of what has none, which the question refuses."""
    try:
        return len(column)
    except TypeError:
        return None


def _few(parts: Iterable[str]) -> str:
    """Return the first parts of a message in words."""
    found = [*parts]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(found[:SHOWN]) + more


@contextmanager
def _about(name: str) -> Iterator[None]:
    """Say of which question an error is."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"question {shown(name)}: {error}") from error
