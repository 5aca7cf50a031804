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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ldpnb.chance import Randomness
from ldpnb.checks import check_flag, check_text, check_wave, shown
from ldpnb.collecting._disk import naming, patiently, put, resolved
from ldpnb.core import Kept, Mechanism, OpenMechanism, Reports, Tally, check_tally

FORM = 1  # version; a file of another one is refused
WITH_WAVE = 2  # version of a tally's file that names its wave; others are written as by 1.0.0
SUM = 32  # bytes of the checksum
LONGEST = 200  # characters of an identity; a longer one is cut and ends in a digest

StrPath = str | os.PathLike[str]


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


def write_file(
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
def read_file(path: Path, kind: str) -> Iterator[tuple[dict[str, Any], bytes]]:
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


def check_same(said: Mapping[str, Any], **asked: Any) -> None:
    """Refuse a file that says something else than what is asked for."""
    for name, value in asked.items():
        if said[name] != value:
            got = shown(said[name], most=LONGEST // 2)
            wanted = shown(value, most=LONGEST // 2)
            raise ValueError(f"its {name} is {got}, not {wanted}")


def array_of(body: bytes, dtype: DTypeLike, shape: Any) -> NDArray[Any]:
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
    write_file(resolved(path), "tally", said, counts.tobytes(), form=form)


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
    with read_file(resolved(path), "tally") as (said, body):
        check_same(said, mechanism=identity(mechanism), label=label)
        items = said["items"]
        if items is not None:
            if not isinstance(items, list) or not isinstance(mechanism, OpenMechanism):
                raise ValueError(f"its items are {shown(items)}")
            items = tuple(items)
        counts = array_of(body, "<i8", said["shape"]).astype(np.int64)
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
    write_file(resolved(path), "state", said, kept.rows.tobytes())


def load_state(path: StrPath, mechanism: Any) -> Kept:
    """Read what clients of this mechanism keep.

    Raises
    ------
    ValueError
        If the file is damaged, or was written for another mechanism.
    """
    with read_file(resolved(path), "state") as (said, body):
        check_same(said, mechanism=identity(mechanism))
        return Kept(mechanism, array_of(body, mechanism.state_dtype, said["people"]))
