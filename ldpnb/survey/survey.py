"""Questions as people ask them: labels, missing answers and results around the mechanisms.

    an answer ──perturb──▶ report ──tally──▶ counts ──estimate──▶ table with errors and intervals
      (client, private)      (public)   (server, additive)

`OneOf` a list of categories, a ``Number`` in a range, `Ratings` of items, `Strings` that nobody can
list, a `YesNoTable` of several columns, and the `Survey` of several such questions.  Each question
takes the mechanism of the least error among those that `ldpnb.choose` ranks, or the one that
it is given, and hands out reports and tallies of that mechanism: they add, are saved, loaded and
collected as ever.

Answers, items and users are named by one rule, in columns of every kind: lists, arrays, and columns
of pandas, Polars and Arrow.

- A label is a string, a bool or an integer, told apart by type first: True is not 1, and "1" is
  neither.
- A whole float is the integer, since tables turn integers with gaps into floats; but only below 2⁵³
  (float32: 2²⁴, float16: 2¹¹).  From there on neighbours share a float, and it is refused: read the
  column as Int64 or text.
- Strings are equal if their code points are.  Nothing is stripped, normalised or put into lower
  case.
- None, NaN, NA and NaT are missing.  An empty string, or one of blanks alone, is refused.
- Users are refused if two of them may be one person: 7 and "7", "7.0" or "7E+0", True and 1 or
  "true", or strings that differ only in blanks around them, in characters that nobody sees (control
  and format characters, joiners, variation selectors), or in their Unicode form, that of
  compatibility.  Else one person would send twice, with twice the ε.

`perturb` takes a whole column.  That is for simulations, and for a collector whom people trust with
their answers and who wants to keep none of them.  On a person's own device there is one answer to
each question, and `Survey.answer` pays for the reports from the person's `Account`.

With ``Survey(…, draw=m)``, each person answers m of the questions, drawn in public before any
answer is looked at; see `ldpnb.survey.drawing`.  Each then gets a larger part of the limit, and
`Survey.plan` says which m has the least error.

A question that is asked again and again has waves, and its people are not new each time: see
`ldpnb.survey.waves`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ldpnb.chance import Randomness, SystemRandom
from ldpnb.checks import check_flag, check_positive, shown
from ldpnb.choose.ways import Ways, said, ways
from ldpnb.collecting._columns import SHOWN, told
from ldpnb.collecting.files import digested
from ldpnb.collecting.wire import Text, from_wire, sections, to_wire
from ldpnb.core import Reports, Tally
from ldpnb.survey._asked import DECLINE, Asked
from ldpnb.survey._results import Results
from ldpnb.survey.accounts import Account, within_limit
from ldpnb.survey.drawing import check_draw, deal, people_at_least, people_in, some_of
from ldpnb.survey.one_answer import Strings
from ldpnb.survey.several_answers import Ratings, YesNoTable


@dataclass(frozen=True, eq=False)
class Survey:
    """Several questions to the same people: to each person all of them, or some that are drawn.

    Parameters
    ----------
    questions : dict of str to question
        By name, which is that of the column with the answers; a `YesNoTable` has columns of its
        own.
    limit : float
        What a person may reveal in all: the sum of ε must not exceed it, that of the largest ones
        if questions are drawn.  Sums are exact, in fractions, and may pass the limit by 2⁻⁴⁰ of it,
        so that ten questions of ε = 0.1 fit a limit of 1.
    draw : int, optional
        How many of the questions each person answers, drawn in public before any answer is looked
        at; all by default.  With a small limit, 1 is the best choice: see `plan`.
    label : str
        Name under which an account keeps what was drawn for its owner.  A survey with other
        questions needs another.

    Notes
    -----
    Where questions are drawn, each person sends as many reports, of questions that do not depend on
    the answers, so that neither number nor names tell anything.  Only with ``missing="decline"`` a
    person may send fewer, as ever.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from ldpnb import Account, Number, OneOf, SystemRandom
    >>> stays = OneOf([True, False], epsilon=1.0)
    >>> age = Number(18, 90, epsilon=0.5)
    >>> survey = Survey({"stays": stays, "age": age}, limit=2.0)
    >>> with TemporaryDirectory() as folder:  # one person's device
    ...     account = Account(f"{folder}/account", limit=2.0)
    ...     row = {"stays": True, "age": 41}
    ...     reports = survey.answer(row, account=account, rng=SystemRandom())
    ...     sorted(reports), account.left
    (['age', 'stays'], 0.5)

    Twelve questions and a limit of 1: each person answers one of them, with all of ε.

    >>> names = [f"q{i}" for i in range(12)]
    >>> question = OneOf(["yes", "no"], epsilon=1.0)
    >>> twelve = Survey(dict.fromkeys(names, question), limit=1.0, draw=1)
    >>> answers = dict.fromkeys(names, ["yes"] * 2000 + ["no"] * 1000)
    >>> tallies = twelve.tally(twelve.perturb(answers, rng=np.random.default_rng(0)))
    >>> tallies["q0"].n
    250
    >>> print(twelve.estimate(tallies, people=True)["q0"])
    category   share  error     low    high
    yes       62.1 %  6.8 %  48.8 %  75.1 %
    no        37.9 %  6.8 %  24.9 %  51.2 %
    250 reports, one a person, ε = 1 (k-RR); error: standard error
    low, high: 95 % intervals, each alone, about all 3,000 people, of whom these were drawn
    """

    questions: Mapping[str, Any]
    limit: float
    draw: Any = None  # int or None
    label: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.questions, Mapping) or not self.questions:
            rule = "questions must be a dict of questions by name"
            raise ValueError(f"{rule}, got {shown(self.questions)}")
        for name, one in self.questions.items():
            if not isinstance(name, str) or not isinstance(one, Asked):
                rule = "questions must be OneOf, Number, Ratings, … by name"
                raise ValueError(f"{rule}, got {shown(name)}: {shown(one)}")
        limit = check_positive(self.limit, "limit")
        object.__setattr__(self, "questions", dict(self.questions))  # the class is frozen
        object.__setattr__(self, "limit", limit)
        if self.draw is not None:
            object.__setattr__(self, "draw", check_draw(self.draw, len(self.questions)))
        if not isinstance(self.label, str):
            cure = "as in label='spring 2027'"
            raise ValueError(f"label must be a text, got {shown(self.label)}: {cure}")
        if not within_limit(self._cost, limit):
            self._refuse_cost()

    def _refuse_cost(self) -> None:
        """Say that ε do not fit the limit, and what would."""
        if self.draw is None:
            what = "the sum of ε"
            fewer = "draw which questions a person answers"
        else:
            what = f"the sum of the {self.draw} largest ε, for draw={self.draw}"
            fewer = "draw fewer questions"
        each = [f"{shown(name, str)} {one.epsilon!r}" for name, one in self.questions.items()]
        cure = f"lower some of {_few(each)}"
        if len(self.questions) > 1:
            cure += f", or {fewer}"
            try:
                cure += f". {said(self.questions, self.limit)}"
            except ValueError:  # a question cannot be asked at so small a part of ε
                pass
        rule = f"limit must be at least {what}, {shown(self.epsilon)}"
        raise ValueError(f"{rule}, got {shown(self.limit)}: {cure}")

    @property
    def epsilon(self) -> float:
        """Most that a person reveals: the sum of ε, of the largest ones if questions are drawn."""
        return float(self._cost)

    @property
    def _cost(self) -> Fraction:
        """`epsilon`, exactly."""
        each = sorted(Fraction(one.epsilon) for one in self.questions.values())
        if self.draw is not None:
            each = each[-self.draw :]
        return sum(each, Fraction(0))

    def plan(self, n: int, *, people: bool = False) -> Ways:
        """Compare three ways to ask n people: a part of ε each, a draw, or one question alone.

        Each way uses all of the limit.  ε keep their proportions, and each question takes the
        mechanism that is best at its ε, so that the errors are those of a survey with ``draw=`` and
        ε as the table has them.

        Parameters
        ----------
        n : int
            At least as many people as questions.
        people : bool
            Whether errors are about these people, not about a population that they are a random
            sample of.

        Returns
        -------
        Ways
            Standard errors in points, the root mean square over all questions: hundredths of 1 for
            shares, those of 1/k in `OneOf`, and of the range for means.

        Raises
        ------
        ValueError
            If n is smaller.

        Examples
        --------
        >>> from ldpnb import OneOf
        >>> six = {f"q{i}": OneOf(["yes", "no"], epsilon=2.0) for i in range(6)}
        >>> print(Survey(six, limit=2.0, draw=1).plan(1000))
        1,000 people, limit = 2: standard errors to come, about a population
        way                         ε each  people each  error, points
        all 6, ε split               0.333        1,000            9.6
        5 of 6, drawn (draw=5)         0.4          833            8.8
        4 of 6, drawn (draw=4)         0.5          666            7.9
        3 of 6, drawn (draw=3)       0.667          500            7.0
        2 of 6, drawn (draw=2)           1          333            5.9
        1 of 6, drawn (draw=1)           2          166            5.1
        one question, and no other       2        1,000            2.1
        best: draw=1, where each person answers 1 of 6 questions
        """
        return ways(self.questions, self.limit, n, people)

    # ----------------------------------------------------------------------- reports of many people

    def perturb(self, frame: Any, *, rng: Randomness) -> dict[str, Reports]:
        """Draw the reports of many people, from a table with a column a question.

        That is for simulations, and for a collector whom people trust; on a device, see `answer`.

        With `draw`, questions are dealt first, in equal numbers (`ldpnb.survey.drawing.deal`).
        What a person is not asked is not looked at, and may be missing.

        Parameters
        ----------
        frame : DataFrame, Arrow table, or dict of columns
        rng : Generator or SystemRandom

        Raises
        ------
        ValueError
            If a column is missing, or a question refuses its answers, or columns differ in length;
            with `draw`, if there are too few people for all questions, or ratings are a long table.
        """
        columns: dict[str, Any] = {}
        for name, one in self.questions.items():
            with _about(name):
                columns[name] = one._column(frame, name)
        lengths = self._check_lengths(columns)
        if self.draw is not None:
            columns = self._dealt(columns, lengths, rng)
        reports: dict[str, Reports] = {}
        for name, one in self.questions.items():
            with _about(name):
                reports[name] = one.perturb(columns[name], rng=rng)
        return reports

    def _dealt(
        self, columns: Mapping[str, Any], lengths: Mapping[str, int], rng: Randomness
    ) -> dict[str, Any]:
        """Deal the questions, and return of each column the rows of those who are asked."""
        for name, one in self.questions.items():
            column = columns[name]
            if isinstance(one, Ratings) and not isinstance(column, list | tuple):
                rule = "a dict {item: rating} for each person where questions are drawn"
                got = type(column).__name__
                why = "rows of a long table do not say who else was asked"
                what = f"question {shown(name)}: values must be {rule}"
                raise ValueError(f"{what}, got {got}: {why}")
        n = next(iter(lengths.values()), 0)
        if n * self.draw < len(self.questions):
            least = -(-len(self.questions) // self.draw)
            rule = f"frame must have at least {least} people, so that each question is asked"
            raise ValueError(f"{rule}, got {n}")
        asked = deal(n, len(self.questions), self.draw, rng)
        found = {}
        for i, name in enumerate(self.questions):
            found[name] = some_of(columns[name], np.flatnonzero(asked[:, i]))
        return found

    def _check_lengths(self, columns: Mapping[str, Any]) -> dict[str, int]:
        """Return the number of rows of each column, if they have as many."""
        lengths: dict[str, int] = {}
        for name, column in columns.items():
            if isinstance(self.questions[name], Ratings) and not isinstance(column, list | tuple):
                continue  # a table with a row for each rating
            parts = column if isinstance(self.questions[name], YesNoTable) else {name: column}
            for part, values in parts.items():
                length = _length(values)
                if length is not None:
                    lengths[part] = length
        first: dict[int, str] = {}  # the first column of each length
        for part, length in reversed(lengths.items()):
            first[length] = part
        if len(first) > 1:
            each = [f"{shown(part, str)}: {length}" for length, part in reversed(first.items())]
            found = _few(each)
            raise ValueError(f"frame must have columns of one length, got {found}")
        return lengths

    # ----------------------------------------------------------------------------------- the server

    def tally(
        self,
        reports: Mapping[str, Reports],
        candidates: Mapping[str, Sequence[str]] | None = None,
        *,
        wave: str | None = None,
    ) -> Any:
        """Count the reports to each question: {name: tally}.

        Questions for `Strings` take their candidates by name; see `Asked.tally` for the wave.
        """
        given = self._named(reports, "reports")
        named = self._named({} if candidates is None else candidates, "candidates")
        tallies: dict[str, Tally] = {}
        for name, found in given.items():
            with _about(name):
                one = self.questions[name]
                if name not in named:
                    tallies[name] = one.tally(found, wave=wave)
                elif isinstance(one, Strings):
                    tallies[name] = one.tally(found, named[name], wave=wave)
                else:
                    rule = "candidates must be of questions for Strings alone"
                    raise ValueError(f"{rule}: leave them out here")
        return tallies

    def _named(self, given: Any, what: str) -> Mapping[str, Any]:
        """Return what is given for some questions, by name."""
        if not isinstance(given, Mapping):
            raise ValueError(f"{what} must be a dict by the names of questions, got {shown(given)}")
        strange = [name for name in given if name not in self.questions]
        if strange:
            rule = f"{what} must be of the questions {told(self.questions)}"
            raise ValueError(f"{rule}, got {told(strange)}")
        return given

    def estimate(
        self,
        tallies: Mapping[str, Tally],
        level: float = 0.95,
        *,
        people: bool = False,
        together: bool = False,
        n: int | None = None,
        rounds: float | None = None,
    ) -> Results:
        """Estimate each question that there is a tally of: {name: result}.

        See `Asked.estimate`; `together` is about the intervals of each question.  Where questions
        are drawn, a tally holds those who were asked, and ``people=True`` is about all people who
        took part, asked or not.  Of a question that some decline, shares are of those who would
        answer, and these errors are slightly too large.

        Parameters
        ----------
        tallies : dict of str to Tally
        level, people, together
            As for one question.
        rounds : int or float, at least 1, optional
            Reports a person to a question, as for one question.
        n : int, optional
            With `draw`: the number of people who took part; of waves that were added, with
            ``rounds=1``, those of each wave, added up.  It is the number of reports over `draw`,
            and must be given where `people` is asked for and this is not known: some questions have
            no tally, people may decline, or reports were lost.  Give it whenever you know it: see
            Notes.

        Raises
        ------
        ValueError
            If a question refuses its tally; if n is needed; or, with `people` or n, if the numbers
            of reports are not those of questions that were drawn from n people, as where one of the
            tallies is of all people.  Where people sent several reports, n is refused if so few
            cannot have sent as many: if it is less than the number of reports over `rounds`.

        Notes
        -----
        A tally does not know whether its question was drawn.  If *all* tallies are of people who
        were asked everything, numbers of reports alone cannot tell: 800 to each of four questions
        may be those of 3,200 people who answered one each.  With ``n=800`` they are refused.  Files
        and lines whose label is `identity_of` are refused, too, since it says how many questions
        are drawn.  About a population it makes no difference.
        """
        asked: Any = {"level": level, "people": people, "together": together, "rounds": rounds}
        given = self._named(tallies, "tallies")
        if self.draw is not None and (check_flag(people, "people") or n is not None):
            people_here = self._people(given, n, rounds)
            if people:
                asked["of"] = people_here
        elif n is not None:
            rule = "n must be left out where no question is drawn"
            raise ValueError(f"{rule}, got {shown(n)}: tallies say how many")
        results = Results()
        for name, tally in given.items():
            with _about(name):
                results[name] = self.questions[name].estimate(tally, **asked)
        return results.of_same_people()

    def _people(self, tallies: Mapping[str, Any], n: Any, rounds: Any) -> int:
        """Return how many people took part, of whom some were drawn for each question."""
        for name, tally in tallies.items():
            if not isinstance(tally, Tally):
                rule = f"question {shown(name)}: tally must be a Tally"
                raise ValueError(f"{rule}, got {type(tally).__name__}")
        numbers = {name: tally.n for name, tally in tallies.items()}
        if rounds is not None and rounds != 1:
            return people_at_least(numbers, rounds, n)
        declining = [name for name, one in self.questions.items() if one.missing == DECLINE]
        return people_in(numbers, len(self.questions), self.draw, n, declining)

    # -------------------------------------------------------------------------- one person's device

    def answer(
        self, row: Mapping[str, Any], *, account: Account, rng: Randomness | None = None
    ) -> dict[str, Reports]:
        """Draw one person's reports, on the person's own device, and pay for them: all or none.

        The account pays.  The name of a question is the label of its report.  Every report has
        fresh coins, except those of a mechanism of your own that keeps a state: see `Account`.

        With `draw`, the person answers what `drawn` says, and nothing else is looked at.  If the
        person declines it, no other question is drawn: it would depend on the answer which question
        is reported on.

        Parameters
        ----------
        row : dict
            The person's answer to each question that is asked, by name.
        account : Account
            What the person has revealed so far, and may still reveal.
        rng : SystemRandom, the default, or Generator

        Returns
        -------
        dict of str to ndarray (1, …)
            A report a question; none where the person declines.  They are arrays, which json does
            not write: ``"".join(survey.to_wire(reports))`` is the message that a device sends.

        Raises
        ------
        BudgetError
            If the reports cost more together than is left of the account; nothing is paid.
        ValueError
            If there is no account, or an answer is not possible; nothing is paid.  Or if the
            account holds a draw of another survey under this survey's label.
        """
        rng = SystemRandom() if rng is None else rng
        asked = []
        for name in self.drawn(account, rng=rng):  # first, so that it does not depend on any answer
            values = self._encoded(row, name)
            if len(values):
                asked.append((self.questions[name].mechanism, values, name))
        reports = account.reports(asked, rng=rng)
        return {name: report for (_, _, name), report in zip(asked, reports, strict=True)}

    def _encoded(self, row: Mapping[str, Any], name: str) -> Any:
        """Return a person's answer as the mechanism takes it; empty if the person declines."""
        one = self.questions[name]
        with _about(name):
            try:
                return one.encoded(one._one(row, name))
            except ValueError as error:
                if self.draw is None or not _lacks(row, name, one):
                    raise
                rule = "row must have the answer that was drawn for this person"
                cure = "ask what drawn(account) returns"
                raise ValueError(f"{rule}, got {told(row) or 'none'}: {cure}") from error

    def drawn(self, account: Account, *, rng: Randomness | None = None) -> tuple[str, ...]:
        """Return the questions that the owner of an account answers: all, or what was drawn, once.

        What was drawn is kept in the account under the survey's label, and is on the disk before
        this returns, so that it is the same after a crash, and whatever the person then answers.
        It costs no ε, since it is the same draw for all values.  Ask the person these questions,
        and no others.

        Parameters
        ----------
        account : Account
        rng : SystemRandom, the default, or Generator

        Raises
        ------
        ValueError
            If there is no account, or it holds a draw of another survey under this survey's label.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from ldpnb import OneOf
        >>> question = OneOf(["yes", "no"], epsilon=1.0)
        >>> questions = dict.fromkeys(["pay", "boss", "hours"], question)
        >>> survey = Survey(questions, limit=1.0, draw=1, label="spring")
        >>> with TemporaryDirectory() as folder:
        ...     account = Account(f"{folder}/account", limit=1.0)
        ...     (name,) = survey.drawn(account)
        ...     reports = survey.answer({name: "yes"}, account=account)
        ...     survey.drawn(account) == (name,), [*reports] == [name], account.spent
        (True, True, 1.0)
        """
        if not isinstance(account, Account):
            cure = "the person's own, e.g. Account(path, limit=2.0)"
            raise ValueError(f"account must be an Account, {cure}, got {shown(account)}")
        if self.draw is None:
            return tuple(self.questions)
        rng = SystemRandom() if rng is None else rng
        return account.drawn(self.identity, self.questions, self.draw, label=self.label, rng=rng)

    # ----------------------------------------------------------------------------- names and lines

    @property
    def identity(self) -> str:
        """What is asked, with all labels and mechanisms, and how many questions are drawn."""
        parts = "; ".join(f"{name!r}: {one.identity}" for name, one in self.questions.items())
        return digested(f"Survey(draw={self.draw}); {parts}")

    def identity_of(self, name: str) -> str:
        """Return a label for reports to a question: its name, what is asked, how it is drawn.

        It is for `save`, `save_tally`, `to_wire` and `collect`, with the question itself.  Files of
        another question of the same form, or of a survey in which everybody was asked, are refused
        then.

        Examples
        --------
        >>> from ldpnb import OneOf
        >>> questions = dict.fromkeys(["pay", "boss"], OneOf(["yes", "no"], epsilon=1.0))
        >>> Survey(questions, limit=1.0, draw=1).identity_of("boss")
        "'boss', one of 2 drawn, 1 a person: OneOf(('yes', 'no')); GRR(k=2, epsilon=1.0)"
        """
        self._named({name: None}, "name")
        how = ""
        if self.draw is not None:
            how = f", one of {len(self.questions)} drawn, {self.draw} a person"
        return digested(f"{name!r}{how}: {self.questions[name].identity}")

    def to_wire(self, reports: Mapping[str, Reports]) -> Iterator[str]:
        """Write reports as JSON lines: for each question a header that names it, and its reports.

        Of one person, these are the lines of a message; see `ldpnb.collecting.to_wire`.

        Examples
        --------
        >>> from ldpnb import OneOf
        >>> questions = dict.fromkeys(["pay", "boss"], OneOf(["yes", "no"], epsilon=1.0))
        >>> survey = Survey(questions, limit=1.0, draw=1)
        >>> message = "".join(survey.to_wire({"boss": np.array([1])}))
        >>> survey.from_wire(message)
        {'boss': array([1])}
        """
        for name, found in self._named(reports, "reports").items():
            with _about(name):
                yield from to_wire(found, self.questions[name], label=self.identity_of(name))

    def from_wire(self, lines: Text) -> dict[str, Reports]:
        """Read reports from the lines of messages, one after the other: {name: reports}.

        Parameters
        ----------
        lines : str or iterable of str

        Raises
        ------
        ValueError
            If a header names no question of this survey, or a line is no report to its question.
        """
        names = {self.identity_of(name): name for name in self.questions}
        found: dict[str, list[Reports]] = {}
        for label, part in sections(lines):
            if label not in names:
                rule = f"reports to the questions {told(self.questions)} of this survey"
                got = f"a header with label {shown(label, most=210)}"
                raise ValueError(f"lines must be {rule}, got {got}")
            name = names[label]
            with _about(name):
                reports = from_wire(part, self.questions[name], label=label)
            found.setdefault(name, []).append(reports)
        return {name: np.concatenate(each) for name, each in found.items()}


def _lacks(row: Any, name: str, question: Asked) -> bool:
    """Return whether a person's row has no answer to a question of one column."""
    return isinstance(row, Mapping) and name not in row and not isinstance(question, YesNoTable)


def _length(column: Any) -> int | None:
    """Return the number of rows, or None of what has none, which the question refuses."""
    try:
        return len(column)
    except TypeError:
        return None


def _few(parts: Sequence[str]) -> str:
    """Return the first parts of a message in words."""
    text = ", ".join(parts[:SHOWN])
    if len(parts) > SHOWN:
        text += f" and {len(parts) - SHOWN} more"
    return text


@contextmanager
def _about(name: str) -> Iterator[None]:
    """Say of which question an error is."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"question {shown(name)}: {error}") from error
