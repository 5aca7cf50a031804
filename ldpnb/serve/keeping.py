"""Small files that outlive a process: a tally, a client's kept state, and its account of ε.

All have one form: a line of JSON that says what the file holds, the raw bytes of an array
(little-endian, none for an account), and the SHA-256 of both, 32 bytes.  There is no pickle, so
that reading runs nobody's code.  A file is replaced as a whole, and is on the disk before the call
returns.  What a writer leaves behind that is killed, a file beside it that ends in ``.partial``, is
never read.  The next writer removes it; that of a tally or a state leaves an empty one, which may
be another writer's, and on Windows any.  Only its owner may read a file, except on Windows, where
the rights of its folder hold.  The checksum finds damage, not forgery.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from hashlib import sha256
from math import inf, nextafter
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ldpnb.chance import Randomness, SystemRandom, distinct
from ldpnb.checks import (
    apart,
    check_count,
    check_flag,
    check_positive,
    check_text,
    check_wave,
    in_full,
    shown,
)
from ldpnb.core import Kept, Mechanism, OpenMechanism, Reports, Tally, Values, check_tally
from ldpnb.serve._disk import locked, naming, patiently, put, resolved, tidy, unmoved

FORM = 1  # version; a file of another one is refused
WITH_WAVE = 2  # version of a tally's file that names its wave; others are written as by 1.0.0
SUM = 32  # bytes of the checksum
SLACK = Fraction(1, 2**40)  # the part of a limit by which a sum of ε may pass it
LONGEST = 200  # characters of an identity; a longer one is cut and ends in a digest

StrPath = str | os.PathLike[str]
AccountEntry = dict[str, Any]  # reports of one mechanism under one label, or a draw


class BudgetError(ValueError):
    """A report would cost more than is left of an account; nothing is paid or handed out."""


@runtime_checkable
class Memoising(Protocol):
    """A mechanism whose client keeps a state: see `RAPPOR`."""

    def memoise(self, values: Any, *, rng: Randomness) -> Kept:
        """Draw states, once a person and period, whatever their values become."""

    def respond(self, kept: Kept, *, rng: Randomness) -> Reports:
        """Draw a report from each state."""

    def exposure(self, reports: int) -> float:
        """Return the ε of this many reports from one state."""


def identity(mechanism: Mechanism) -> str:
    """Say which mechanism this is: its class, and those of its fields that make a difference.

    A field that the class fills in by itself with the same value is left out, so that files stay
    readable when a class gains a field with a default.  Mechanisms of one class have the same
    identity exactly if they are equal.  Of more than 200 characters the first ones are kept, and a
    digest of all of them.

    Examples
    --------
    >>> from ldpnb import OLH
    >>> identity(OLH(k=5, epsilon=1.0, prime=2**31 - 1))
    'OLH(k=5, epsilon=1.0)'
    """
    return digested(_written(mechanism))


def digested(text: str) -> str:
    """Return a text of at most `LONGEST` characters; a longer one is cut and ends in a digest."""
    if len(text) <= LONGEST:
        return text
    end = f"… sha256 {sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    return text[: LONGEST - len(end)] + end


def _written(value: Any) -> str:
    """Write a value as Python that makes it again, or nearly so."""
    if isinstance(value, tuple):
        items = "".join(f"{_written(x)}, " for x in value)
        return f"({items})"
    if not is_dataclass(value):
        return repr(value)
    kind: Any = type(value)
    kept = {f.name: getattr(value, f.name) for f in fields(value)}
    for name in reversed(tuple(kept)):
        fewer = {other: x for other, x in kept.items() if other != name}
        try:
            if kind(**fewer) == value:
                kept = fewer
        except (TypeError, ValueError):
            pass  # the field has no default, or none that fits the others
    given = ", ".join(f"{name}={_written(x)}" for name, x in kept.items())
    return f"{kind.__name__}({given})"


# ----------------------------------------------------------------------------------------- the form


def _write(
    path: Path,
    kind: str,
    said: Mapping[str, Any],
    body: bytes = b"",
    *,
    form: int = FORM,
    alone: Callable[[], None] | None = None,
) -> None:
    """Replace a file as a whole: whoever reads it, or is killed here, has the old or the new."""
    data = json.dumps({"ldpnb": kind, "form": form, **said}).encode() + b"\n" + body
    put(path, data + sha256(data).digest(), alone=alone)


@contextmanager
def _read(path: Path, kind: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Give what a file says and its bytes; what turns out to be wrong with them is its fault."""
    try:
        with naming(path):
            data = patiently(path.read_bytes)
    except FileNotFoundError as error:
        rule = f"path must be a file of {kind!r}"
        raise FileNotFoundError(f"{rule}, got {str(path)!r}: there is none") from error
    try:
        head, line, body = data[:-SUM].partition(b"\n")
        if not line or sha256(data[:-SUM]).digest() != data[-SUM:]:
            raise ValueError("it does not fit its checksum")
        said = json.loads(head)
        forms = (FORM, WITH_WAVE) if kind == "tally" else (FORM,)
        if said["ldpnb"] != kind or said["form"] not in forms:
            raise ValueError(f"it holds {said['ldpnb']!r} of form {said['form']}")
        yield said, body
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        rule = f"path must be a whole file of {kind!r}"
        raise ValueError(f"{rule}, got {str(path)!r}: {error}") from error


def _same(said: Mapping[str, Any], **asked: Any) -> None:
    """Refuse a file that says something else than what is asked for."""
    for name, value in asked.items():
        if said[name] != value:
            got = shown(said[name], most=LONGEST // 2)
            wanted = shown(value, most=LONGEST // 2)
            raise ValueError(f"its {name} is {got}, not {wanted}")


def _array(body: bytes, dtype: DTypeLike, shape: Any) -> NDArray[Any]:
    """Return the array that these bytes are, one that can be written to."""
    return np.frombuffer(body, np.dtype(dtype)).reshape(shape).copy()


# ---------------------------------------------------------------------------------- tallies, states


def save_tally(tally: Tally, path: StrPath, *, label: str = "") -> None:
    """Write a tally to a file, in place of an older one: the sum so far of a server, say.

    Candidates, where a tally has some, must be integers and strings.

    Raises
    ------
    ValueError
        If a candidate is something else, if the label is no text, or if one of them has surrogates
        (half characters).
    """
    check_tally(tally, Mechanism, "a mechanism's reports")
    items = None
    if tally.items is not None:
        items = list(tally.items)
        for item in items:
            if type(item) not in (int, str):
                rule = "items must be integers or strings to be written"
                raise ValueError(f"{rule}, got {shown(item)}")
            if isinstance(item, str):
                check_text(item, "items")
    said = {
        "mechanism": identity(tally.mechanism),
        "label": check_text(label, "label"),
        "n": tally.n,
        "shape": tally.counts.shape,
        "items": items,
        "marginal": tally.marginal,
    }
    if tally.question is not None:
        said["question"] = tally.question  # 1.0.0 passes over it
    form = FORM
    if tally.wave is not None:
        form = WITH_WAVE
        said["wave"] = tally.wave
    counts = np.ascontiguousarray(tally.counts, "<i8")
    _write(resolved(path), "tally", said, counts.tobytes(), form=form)


def load_tally(path: StrPath, mechanism: Mechanism, *, label: str = "") -> Tally:
    """Read a tally of this mechanism and label, with its wave and its question if it has them.

    Raises
    ------
    ValueError
        If the file is damaged, or holds something else.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from ldpnb import GRR
    >>> oracle = GRR(k=3, epsilon=1.0)
    >>> with TemporaryDirectory() as folder:
    ...     save_tally(oracle.tally([0, 2, 2]), f"{folder}/monday")
    ...     (load_tally(f"{folder}/monday", oracle) + oracle.tally([1])).counts
    array([1, 1, 2])
    """
    label = check_text(label, "label")
    with _read(resolved(path), "tally") as (said, body):
        _same(said, mechanism=identity(mechanism), label=label)
        items = said["items"]
        if items is not None:
            if not isinstance(items, list) or not isinstance(mechanism, OpenMechanism):
                raise ValueError(f"its items are {shown(items)}")
            items = tuple(items)
        counts = _array(body, "<i8", said["shape"]).astype(np.int64)
        marginal = check_flag(said["marginal"], "marginal")
        wave = _wave(said)
        return Tally(mechanism, said["n"], counts, items, marginal, wave, said.get("question"))


def _wave(said: Mapping[str, Any]) -> str | None:
    """Return the wave that a file names; whether it names one, its version says."""
    if said["form"] == FORM:
        if "wave" in said:
            rule = f"it has form {FORM}, which names no wave"
            raise ValueError(f"{rule}, and names {shown(said['wave'])}")
        return None
    if said["wave"] is None:
        raise ValueError(f"it has form {said['form']}, which names a wave, and names none")
    return check_wave(said["wave"])


def save_state(kept: Kept, path: StrPath) -> None:
    """Write what clients keep to a file, in place of an older one; only its owner may read it."""
    if not isinstance(kept, Kept):
        raise ValueError(f"kept must be what memoise returns, got {shown(kept)}")
    said = {"mechanism": identity(kept.mechanism), "people": len(kept)}
    _write(resolved(path), "state", said, kept.rows.tobytes())


def load_state(path: StrPath, mechanism: Any) -> Kept:
    """Read what clients of this mechanism keep.

    Raises
    ------
    ValueError
        If the file is damaged, or was written for another mechanism.
    """
    with _read(resolved(path), "state") as (said, body):
        _same(said, mechanism=identity(mechanism))
        return Kept(mechanism, _array(body, mechanism.state_dtype, said["people"]))


# ----------------------------------------------------------------------------------------- accounts

NAMES = ("mechanism", "label", "reports", "epsilon", "first", "last")  # of what an entry holds
CONDITIONS = (
    "The sum holds if labels, mechanisms, number and times of reports do not depend on the "
    "person's values,\nand no state is lost."
)


@runtime_checkable
class Asking(Protocol):
    """A question of a survey: see `OneOf`."""

    mechanism: Any

    def encoded(self, values: Any) -> Any:
        """Return what the mechanism's `perturb` takes, of those people who send something."""

    @property
    def identity(self) -> str:
        """A name of what is asked, and of the mechanism."""


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
        self, question: Mechanism | Asking, value: Any, *, label: str, rng: Randomness | None = None
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
        elif isinstance(question, Asking):
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
        with _read(self.path, "account") as (said, _):
            _same(said, limit=self.limit)
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
        _write(self.path, "account", said, alone=alone)


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
    report: Reports = _array(data, form.dtype, form.shape)
    mechanism._reports(report)
    return report


def _kept(entry: AccountEntry, mechanism: Any, drawn: Kept) -> Kept:
    """Return the state of an entry, which is the one just drawn if there was none."""
    rows = drawn.rows
    state = bytes.fromhex(entry.setdefault("state", rows.tobytes().hex()))
    _check_length(state, rows.nbytes, f"a state of {entry['mechanism']}")
    return Kept(mechanism, _array(state, rows.dtype, 1))


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
