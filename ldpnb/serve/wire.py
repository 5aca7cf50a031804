"""Reports between programs: each mechanism's as JSON lines, and their schema.

All follows from the mechanism's `layout`, so that a new mechanism is on the wire at once.  The first line is a header,
each further line a report, an object with the fields of the layout (`report` where a report has none):

.. code-block:: text

    {"ldpnb":"reports","form":1,"mechanism":"OLH(k=100, epsilon=1.0)","label":"colour","fields":["seed","slot"]}
    {"seed":[1890451206,77,204],"slot":3}

A header that names a wave has form 2, and ``"wave":"2026-W48"`` after the label.  Without a wave it has form 1, as in
1.0.0: the form says whether there is one.

How an entry is written depends on its type alone, never on its value.  Integers are numbers; where a field can exceed
2⁵³ − 1, the largest integer that JavaScript is sure of, they are decimal strings, always.  A row of bits is a string of
0 and 1, which needs no bit order and no padding, and compresses well.  A row of bytes (of `packed` mechanisms) is a
string of hexadecimal digits.  Nothing is cast: what is not written so is refused.  A line is read in time that grows
no faster than its length: a name that comes twice is refused, and a number of more than 40 characters.

Labels, names and ids never travel in reports, which hold codes and hash values.  Which label a code stands for, client
and server agree on by the rule for columns of `ldpnb.serve.survey`: labels are strings, bools or integers, told apart
by type, and strings are equal if their code points are.

Reports in Parquet files are `save`'s; `schema` names the columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldpnb.checks import check_bits, check_own_wave, shown
from ldpnb.core import Mechanism, Reports
from ldpnb.oracles.asking import Asking
from ldpnb.serve._asked import Asked, mechanism_of
from ldpnb.serve.keeping import identity

FORM = 1  # version; reports of another one are refused
WITH_WAVE = 2  # version of reports whose header names their wave; those without a wave are written as by 1.0.0
SAFE = 2**53 - 1  # the largest integer that JavaScript is sure of
PLAIN = "report"  # name of what a report without fields holds
DECIMAL = re.compile("0|[1-9][0-9]*", re.ASCII)
HEADER = '"ldpnb"'  # a name that is in the first line, and in no report
DIGITS = 40  # characters of a number; to read one takes Python longer than its length, and no field has more than 20

Text = str | Iterable[str]


# -------------------------------------------------------------------------------------------------- one field


@dataclass(frozen=True)
class Field:
    """A field of a layout: how an entry is written, and the rule for it."""

    name: str
    key: str  # of the JSON object
    kind: Any
    values: int
    shape: tuple[int, ...]
    public: bool

    @property
    def row(self) -> bool:
        """Whether the last axis is one string."""
        return bool(self.shape) and (self.kind is np.bool_ or (self.kind is np.uint8 and self.values == 256))

    @property
    def wide(self) -> bool:
        """Whether an entry can exceed what JavaScript is sure of."""
        return self.values - 1 > SAFE

    @property
    def rule(self) -> str:
        """What an entry, or a row of bits or bytes, must be."""
        if self.row:
            size = self.shape[-1]
            return (
                f"a string of {size} digits 0 or 1" if self.kind is np.bool_ else f"a string of {2 * size} digits 0-f"
            )
        if self.kind is np.bool_:
            return "true or false"
        if self.kind is np.int8:
            return "-1 or 1" if self.values == 2 else "-1, 0 or 1"
        return f"an integer in [0, {self.values})" + ", as a decimal string" * self.wide

    def right(self, x: Any) -> bool:
        """Whether this is an entry, or a row of bits or bytes."""
        if self.row:
            digits, size = ("01", 1) if self.kind is np.bool_ else ("0123456789abcdef", 2)
            return isinstance(x, str) and len(x) == size * self.shape[-1] and not x.strip(digits)
        if self.kind is np.bool_:
            return isinstance(x, bool)
        if self.wide:  # without the length, reading the digits might take long
            few = isinstance(x, str) and len(x) <= len(str(self.values)) and DECIMAL.fullmatch(x)
            return bool(few) and int(x) < self.values
        if type(x) is not int:
            return False
        return (abs(x) == 1 or (x == 0 and self.values == 3)) if self.kind is np.int8 else 0 <= x < self.values

    def check(self, value: Any, into: list[Any]) -> None:
        """Append the entries of a report's field."""
        self._walk(value, self.shape[:-1] if self.row else self.shape, self.key, into)

    def _walk(self, value: Any, shape: tuple[int, ...], where: str, into: list[Any]) -> None:
        if not shape:
            if not self.right(value):
                raise ValueError(f"{where} must be {self.rule}, got {_shown(value)}")
            into.append(value)
        elif not isinstance(value, list) or len(value) != shape[0]:
            raise ValueError(f"{where} must be a list of {shape[0]}, got {_shown(value)}")
        else:
            for i, one in enumerate(value):
                self._walk(one, shape[1:], f"{where}[{i}]", into)

    def array(self, entries: list[Any], n: int) -> NDArray[Any]:
        """Return checked entries of n reports."""
        if self.row and self.kind is np.bool_:
            found: NDArray[Any] = np.frombuffer("".join(entries).encode(), np.uint8) == ord("1")
        elif self.row:
            found = np.frombuffer(bytes.fromhex("".join(entries)), np.uint8)
        else:
            found = np.array([int(x) for x in entries] if self.wide else entries, self.kind)
        return found.reshape(n, *self.shape)

    def written(self, part: NDArray[Any]) -> list[Any]:
        """Return what JSON holds of each report."""
        if not self.row:
            flat = part.ravel().tolist()
            found = [str(x) for x in flat] if self.wide else flat
        elif self.kind is np.bool_:
            digits, size = np.where(part, "1", "0"), self.shape[-1]
            found = ["".join(row) for row in digits.reshape(-1, size).tolist()]
        else:
            found = [row.tobytes().hex() for row in part.reshape(-1, self.shape[-1])]
        for size in reversed(self.shape[:-1] if self.row else self.shape):
            found = [found[i : i + size] for i in range(0, len(found), size)]
        return found

    @property
    def described(self) -> dict[str, Any]:
        """The field's part of the schema."""
        least, most = (-1, 1) if self.kind is np.int8 else (0, self.values - 1)
        size = prod(self.shape)
        bits = self.kind is np.bool_
        width = -(-size // 8) if bits else size * np.dtype(self.kind).itemsize
        return {
            "field": self.key,
            "public": self.public,
            "type": "bit" if bits else "integer",
            "least": least,
            "most": str(most) if self.wide else most,
            "shape": list(self.shape),
            "json": self.rule,
            "parquet": f"fixed_len_byte_array({width})" if self.shape else np.dtype(self.kind).name,
        }


def fields_of(mechanism: Mechanism) -> list[Field]:
    """Return the fields of a mechanism's reports, in their order."""
    found = []
    for name, (kind, values, *shape) in mechanism.layout.items():
        size, signs = int(values), kind is np.int8
        if kind is not np.bool_ and (np.dtype(kind).kind not in "iu" or (signs and size not in (2, 3))):
            raise ValueError(f"{name or PLAIN} must be bits, integers or int8 signs to be written, got {kind.__name__}")
        found.append(Field(name, name or PLAIN, kind, size, tuple(map(int, shape)), name in mechanism.public_fields))
    return found


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _dumped(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


# --------------------------------------------------------------------------------------------- writing, reading


def schema(mechanism: Mechanism | Asked) -> dict[str, Any]:
    """Describe a mechanism's reports: what a program in another language needs to write them, ready for JSON.

    Parameters
    ----------
    mechanism : Mechanism, or question of a survey

    Returns
    -------
    dict
        ``mechanism`` (`identity`), ``form``, the version, ``headers``, the names that the header
        has in each version, and ``fields``. Each field has its name, whether it is public, its
        type, the least and the largest value, the shape of its axes, the rule for JSON (of an
        entry, or of a row of bits or bytes, the last axis), and the physical type of the Parquet
        column that `save` writes. There, rows of bits are packed, the first into the highest bit,
        and other rows are little-endian integers.

        A mechanism may have further rules, such as the number of ones; `from_wire` checks these, too.

    Examples
    --------
    >>> from ldpnb import HadamardBit
    >>> [(field["field"], field["json"]) for field in schema(HadamardBit(k=50, epsilon=1.0))["fields"]]
    [('row', 'an integer in [0, 64)'), ('bit', 'true or false')]
    """
    mechanism, _ = mechanism_of(mechanism, "")
    fields = [field.described for field in fields_of(mechanism)]
    headers = {str(head["form"]): [*head] for head in (header(mechanism), header(mechanism, wave="2026-W48"))}
    return {
        "ldpnb": "schema",
        "form": FORM,
        "mechanism": identity(mechanism),
        "headers": headers,
        "fields": fields,
    }


def to_wire(
    reports: Reports, mechanism: Mechanism | Asked, *, label: str = "", wave: str | None = None
) -> Iterator[str]:
    r"""Write reports as JSON lines.

    Parameters
    ----------
    reports : ndarray (n, …)
        As `perturb` returns them; n may be 0.  They are checked before the first line.
    mechanism : Mechanism, or question of a survey
        Whose reports they are.
    label : str
        What they are reports of, where the mechanism does not tell, as for `save`; of a question, its identity if
        nothing is said.
    wave : str, optional
        When they were asked for, as "2026-W48".

    Returns
    -------
    iterator of str
        Lines with their ends, the header first: for ``file.writelines``, or ``"".join``.

    Raises
    ------
    ValueError
        If a report cannot come from this mechanism's client.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> for line in to_wire(np.array([2, 0]), GRR(k=3, epsilon=1.0), label="colour"):
    ...     print(line, end="")
    {"ldpnb":"reports","form":1,"mechanism":"GRR(k=3, epsilon=1.0)","label":"colour","fields":["report"]}
    {"report":2}
    {"report":0}
    """
    mechanism, label = mechanism_of(mechanism, label)
    fields, head = fields_of(mechanism), header(mechanism, label, wave)
    checked = _judged(reports, mechanism)
    parts = [np.asarray(checked[field.name] if field.name else checked) for field in fields]
    for field, part in zip(fields, parts, strict=True):
        if field.kind is np.bool_:
            check_bits(part, field.key)
        if field.kind is np.int8 and not all(map(field.right, np.unique(part).tolist())):
            raise ValueError(f"{field.key} must be {field.rule}, got others")
    return _lines(head, fields, parts)


def _lines(head: dict[str, Any], fields: list[Field], parts: list[NDArray[Any]]) -> Iterator[str]:
    yield f"{_dumped(head)}\n"
    keys = [field.key for field in fields]
    columns = [field.written(part) for field, part in zip(fields, parts, strict=True)]
    for row in zip(*columns, strict=True):
        yield f"{_dumped(dict(zip(keys, row, strict=True)))}\n"


def from_wire(lines: Text, mechanism: Mechanism | Asked, *, label: str = "", wave: str | None = None) -> Reports:
    """Read reports from JSON lines.

    Parameters
    ----------
    lines : str or iterable of str
        A text, or its lines with or without their ends, such as an open file.
    mechanism : Mechanism, or question of a survey
        Whose reports they must be.
    label : str
        With which they must have been written; of a question, its identity if nothing is said.
    wave : str, optional
        That which the header must name; without one, it must name none, as those of 1.0.0.  Hand it to the question's
        `tally`, too: reports do not carry it.

    Returns
    -------
    ndarray (n, …)
        As `perturb` returns them; `tally` takes them.

    Raises
    ------
    ValueError
        If the header names another version, mechanism, label or wave, or a line is not a report of
        this mechanism. The text says which line, which field, and the rule.

    Examples
    --------
    >>> from ldpnb import HadamardBit
    >>> oracle = HadamardBit(k=50, epsilon=1.0)
    >>> text = "".join(to_wire(oracle.perturb([7, 7], rng=np.random.default_rng(0)), oracle))
    >>> from_wire(text, oracle).shape
    (2,)
    >>> from_wire(text + '{"row":1.9,"bit":true}', oracle)
    Traceback (most recent call last):
    ValueError: line 4: row must be an integer in [0, 64), got 1.9
    """
    mechanism, label = mechanism_of(mechanism, label)
    fields, head = fields_of(mechanism), header(mechanism, label, wave)
    entries: list[list[Any]] = [[] for _ in fields]
    number = 0
    for number, line in enumerate(_split(lines), 1):
        try:
            found = _object(line)
            if number == 1:
                _same(found, head)
                continue
            _only(found, [field.key for field in fields])
            for field, into in zip(fields, entries, strict=True):
                field.check(found[field.key], into)
        except RecursionError:
            raise ValueError(f"line {number}: must be a report, got one that is nested too deeply") from None
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    if number == 0:
        raise ValueError("line 1: there must be a header, got no line at all")
    n = number - 1
    arrays = [field.array(some, n) for field, some in zip(fields, entries, strict=True)]
    if "" in mechanism.layout:
        reports = arrays[0]
    else:
        reports = np.empty(n, mechanism.dtype)
        for field, array in zip(fields, arrays, strict=True):
            reports[field.name] = array
    try:
        _judged(reports, mechanism)
    except ValueError:
        first, why = _culprit(reports, mechanism)
        raise ValueError(f"line {first + 2}: {why}") from None
    return reports


def header(mechanism: Mechanism | Asked, label: str = "", wave: str | None = None) -> dict[str, Any]:
    """Return the header, the first line, ready for JSON: clients are built with it.

    Parameters
    ----------
    mechanism : Mechanism, or question of a survey
        Whose reports follow.
    label : str
        As in `to_wire`.
    wave : str, optional
        As in `to_wire`; the header then has form 2.

    Raises
    ------
    ValueError
            If the label is no text, or has surrogates (half characters), or the wave is blank.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> print(json.dumps(header(GRR(k=3, epsilon=1.0), "colour")))
    {"ldpnb": "reports", "form": 1, "mechanism": "GRR(k=3, epsilon=1.0)", "label": "colour", "fields": ["report"]}
    """
    mechanism, label = mechanism_of(mechanism, label)
    fields = [name or PLAIN for name in mechanism.layout]
    head: dict[str, Any] = {"ldpnb": "reports", "form": FORM, "mechanism": identity(mechanism), "label": label}
    if check_own_wave(wave) is not None:
        head["form"] = WITH_WAVE
        head["wave"] = wave
    return head | {"fields": fields}


def sections(lines: Text) -> Iterator[tuple[str, list[str]]]:
    """Cut lines where a header begins: the label of each header, and its lines, ready for `from_wire`.

    Parameters
    ----------
    lines : str or iterable of str
        One or several texts of `to_wire`, one after the other.

    Raises
    ------
    ValueError
        If the first line is no header, or a header has no label.
    """
    label = ""
    part: list[str] = []
    for number, line in enumerate(_split(lines), 1):
        if HEADER in line:  # no report has such a name
            if part:
                yield label, part
            try:
                found = _object(line).get("label")
            except (ValueError, RecursionError) as error:
                raise ValueError(f"line {number}: {error}") from None
            if not isinstance(found, str):
                raise ValueError(f"line {number}: label must be a text, got {_shown(found)}")
            label, part = found, []
        elif not part:
            raise ValueError(f"line {number}: must be a header, got {shown(line)}")
        part.append(line)
    if part:
        yield label, part


def _split(lines: Text) -> Iterator[str]:
    if isinstance(lines, str):
        lines = lines.removesuffix("\n").split("\n") if lines else []
    try:
        each = iter(lines)
    except TypeError:
        raise ValueError(f"lines must be a text or its lines, got {type(lines).__name__}") from None
    for line in each:
        if not isinstance(line, str):
            raise ValueError(f"lines must be texts, got {type(line).__name__}: open the file with encoding='utf-8'")
        yield line.removesuffix("\n").removesuffix("\r")


def _object(line: str) -> dict[str, Any]:
    if not line.strip():
        raise ValueError("must be a JSON object, got an empty line")
    if line.startswith("\ufeff"):
        raise ValueError("must be a JSON object, got a byte order mark: open the file with encoding='utf-8-sig'")
    try:
        found = JSON.decode(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"must be a JSON object, got {shown(line)}: {error.msg} at column {error.colno}") from None
    if not isinstance(found, dict):
        raise ValueError(f"must be a JSON object, got {_shown(found)}")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs, in one pass: strangers choose how many there are."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{_shown(name)} must be there once, got it twice")
        found[name] = value
    return found


def _constant(text: str) -> Any:
    raise ValueError(f"must be JSON, which has no {text}")


def _integer(text: str) -> int:
    return int(_few(text))


def _float(text: str) -> float:
    return float(_few(text))


def _few(text: str) -> str:
    if len(text) > DIGITS:
        raise ValueError(f"numbers must have at most {DIGITS} characters, got one of {len(text)}, {text[:20]}…")
    return text


JSON = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant, parse_int=_integer, parse_float=_float)


def _only(found: dict[str, Any], keys: list[str]) -> None:
    for key in keys:
        if key not in found:
            raise ValueError(f"{key} must be there, got the fields {_shown(list(found))}")
    for key in found:
        if key not in keys:
            raise ValueError(f"fields must be {_shown(keys)}, got an unknown one, {_shown(key)}")


def _same(found: dict[str, Any], head: dict[str, Any]) -> None:
    if head["form"] == FORM and found.get("form") == WITH_WAVE and isinstance(found.get("wave"), str):
        raise ValueError(f"wave must be none, got {_shown(found['wave'])}: read these reports with wave=…")
    if head["form"] == WITH_WAVE and found.get("form") == FORM and "wave" not in found:
        raise ValueError(f"wave must be {_dumped(head['wave'])}, got a header of form {FORM}, which names none")
    _only(found, list(head))
    for key, value in head.items():
        if type(found[key]) is not type(value) or found[key] != value:
            raise ValueError(f"{key} must be {_dumped(value)}, got {_shown(found[key])}")


def _judged(reports: Reports, mechanism: Mechanism) -> Reports:
    """Return reports that keep all rules; they are counted only where rules are checked on the way."""
    checked = mechanism._reports(reports)
    if isinstance(mechanism, Asking) or any(kind is np.uint8 for kind, *_ in mechanism.layout.values()):
        mechanism.tally(reports)
    return checked


def _culprit(reports: Reports, mechanism: Mechanism) -> tuple[int, str]:
    """Find the first report that breaks a rule, and say which."""

    def wrong(some: slice) -> str:
        try:
            _judged(reports[some], mechanism)
        except ValueError as error:
            return str(error)
        return ""

    first, end = 0, len(reports)  # the first one that is wrong lies between; each step judges half as many
    while end - first > 1:
        middle = (first + end) // 2
        if wrong(slice(first, middle)):
            end = middle
        else:
            first = middle
    return first, wrong(slice(first, first + 1))
