"""Accounts: what one person has revealed, and may still reveal, on the person's own device.

The file of an account has the form that `ldpnb.collecting.files` describes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from math import inf, nextafter
from typing import Any

import numpy as np

from ldpnb.chance import Randomness, SystemRandom, distinct
from ldpnb.checks import apart, check_count, check_positive, check_text, in_full, shown
from ldpnb.collecting._disk import locked, naming, resolved, tidy, unmoved
from ldpnb.collecting._given import SurveyQuestion
from ldpnb.collecting.files import (
    Memoising,
    StrPath,
    array_of,
    check_same,
    identity,
    read_file,
    write_file,
)
from ldpnb.core import Kept, Mechanism, Reports, Values

SLACK = Fraction(1, 2**40)  # the part of a limit by which a sum of ε may pass it
AccountEntry = dict[str, Any]  # reports of one mechanism under one label, or a draw


class BudgetError(ValueError):
    """A report would cost more than is left of an account; nothing is paid or handed out."""


# ----------------------------------------------------------------------------------------- accounts

NAMES = ("mechanism", "label", "reports", "epsilon", "first", "last")  # of what an entry holds
CONDITIONS = (
    "The sum holds if labels, mechanisms, number and times of reports do not depend on the "
    "person's values,\nand no state is lost."
)


class Account:
    """What one person has revealed, and may still reveal: ε over all mechanisms and all time.

    It lies on the client's disk.  A report is paid for before it is handed out: what it costs is on
    the disk first, so that a client that is killed at any moment may have paid for a report that
    nobody got, but never sends one that was not paid for.  What is lost then is its ε; a state is
    on the disk with the payment, and the next report is read off it.

    Of a mechanism that keeps a state (`RAPPOR`), the account keeps one for each label, drawn from
    the value at the first report.  All later reports under the label are read off that state,
    whatever the value has become, so they speak of the value *at the start*: put the period into
    the label, as in ``"start page, 2026-W48"``, and take a new label for a new period.  (A new
    state for a new value would tell when the value changed; `lifetime_epsilon` of `RAPPOR` says how
    much.)  What all reports from one state cost together is their `exposure`.  Other reports have
    fresh coins, and cost ε each.

    For every other mechanism, `remembered` keeps the report itself, and charges ε once a label:
    what is sent again under the label is the same report, and tells nothing new.

    Costs add.  The sum bounds what two histories of a person's values can be told apart by, and is
    exact if each line of what the account prints has a pair of values that attains its cost.  It
    holds under two conditions, which the account cannot see:

    - which labels are asked, by which mechanisms, how often and when does not depend on the
      person's values;
    - no state is lost: the file is not deleted, not replaced by an older one, and not on a second
      device.

    A mechanism is known by its `identity`: the name of its class, and its fields.  If its class
    changes so that reports would lower what is spent, or keeps states that it did not keep, a label
    that was used is refused.

    Sums are exact, in fractions, and may pass the limit by 2⁻⁴⁰ of it, so that ten reports of
    ε = 0.1 fit a limit of 1.

    Which questions of a survey were drawn for the person is kept here, too, at no cost: see
    `Survey.drawn`.

    Several processes and threads may share an account, and may use several names: links are
    followed.  Move it while nobody uses it, and leave its lock where it is: a payment looks once
    more just before it writes, and pays nothing if the path has become a link or the lock is
    another one, but a file that is moved in that moment may be paid from twice.

    Parameters
    ----------
    path : path
        Of the account; a new one is opened if there is none.  Beside it lies its lock, ``….lock``,
        so that its own name must not end so, nor in ``.partial``.
    limit : float
        ε of all reports together, that of the account if there is one.

    Raises
    ------
    ValueError
        If the path is that of a folder, a pipe or a device, if the file is damaged or has several
        names (hard links), or if its limit is another one; at any use, if the path has become a
        link since.
    OSError
        If the system does not let it be read or written, as where there is no folder.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from ldpnb import GRR, SystemRandom
    >>> colour = GRR(k=3, epsilon=1.0)
    >>> with TemporaryDirectory() as folder:
    ...     account = Account(f"{folder}/account", limit=1.5)
    ...     report = account.report(colour, [2], rng=SystemRandom(), label="colour")
    ...     printed = str(account)  # which ends with the two conditions
    >>> print(printed.partition("The sum holds if")[0], end="")
    ε = 1 spent of limit = 1.5, and 0.5 left
    'colour': ε = 1, 1 report by GRR(k=3, epsilon=1.0)
    """

    def __init__(self, path: StrPath, *, limit: float) -> None:
        self.path = resolved(path)
        self.limit = check_positive(limit, "limit")
        if self.path.suffix.lower() in (".lock", ".partial"):
            rule = "path must not end in .lock or .partial"
            why = "which are names of what lies beside an account: choose another name"
            raise ValueError(f"{rule}, got {str(self.path)!r}, {why}")
        with locked(self.path) as alone:
            tidy(self.path, alone=True)
            if self.path.exists():
                self._entries()
            else:
                self._store([], alone)

    @property
    def spent(self) -> float:
        """ε of all reports so far, rounded up to a float."""
        return _up(_sum(self._entries()))

    @property
    def left(self) -> float:
        """The limit less what is spent, rounded down to a float; 0 if nothing is left."""
        return _left(_sum(self._entries()), self.limit)

    @property
    def history(self) -> list[dict[str, Any]]:
        """What was reported: mechanism, label, reports, ε of all, first and last time (UTC)."""
        found = []
        for entry in self._entries():
            if "drawn" not in entry:
                found.append({name: entry[name] for name in NAMES})
        return found

    def __str__(self) -> str:
        """Say what was asked, what it cost, what reports speak of, and on what the sum relies."""
        entries = self._entries()
        spent = _sum(entries)
        left = _left(spent, self.limit)
        paid = f"{_up(spent):.6g}"
        if left and float(paid) >= self.limit:  # it would look as if nothing were left
            paid = in_full(_up(spent))
        lines = [f"ε = {paid} spent of limit = {in_full(self.limit)}, and {left:.6g} left"]
        lines += [_line(entry) for entry in entries]
        for (mechanism, label), count in _several(entries).items():
            what = f"{label} has {count} states of {mechanism}, by 1.0.0"
            lines.append(f"{what}: reports may cost more than is charged")
        lines.append(CONDITIONS)
        return "\n".join(lines)

    def report(
        self, mechanism: Mechanism, values: Values, *, rng: Randomness, label: str = ""
    ) -> Reports:
        """Draw a report, pay for it, and hand it out.

        Parameters
        ----------
        mechanism : Mechanism
        values : array_like (1, …) or Records
            That of the person, as `perturb` takes it.
        rng : SystemRandom or numpy.random.Generator
            It must not wait for another thread that uses the same account, which waits until this
            report is over.
        label : str
            What is asked, and in which period; surrogates (half characters) are refused.  A
            mechanism that keeps a state has one for each label: a second value is answered from the
            state of the first, since a refusal would tell that the value has changed.

        Returns
        -------
        ndarray (1, …)

        Raises
        ------
        BudgetError
            If it would cost more than is left.
        ValueError
            If the value is refused, or the file is damaged, or 1.0.0 has kept several states under
            the label, or the mechanism's class has changed, or draws no report or costs no ε;
            nothing is paid.
        RuntimeError
            If it is called inside a report of the same thread, or in a child that was forked there,
            or if the lock was removed; nothing is paid.
        """
        return self.reports([(mechanism, values, label)], rng=rng)[0]

    def reports(
        self, asked: Iterable[tuple[Mechanism, Values, str]], *, rng: Randomness
    ) -> list[Reports]:
        """Draw several reports, pay for all of them at once, and hand them out: all or none.

        Nobody else pays from the account in between.  All are drawn before anything is paid, so
        that a mechanism that fails costs nothing.  A client that is killed has paid for all or for
        none; after it has paid, what was drawn is lost.

        Parameters
        ----------
        asked : list of (mechanism, values, label)
            As `report` takes them.
        rng : SystemRandom or numpy.random.Generator
            As `report` takes it.

        Returns
        -------
        list of ndarray (1, …)

        Raises
        ------
        BudgetError
            If they would cost more together than is left; nothing is paid.
        ValueError, RuntimeError
            As for `report`; nothing is paid.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from ldpnb import GRR, SystemRandom
        >>> colour = GRR(k=3, epsilon=1.0)
        >>> smokes = GRR(k=2, epsilon=0.5)
        >>> asked = [(colour, [2], "colour"), (smokes, [0], "smokes")]
        >>> with TemporaryDirectory() as folder:
        ...     account = Account(f"{folder}/account", limit=2.0)
        ...     two = account.reports(asked, rng=SystemRandom())
        ...     try:
        ...         account.reports(asked, rng=SystemRandom())
        ...     except BudgetError as refused:
        ...         print(refused)
        2 reports must cost at most the 0.5 that is left, got 1.5: ask less, or with a smaller ε
        """
        if not isinstance(asked, Iterable):
            rule = "asked must be a list of tuples (mechanism, values, label)"
            raise ValueError(f"{rule}, got {shown(asked)}")
        asked = [_asked(one) for one in asked]
        what = f"{len(asked)} reports"
        if len(asked) == 1:
            what = f"a report of {identity(asked[0][0])}"
        draws = []
        for mechanism, values, label in asked:
            draws.append(partial(_draw, mechanism=mechanism, values=values, label=label, rng=rng))
        return self._paid(draws, what)

    def remembered(
        self,
        question: Mechanism | SurveyQuestion,
        value: Any,
        *,
        label: str,
        rng: Randomness | None = None,
    ) -> Reports:
        """Draw a report, pay for it, and keep it: under this label, it is handed out ever after.

        It costs ε once, however often it is sent.  Whatever the value becomes, the report speaks of
        the value at the first call, so put the period into the label.  The server that gets T
        copies of a report knows no more than from one: it estimates one wave, and does not add
        waves.

        Parameters
        ----------
        question : question of a survey, or Mechanism
            One that keeps no state of its own; of `RAPPOR`, use `report`.
        value : Any
            The person's answer, as the question takes it: a label, a number, a dict.  Of a
            mechanism, that of one person as in `perturb`, without a list around it.
        label : str
            What is asked, and in which period, as ``"mood, 2026-W48"``.  Other reports under it are
            refused.
        rng : SystemRandom, the default, or numpy.random.Generator

        Returns
        -------
        ndarray (1, …)
            Empty, (0, …), if the question lets people decline, this person does, and no report is
            kept.

        Raises
        ------
        BudgetError
            If it would cost more than is left; never if it is kept already.
        ValueError
            If the value is refused, the label was used for other reports, or the mechanism keeps a
            state, or draws what does not come back from a file; nothing is paid.
        RuntimeError
            As for `report`; nothing is paid.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from ldpnb import OneOf
        >>> mood = OneOf(["good", "bad"], epsilon=1.0)
        >>> with TemporaryDirectory() as folder:
        ...     account = Account(f"{folder}/account", limit=1.5)
        ...     monday = account.remembered(mood, "good", label="mood, 2026-W48")
        ...     friday = account.remembered(mood, "bad", label="mood, 2026-W48")
        ...     bool(monday == friday), account.spent
        (True, 1.0)
        """
        mechanism: Any
        if isinstance(question, Mechanism):
            mechanism = question
        elif isinstance(question, SurveyQuestion):
            mechanism = question.mechanism
        else:
            mechanism = None
        if not isinstance(mechanism, Mechanism):
            rule = "question must be a question of a survey, or a Mechanism"
            raise ValueError(f"{rule}, got {shown(question)}")
        if isinstance(mechanism, Memoising):
            rule = "question must be one that keeps no state"
            cure = "account.report draws all reports under a label off one state"
            raise ValueError(f"{rule}, got {identity(mechanism)}: {cure}")
        if isinstance(question, Mechanism):
            values = [value]
            asked = identity(question)
        else:
            values = question.encoded([value])
            asked = question.identity
        draw = partial(
            _recall,
            asked=asked,
            mechanism=mechanism,
            values=values,
            label=check_text(label, "label"),
            rng=SystemRandom() if rng is None else rng,
        )
        return self._paid([draw], f"a report of {identity(mechanism)}")[0]

    def _paid(
        self, draws: Sequence[Callable[[list[AccountEntry]], Reports]], what: str
    ) -> list[Reports]:
        """Draw reports, each of which charges itself in the entries; hand them out when paid."""
        with locked(self.path) as alone:
            entries = self._entries()
            before = _sum(entries)
            drawn = [draw(entries) for draw in draws]
            after = _sum(entries)
            if not within_limit(after, self.limit):
                left, cost = apart(Fraction(_left(before, self.limit)), after - before)
                rule = f"{what} must cost at most the {left} that is left"
                raise BudgetError(f"{rule}, got {cost}: ask less, or with a smaller ε")
            if draws:
                self._store(entries, alone)
        return drawn

    def drawn(
        self, survey: str, questions: Iterable[str], size: int, *, label: str = "", rng: Randomness
    ) -> tuple[str, ...]:
        """Draw some of the questions of a survey, all sets alike, and return the same ever after.

        They are on the disk before they are returned.  A draw costs no ε: it is made before any
        answer is looked at.

        Parameters
        ----------
        survey : str
            What is asked, `Survey.identity`.
        questions : iterable of str
            Their names, which must be distinct.
        size : int
            How many are drawn.
        label : str
            Under which the draw is kept.
        rng : SystemRandom or numpy.random.Generator

        Returns
        -------
        tuple of str
            In the order of the questions.

        Raises
        ------
        ValueError
            If the label holds a draw of another survey, or the file is damaged.
        RuntimeError
            As for `report`.
        """
        names = list(questions)
        label = check_text(label, "label")
        size = check_count(size, 1, "size", len(names))
        with locked(self.path) as alone:
            entries = self._entries()
            for entry in entries:
                if "drawn" in entry and entry["label"] == label:
                    _check_same_draw(entry, survey, names)
                    return tuple(entry["drawn"])
            places = distinct(np.array([len(names)]), np.array([size]), size, rng)[0]
            chosen = [names[i] for i in sorted(places.tolist())]
            now = _now()
            entry = {
                "mechanism": survey,
                "label": label,
                "reports": 0,
                "epsilon": 0.0,
                "first": now,
                "last": now,
                "drawn": chosen,
                "of": len(names),
            }
            self._store([*entries, entry], alone)
        return tuple(chosen)

    def _entries(self) -> list[AccountEntry]:
        """Read the account, and refuse one that is damaged or whose path was moved."""
        unmoved(self.path)
        with read_file(self.path, "account") as (said, _):
            check_same(said, limit=self.limit)
            entries = _checked(said["entries"])
            if not within_limit(_sum(entries), self.limit):
                raise ValueError("its reports cost more than its limit")
        with naming(self.path):
            names = os.stat(self.path).st_nlink
        if names > 1:
            rule = "path must be the only name of an account"
            cure = "a payment would reach one of them: delete all but one"
            raise ValueError(f"{rule}, got {str(self.path)!r} of {names}: {cure}")
        return entries

    def _store(self, entries: list[AccountEntry], alone: Callable[[], None]) -> None:
        said = {"limit": self.limit, "entries": entries}
        write_file(self.path, "account", said, alone=alone)


def _line(entry: Mapping[str, Any]) -> str:
    """Write an entry as a line of print."""
    label = repr(entry["label"])
    if "drawn" in entry:
        return f"{label}: {', '.join(entry['drawn'])}, drawn of {entry['of']} questions"
    times = entry["reports"]
    reports = f"{times} report{'s' if times > 1 else ''}"
    line = f"{label}: ε = {entry['epsilon']:.6g}, {reports} by {entry['mechanism']}"
    if "state" in entry:
        line += ", from one state: of the value at the first"
    if "report" in entry:
        line += ", the same each time: of the value at the first"
    return line


def _now() -> str:
    """Return the time (UTC), to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


# ------------------------------------------------------------------------------ what is no entry


def _checked(entries: Any) -> list[AccountEntry]:
    """Return the entries of an account if they are such.

    1.0.0 took labels of any kind, and wrote values of states.
    """
    if not isinstance(entries, list):
        raise ValueError(f"its entries are {shown(entries)}")
    for entry in entries:
        if not isinstance(entry, dict):
            raise ValueError(f"an entry of it is {shown(entry)}")
        missing = set(NAMES) - entry.keys()
        if missing:
            raise ValueError(f"an entry of it has no {', '.join(sorted(missing))}")
        for name in ("mechanism", "first", "last"):
            if not isinstance(entry[name], str):
                raise ValueError(f"{name} must be a text, got {shown(entry[name])}")
        if "drawn" in entry:  # of no cost; 1.0.0 refuses to read it, and would draw anew
            _check_drawn(entry)
            continue
        check_count(entry["reports"], 1, "reports")
        check_positive(entry["epsilon"], "epsilon")
        bytes.fromhex(entry.get("state", ""))
        bytes.fromhex(entry.get("report", ""))
    return entries


def _check_drawn(entry: Mapping[str, Any]) -> None:
    """Refuse what is no draw of questions."""
    drawn = entry["drawn"]
    of = check_count(entry.get("of"), 1, "of")
    texts = isinstance(drawn, list) and all(isinstance(name, str) for name in drawn)
    if not texts or not 0 < len(drawn) <= of:
        raise ValueError(f"drawn must be names of at most {of} questions, got {drawn!r:.60}")
    if entry["reports"] != 0 or entry["epsilon"] != 0:
        raise ValueError("a draw must have no reports and cost nothing")


def _check_same_draw(entry: Mapping[str, Any], survey: str, names: Sequence[str]) -> None:
    """Refuse a draw of another survey."""
    if entry["mechanism"] != survey or not set(entry["drawn"]) <= set(names):
        rule = "label must be one of this survey alone"
        got = f"{entry['label']!r}, under which the account holds a draw of another survey"
        cure = "name this one, as in Survey(…, label='spring 2027')"
        raise ValueError(f"{rule}, got {got}: {cure}")


def _asked(one: tuple[Mechanism, Values, str]) -> tuple[Mechanism, Values, str]:
    """Return a mechanism, the values of one person, and a label, if they are."""
    if not isinstance(one, tuple) or len(one) != 3:
        rule = "asked must be tuples (mechanism, values, label)"
        raise ValueError(f"{rule}, got {type(one).__name__}")
    mechanism, values, label = one
    if not isinstance(mechanism, Mechanism):
        rule = "mechanism must be a Mechanism, as GRR(k=3, epsilon=1.0), or question.mechanism"
        raise ValueError(f"{rule}, got {shown(mechanism)}")
    rule = "values must be those of one person, as [x]"
    try:
        people = len(values)
    except TypeError:
        raise ValueError(f"{rule}, got {type(values).__name__}") from None
    if people != 1:
        raise ValueError(f"{rule}, got {people}")
    return mechanism, values, check_text(label, "label")


# ------------------------------------------------------- a report, and what is charged for it


def _draw(
    entries: list[AccountEntry], mechanism: Any, values: Values, label: str, rng: Randomness
) -> Reports:
    """Draw a report, and charge it in these entries.

    It is read off the state under the label if the mechanism keeps one.
    """
    name = identity(mechanism)
    memoising = isinstance(mechanism, Memoising)
    report: Reports
    if memoising:
        state = _single(mechanism.memoise(values, rng=rng), name, Kept)
    else:
        report = _single(mechanism.perturb(values, rng=rng), name)
    entry = _entry(entries, name, label, memoising)
    before = entry["reports"]
    times = before + 1
    paid = Fraction(entry["epsilon"])
    now = _now()
    if memoising:
        report = _single(mechanism.respond(_kept(entry, mechanism, state), rng=rng), name)
        cost = check_positive(mechanism.exposure(times), "exposure")
        least = paid
    else:
        epsilon = Fraction(check_positive(mechanism.epsilon, "epsilon"))
        cost = _up(times * epsilon)
        least = paid + epsilon
    if Fraction(cost) * (1 + SLACK) < least:  # equal up to rounding, unless its class has changed
        reports = f"{before} report{'s' if before > 1 else ''} by {name}"
        then = f"{reports} cost {entry['epsilon']:.6g}"
        why = f"{then}, and {times} would cost {cost:.6g} now that its class has changed"
        raise ValueError(f"label must be a new one, got {shown(label)}: {why}")
    entry.setdefault("first", now)
    entry.update(reports=times, epsilon=max(cost, entry["epsilon"]), last=now)
    return report


def _single(drawn: Any, name: str, kind: type = object) -> Any:
    """Return what a mechanism has drawn for one person if it is one report, or one state."""
    try:
        count = len(drawn)
    except TypeError:
        count = 0
    if count != 1 or not isinstance(drawn, kind):
        what = "state, as Kept," if kind is Kept else "report"
        got = type(drawn).__name__
        if count:
            got = f"{count} in {got}"
        raise ValueError(f"{name} must draw one {what} from the values of one person, got {got}")
    return drawn


def _entry(entries: list[AccountEntry], name: str, label: str, memoising: bool) -> AccountEntry:
    """Return what was paid for a mechanism under a label, or begin it."""
    found = _of_label(entries, name, label)
    if any("report" in entry for entry in found):
        why = f"a report by {name} is remembered under it, and comes again by account.remembered"
        raise ValueError(f"label must be a new one, got {label!r}: {why}")
    if any(("state" in entry) != memoising for entry in found):
        if memoising:
            changed = "no state was kept, and its class keeps one now"
        else:
            changed = "a state was kept, and its class keeps none now"
        why = f"of what {name} reported under it {changed}"
        raise ValueError(f"label must be a new one, got {shown(label)}: {why}")
    if memoising and len(found) > 1:
        rule = "label must be one with one kept state"
        got = f"{shown(label)} with {len(found)}"
        why = (
            "version 1.0.0 kept one for each value, which tells when the value changed, and may "
            "charge too little"
        )
        cure = "take a new label, with the period in it"
        raise ValueError(f"{rule}, got {got}: {why}: {cure}")
    if found:
        return found[0]
    entry: AccountEntry = {"mechanism": name, "label": label, "reports": 0, "epsilon": 0.0}
    entries.append(entry)
    return entry


def _of_label(entries: Sequence[AccountEntry], name: str, label: str) -> list[AccountEntry]:
    """Return the entries of a mechanism under a label."""
    found = []
    for entry in entries:
        if entry["mechanism"] == name and entry["label"] == label:
            found.append(entry)
    return found


def _recall(
    entries: list[AccountEntry],
    asked: str,
    mechanism: Mechanism,
    values: Any,
    label: str,
    rng: Randomness,
) -> Reports:
    """Return the report that is kept under the label, or draw one, keep it and charge it."""
    name = identity(mechanism)
    now = _now()
    for entry in entries:
        if entry["label"] == label and entry.get("asked", asked) != asked:
            got = f"{label!r}, under which another question is remembered"
            cure = "name what is asked, as 'mood, 2026-W48'"
            raise ValueError(f"label must be a new one, got {got}: {cure}")
    found = _of_label(entries, name, label)
    if len(found) > 1 or any("report" not in entry for entry in found):
        why = f"reports by {name} were sent under it that are not remembered"
        raise ValueError(f"label must be a new one, got {label!r}: {why}")
    if found:
        entry = found[0]
        kept = _read_report(entry, mechanism)
        entry.update(reports=entry["reports"] + 1, last=now)
        return kept
    report: Reports
    if len(values) == 0:  # the person declines
        report = mechanism._nothing(0)
        return report
    report = _single(mechanism.perturb(values, rng=rng), name)
    text = np.ascontiguousarray(report).tobytes().hex()
    entry = {
        "mechanism": name,
        "label": label,
        "reports": 1,
        "epsilon": check_positive(mechanism.epsilon, "epsilon"),
        "first": now,
        "last": now,
        "asked": asked,
        "report": text,
    }
    again = _read_report(entry, mechanism)
    if again.dtype != report.dtype or again.tobytes().hex() != text:
        raise ValueError(f"question must be one whose reports come back from a file, got {name}")
    entries.append(entry)
    return report


def _read_report(entry: Mapping[str, Any], mechanism: Mechanism) -> Reports:
    """Return the report of an entry, if it is one of this mechanism."""
    form = np.ascontiguousarray(mechanism._nothing(1))
    data = bytes.fromhex(entry["report"])
    _check_length(data, form.nbytes, f"a report of {entry['mechanism']}")
    report: Reports = array_of(data, form.dtype, form.shape)
    mechanism._reports(report)
    return report


def _kept(entry: AccountEntry, mechanism: Any, drawn: Kept) -> Kept:
    """Return the state of an entry, which is the one just drawn if there was none."""
    rows = drawn.rows
    state = bytes.fromhex(entry.setdefault("state", rows.tobytes().hex()))
    _check_length(state, rows.nbytes, f"a state of {entry['mechanism']}")
    return Kept(mechanism, array_of(state, rows.dtype, 1))


def _check_length(data: bytes, length: int, what: str) -> None:
    """Refuse bytes that cannot be what was kept."""
    if len(data) != length:
        why = "the file is damaged, or the class has changed: take a new label"
        raise ValueError(f"{what} must have {length} bytes, got {len(data)}: {why}")


def _several(entries: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """Count the states of a mechanism under a label, where there are several."""
    counts = Counter(
        (entry["mechanism"], repr(entry["label"])) for entry in entries if "state" in entry
    )
    return {name: count for name, count in counts.items() if count > 1}


# ------------------------------------------------------------------------------------------ sums


def within_limit(total: Fraction, limit: float) -> bool:
    """Whether a sum of ε keeps a limit, which it may pass by `SLACK` of it.

    Examples
    --------
    >>> within_limit(10 * Fraction(0.1), 1.0), within_limit(10 * Fraction(0.100001), 1.0)
    (True, False)
    """
    return total <= Fraction(limit) * (1 + SLACK)


def _sum(entries: Sequence[Mapping[str, Any]]) -> Fraction:
    """Add the ε of all entries, exactly."""
    return sum((Fraction(entry["epsilon"]) for entry in entries), Fraction(0))


def _left(spent: Fraction, limit: float) -> float:
    """Return what is left of a limit, rounded down, and 0 if it is passed."""
    return max(0.0, 0.0 - _up(spent - Fraction(limit)))  # not −0


def _up(x: Fraction) -> float:
    """Round up to a float."""
    found = float(x)
    if Fraction(found) >= x:
        return found
    return nextafter(found, inf)
