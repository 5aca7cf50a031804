"""Small files that outlive a process: a tally, a client's kept state, and its account of ε.

All have one form: a line of JSON that says what the file holds, the raw bytes of an array (little-endian, none for an
account), and the SHA-256 of both, 32 bytes.  There is no pickle, so that reading runs nobody's code.  A file is
replaced as a whole, and is on the disk before the call returns.  Only its owner may read it, except on Windows, where
the rights of its folder hold.  The checksum finds damage, not forgery.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from math import inf, nextafter
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ldpnb.chance import Randomness
from ldpnb.checks import check_flag, check_positive
from ldpnb.core import Kept, Mechanism, OpenMechanism, Reports, Tally, Values
from ldpnb.serve._disk import lock, patiently, placing

FORM = 1  # version; a file of another one is refused
SUM = 32  # bytes of the checksum
LONGEST = 200  # characters of an identity; a longer one is cut and ends in a digest

StrPath = str | os.PathLike[str]


class BudgetError(ValueError):
    """A report would cost more than is left of an account; nothing is paid, and nothing handed out."""


@runtime_checkable
class Memoising(Protocol):
    """A mechanism whose client keeps a state: see `RAPPOR`."""

    def memoise(self, values: Any, *, rng: Randomness) -> Kept:
        """Draw states."""

    def respond(self, kept: Kept, *, rng: Randomness) -> Reports:
        """Draw a report from each state."""

    def exposure(self, reports: int) -> float:
        """Return the ε of this many reports from one state."""


def identity(mechanism: Mechanism) -> str:
    """Say which mechanism this is: its class, and those of its fields that make a difference.

    A field that the class fills in by itself with the same value is left out, so that files stay readable when a class
    gains a field with a default.  Mechanisms of one class have the same identity exactly if they are equal.  Of more
    than 200 characters the first ones are kept, and a digest of all of them.

    Examples
    --------
    >>> from ldpnb import OLH
    >>> identity(OLH(k=5, epsilon=1.0, prime=2**31 - 1))
    'OLH(k=5, epsilon=1.0)'
    """
    return digested(_written(mechanism))


def digested(text: str) -> str:
    """Return a text of at most `LONGEST` characters; a longer one is cut and ends in a digest of all of it."""
    end = f"… sha256 {sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
    return text if len(text) <= LONGEST else text[: LONGEST - len(end)] + end


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({''.join(f'{_written(x)}, ' for x in value)})"
    if not is_dataclass(value):
        return repr(value)
    kind: Any = type(value)
    kept = {f.name: getattr(value, f.name) for f in fields(value)}
    for name in reversed(tuple(kept)):
        fewer = {other: x for other, x in kept.items() if other != name}
        try:
            kept = fewer if kind(**fewer) == value else kept
        except (TypeError, ValueError):
            pass  # the field has no default, or none that fits the others
    return f"{kind.__name__}({', '.join(f'{name}={_written(x)}' for name, x in kept.items())})"


# ------------------------------------------------------------------------------------------------------- the form


def _write(path: StrPath, kind: str, said: Mapping[str, Any], body: bytes = b"") -> None:
    """Replace a file as a whole: whoever reads it, or is killed here, has the old one or the new one."""
    path = Path(path)
    data = json.dumps({"ldpnb": kind, "form": FORM, **said}).encode() + b"\n" + body
    temporary = path.with_name(f"{secrets.token_hex(8)}.partial")
    with placing(temporary):
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data + sha256(data).digest())
            file.flush()
            os.fsync(file.fileno())
        patiently(lambda: os.replace(temporary, path))


@contextmanager
def _read(path: StrPath, kind: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Give what a file says and its bytes; whatever turns out to be wrong with them is the file's fault."""
    data = patiently(Path(path).read_bytes)
    try:
        head, line, body = data[:-SUM].partition(b"\n")
        if not line or sha256(data[:-SUM]).digest() != data[-SUM:]:
            raise ValueError("it does not fit its checksum")
        said = json.loads(head)
        if (said["ldpnb"], said["form"]) != (kind, FORM):
            raise ValueError(f"it holds {said['ldpnb']!r} of form {said['form']}")
        yield said, body
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"path must be a whole file of {kind!r}, got {os.fspath(path)!r}: {error}") from error


def _same(said: Mapping[str, Any], **asked: Any) -> None:
    for name, value in asked.items():
        if said[name] != value:
            raise ValueError(f"its {name} is {said[name]!r}, not {value!r}")


def _array(body: bytes, dtype: Any, shape: Any) -> NDArray[Any]:
    return np.frombuffer(body, np.dtype(dtype)).reshape(shape).copy()


# ------------------------------------------------------------------------------------------------ tallies, states


def save_tally(tally: Tally, path: StrPath, *, label: str = "") -> None:
    """Write a tally to a file, in place of an older one: its sum so far, say, of a server that may be stopped.

    Candidates, where a tally has some, must be integers and strings.
    """
    items = None if tally.items is None else list(tally.items)
    if items and not all(type(item) in (int, str) for item in items):
        raise ValueError(f"items must be integers or strings to be written, got {items!r:.200}")
    said = {
        "mechanism": identity(tally.mechanism),
        "label": label,
        "n": tally.n,
        "shape": tally.counts.shape,
        "items": items,
        "marginal": tally.marginal,
    }
    _write(path, "tally", said, np.ascontiguousarray(tally.counts, "<i8").tobytes())


def load_tally(path: StrPath, mechanism: Mechanism, *, label: str = "") -> Tally:
    """Read a tally of this mechanism that was written with this label.

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
    with _read(path, "tally") as (said, body):
        _same(said, mechanism=identity(mechanism), label=label)
        items = said["items"]
        if items is not None and not (isinstance(items, list) and isinstance(mechanism, OpenMechanism)):
            raise ValueError(f"its items are {items!r:.60}")
        items = None if items is None else tuple(items)
        counts = _array(body, "<i8", said["shape"]).astype(np.int64)
        return Tally(mechanism, said["n"], counts, items, check_flag(said["marginal"], "marginal"))


def save_state(kept: Kept, path: StrPath) -> None:
    """Write what clients keep to a file, in place of an older one; only its owner may read it."""
    said = {"mechanism": identity(kept.mechanism), "people": len(kept)}
    _write(path, "state", said, kept.rows.tobytes())


def load_state(path: StrPath, mechanism: Any) -> Kept:
    """Read what clients of this mechanism keep.

    Raises
    ------
    ValueError
        If the file is damaged, or was written for another mechanism.
    """
    with _read(path, "state") as (said, body):
        _same(said, mechanism=identity(mechanism))
        return Kept(mechanism, _array(body, mechanism.state_dtype, said["people"]))


# ------------------------------------------------------------------------------------------------------- accounts


class Account:
    """What one person has revealed, and may still reveal: ε over all mechanisms and all time, on the client's disk.

    A report is paid for before it is handed out: what it costs is on the disk first, so that a client that is killed at
    any moment may have paid for a report that nobody got, but never sends one that was not paid for.  Costs add,
    which is exact for independent reports whose worst pairs of values agree, and else a bound.  Reports of a mechanism
    that keeps a state (`RAPPOR`) on one value cost what they reveal together, `exposure`, which is less than their sum;
    the account keeps the state, too.

    Several processes may share an account.  Nobody is protected from who deletes the file, or restores an old one.

    Parameters
    ----------
    path : path
        Of the account; a new one is opened if there is none.  Beside it lies its lock, ``….lock``.
    limit : float
        ε of all reports together, that of the account if there is one.

    Raises
    ------
    ValueError
        If the file is damaged, or its limit is another one.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from ldpnb import GRR, SystemRandom
    >>> colour = GRR(k=3, epsilon=1.0)
    >>> with TemporaryDirectory() as folder:
    ...     account = Account(f"{folder}/account", limit=1.5)
    ...     report = account.report(colour, [2], rng=SystemRandom(), label="colour")
    ...     account.spent, account.left
    (1.0, 0.5)
    """

    def __init__(self, path: StrPath, *, limit: float) -> None:
        self.path, self.limit = Path(path), check_positive(limit, "limit")
        with self._locked():
            if self.path.exists():
                self._entries()
            else:
                self._store([])

    @property
    def spent(self) -> float:
        """ε of all reports so far, rounded up to a float."""
        return _up(_sum(self._entries()))

    @property
    def left(self) -> float:
        """What further reports may cost together, rounded down to a float."""
        return 0.0 - _up(_sum(self._entries()) - Fraction(self.limit))  # not −0

    @property
    def history(self) -> list[dict[str, Any]]:
        """What was asked: mechanism, label, number of reports, their ε together, first and last time (UTC)."""
        names = ("mechanism", "label", "reports", "epsilon", "first", "last")
        return [{name: entry[name] for name in names} for entry in self._entries()]

    def report(self, mechanism: Mechanism, values: Values, *, rng: Randomness, label: str = "") -> Reports:
        """Draw a report, pay for it, and hand it out.

        Parameters
        ----------
        mechanism : Mechanism
        values : array_like (1, …) or Records
            That of the person, as `perturb` takes it.
        rng : SystemRandom or numpy.random.Generator
        label : str
            What is asked.  Of a mechanism that keeps a state there is one for each label and value.

        Returns
        -------
        ndarray (1, …)

        Raises
        ------
        BudgetError
            If it would cost more than is left.
        ValueError
            If the value is refused, or the file is damaged; nothing is paid.
        """
        if len(values) != 1:
            raise ValueError(f"values must be those of one person, got {len(values)}")
        with self._locked():
            entries, about = self._entries(), {"mechanism": identity(mechanism), "label": label}
            drawn: Any  # a wrong value is refused before it is paid for
            if isinstance(mechanism, Memoising):
                about["value"] = np.asarray(values).tolist()[0]
                drawn = mechanism.memoise(values, rng=rng)  # thrown away if there is a state
            else:
                drawn = mechanism.perturb(values, rng=rng)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            entry = next((old for old in entries if about.items() <= old.items()), None)
            if entry is None:
                entry = {**about, "reports": 0, "epsilon": 0.0, "first": now}
                entries.append(entry)
            before, times = _sum(entries), entry["reports"] + 1
            if isinstance(mechanism, Memoising):
                rows = bytes.fromhex(entry.setdefault("state", drawn.rows.tobytes().hex()))
                cost = mechanism.exposure(times)
            else:
                cost = _up(times * Fraction(mechanism.epsilon))
            entry.update(reports=times, epsilon=cost, last=now)
            if _sum(entries) > Fraction(self.limit):
                left = 0.0 - _up(before - Fraction(self.limit))
                raise BudgetError(f"a report of {about['mechanism']} must cost at most the {left:.6g} that is left")
            self._store(entries)
        if isinstance(mechanism, Memoising):
            return mechanism.respond(Kept(mechanism, _array(rows, drawn.rows.dtype, 1)), rng=rng)
        return drawn  # type: ignore[no-any-return]

    def _entries(self) -> list[dict[str, Any]]:
        with _read(self.path, "account") as (said, _):
            _same(said, limit=self.limit)
            for entry in said["entries"]:
                check_positive(entry["epsilon"], "epsilon")
            return list(said["entries"])

    def _store(self, entries: list[dict[str, Any]]) -> None:
        _write(self.path, "account", {"limit": self.limit, "entries": entries})

    @contextmanager
    def _locked(self) -> Iterator[None]:
        file = os.open(self.path.with_name(f"{self.path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            lock(file, wait=True)
            yield
        finally:
            os.close(file)


def _sum(entries: list[dict[str, Any]]) -> Fraction:
    return sum((Fraction(entry["epsilon"]) for entry in entries), Fraction(0))


def _up(x: Fraction) -> float:
    found = float(x)
    return found if Fraction(found) >= x else nextafter(found, inf)
