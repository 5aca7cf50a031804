"""Reports between programs: each mechanism's as JSON lines, and their schema.

All follows from the mechanism's `layout`, so that a new mechanism is on the wire at once.  The
first line is a header, each further line a report, an object with the fields of the layout
(`report` where a report has none):

.. code-block:: text

    {"ldpnb":"reports","form":1,"mechanism":"OLH(k=9, epsilon=1.0)","label":"",
     "fields":["seed","slot"]}
    {"seed":[1890451206,77,204],"slot":3}

A header that names a wave has form 2, and ``"wave":"2026-W48"`` after the label.  Without a wave it
has form 1, as in 1.0.0: the form says whether there is one.

How an entry is written depends on its type alone, never on its value.  Integers are numbers; where
a field can exceed 2⁵³ − 1, the largest integer that JavaScript is sure of, they are decimal
strings, always.  A row of bits is a string of 0 and 1, which needs no bit order and no padding, and
compresses well.  A row of bytes (of `packed` mechanisms) is a string of hexadecimal digits.
Nothing is cast: what is not written so is refused.  A line is read in time that grows no faster
than its length: a name that comes twice is refused, and a number of more than 40 characters.

Labels, names and ids never travel in reports, which hold codes and hash values.  Which label a code
stands for, client and server agree on by the rule for columns of `ldpnb.survey.survey`: labels are
strings, bools or integers, told apart by type, and strings are equal if their code points are.

Reports in Parquet files are `save`'s; `schema` names the columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ldpnb.checks import check_bits, check_own_wave, shown
from ldpnb.collecting._given import SurveyQuestion, mechanism_of
from ldpnb.collecting.files import identity
from ldpnb.core import Mechanism, Reports
from ldpnb.oracles.asking import Asking

FORM = 1  # version of reports without a wave, which are written as by 1.0.0
WITH_WAVE = 2  # version of reports whose header names their wave; any other version is refused
SAFE = 2**53 - 1  # the largest integer that JavaScript is sure of
PLAIN = "report"  # name of what a report without fields holds
DECIMAL = re.compile("0|[1-9][0-9]*", re.ASCII)
HEADER = '"ldpnb"'  # a name that is in the first line, and in no report
# Characters of a number.  To read one takes Python longer than its length; fields have at most 20.
DIGITS = 40
BITS = "01"
BYTES = "0123456789abcdef"  # a byte has two of them
LETTERS = 60  # of a value in a message

Text = str | Iterable[str]
Object = dict[str, Any]  # of JSON
Entries = list[Any]  # of JSON: numbers, bools or texts, as the field has them


# ---------------------------------------------------------------------------------------- one field


@dataclass(frozen=True)
class Field:
    """A field of a layout: how an entry is written, and the rule for it."""

    name: str
    key: str  # of the JSON object
    kind: type[np.generic]
    values: int
    shape: tuple[int, ...]
    public: bool

    # --------------------------------------------------------------------- what kind of field it is

    @property
    def is_bit(self) -> bool:
        """Whether entries are bits."""
        return self.kind is np.bool_

    @property
    def is_sign(self) -> bool:
        """Whether entries are −1 and 1, with or without 0."""
        return self.kind is np.int8

    @property
    def row(self) -> bool:
        """Whether the last axis is one string, of bits or of bytes."""
        is_byte = self.kind is np.uint8 and self.values == 256
        return bool(self.shape) and (self.is_bit or is_byte)

    @property
    def wide(self) -> bool:
        """Whether an entry can exceed what JavaScript is sure of."""
        return self.values - 1 > SAFE

    @property
    def axes(self) -> tuple[int, ...]:
        """Lengths of the lists in which entries, or rows, are."""
        if self.row:
            return self.shape[:-1]
        return self.shape

    @property
    def rule(self) -> str:
        """What an entry, or a row of bits or bytes, must be."""
        if self.row and self.is_bit:
            return f"a string of {self.shape[-1]} digits 0 or 1"
        if self.row:
            return f"a string of {2 * self.shape[-1]} digits 0-f"
        if self.is_bit:
            return "true or false"
        if self.is_sign and self.values == 2:
            return "-1 or 1"
        if self.is_sign:
            return "-1, 0 or 1"
        rule = f"an integer in [0, {self.values})"
        if self.wide:
            return f"{rule}, as a decimal string"
        return rule

    # -------------------------------------------------------------------------------------- reading

    def right(self, x: Any) -> bool:
        """Whether this is an entry, or a row of bits or bytes."""
        if self.row:
            return self._is_row(x)
        if self.is_bit:
            return isinstance(x, bool)
        if self.wide:
            return self._is_decimal(x)
        if type(x) is not int:
            return False
        if self.is_sign:
            return abs(x) == 1 or (x == 0 and self.values == 3)
        return 0 <= x < self.values

    def _is_row(self, x: Any) -> bool:
        """Whether this is a string of the right length, of bits or of bytes."""
        if not isinstance(x, str):
            return False
        size = self.shape[-1]
        if self.is_bit:
            return len(x) == size and not x.strip(BITS)
        return len(x) == 2 * size and not x.strip(BYTES)

    def _is_decimal(self, x: Any) -> bool:
        """Whether this is an integer as a string; of a long one, reading might take long."""
        if not isinstance(x, str) or len(x) > len(str(self.values)):
            return False
        return bool(DECIMAL.fullmatch(x)) and int(x) < self.values

    def check(self, value: Any, into: Entries) -> None:
        """Append the entries of a report's field.

        Raises
        ------
        ValueError
            If it is not as the field has it.
        """
        self._walk(value, self.axes, self.key, into)

    def _walk(self, value: Any, axes: tuple[int, ...], where: str, into: Entries) -> None:
        if not axes:
            if not self.right(value):
                raise ValueError(f"{where} must be {self.rule}, got {_shown(value)}")
            into.append(value)
            return
        if not isinstance(value, list) or len(value) != axes[0]:
            raise ValueError(f"{where} must be a list of {axes[0]}, got {_shown(value)}")
        for i, one in enumerate(value):
            self._walk(one, axes[1:], f"{where}[{i}]", into)

    def array(self, entries: Entries, n: int) -> NDArray[Any]:
        """Return checked entries of n reports."""
        found: NDArray[Any]
        if self.row and self.is_bit:
            digits = np.frombuffer("".join(entries).encode(), np.uint8)
            found = digits == ord("1")
        elif self.row:
            found = np.frombuffer(bytes.fromhex("".join(entries)), np.uint8)
        elif self.wide:
            found = np.array([int(x) for x in entries], self.kind)
        else:
            found = np.array(entries, self.kind)
        return found.reshape(n, *self.shape)

    # -------------------------------------------------------------------------------------- writing

    def written(self, part: NDArray[Any]) -> Entries:
        """Return what JSON holds of each report."""
        found: Entries
        if self.row and self.is_bit:
            digits = np.where(part, "1", "0").reshape(-1, self.shape[-1])
            found = ["".join(row) for row in digits.tolist()]
        elif self.row:
            found = [row.tobytes().hex() for row in part.reshape(-1, self.shape[-1])]
        elif self.wide:
            found = [str(x) for x in part.ravel().tolist()]
        else:
            found = part.ravel().tolist()
        for size in reversed(self.axes):
            found = [found[i : i + size] for i in range(0, len(found), size)]
        return found

    # ----------------------------------------------------------------------------------- describing

    @property
    def described(self) -> Object:
        """The field's part of the schema."""
        least = -1 if self.is_sign else 0
        most = 1 if self.is_sign else self.values - 1
        return {
            "field": self.key,
            "public": self.public,
            "type": "bit" if self.is_bit else "integer",
            "least": least,
            "most": str(most) if self.wide else most,
            "shape": list(self.shape),
            "json": self.rule,
            "parquet": self._column_type(),
        }

    def _column_type(self) -> str:
        """Return the physical type of the column that `save` writes."""
        if not self.shape:
            return np.dtype(self.kind).name
        size = prod(self.shape)
        if self.is_bit:
            width = -(-size // 8)
        else:
            width = size * np.dtype(self.kind).itemsize
        return f"fixed_len_byte_array({width})"


def fields_of(mechanism: Mechanism) -> list[Field]:
    """Return the fields of a mechanism's reports, in their order.

    Raises
    ------
    ValueError
        If a field cannot be written.
    """
    found = []
    for name, (kind, values, *shape) in mechanism.layout.items():
        key = name or PLAIN
        size = int(values)
        if not _can_be_written(kind, size):
            rule = "bits, integers or int8 signs to be written"
            raise ValueError(f"{key} must be {rule}, got {kind.__name__}")
        public = name in mechanism.public_fields
        found.append(Field(name, key, kind, size, tuple(map(int, shape)), public))
    return found


def _can_be_written(kind: type[np.generic], values: int) -> bool:
    """Whether entries of a type, with so many values, are bits, integers or signs."""
    if kind is np.bool_:
        return True
    if kind is np.int8:
        return values in (2, 3)
    return np.dtype(kind).kind in "iu"


def _shown(value: Any) -> str:
    """Return a value as JSON, or the beginning of it."""
    text = json.dumps(value)
    if len(text) <= LETTERS:
        return text
    return f"{text[: LETTERS - 1]}…"


def _dumped(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


# --------------------------------------------------------------------------------- writing, reading


def schema(mechanism: Mechanism | SurveyQuestion) -> Object:
    """Describe a mechanism's reports, ready for JSON, to programs in other languages.

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

        A mechanism may have further rules, such as the number of ones; `from_wire` checks these,
        too.

    Examples
    --------
    >>> from ldpnb import HadamardBit
    >>> described = schema(HadamardBit(k=50, epsilon=1.0))
    >>> [(field["field"], field["json"]) for field in described["fields"]]
    [('row', 'an integer in [0, 64)'), ('bit', 'true or false')]
    """
    mechanism, _ = mechanism_of(mechanism, "")
    headers = {}
    for head in (header(mechanism), header(mechanism, wave="2026-W48")):
        headers[str(head["form"])] = list(head)
    return {
        "ldpnb": "schema",
        "form": FORM,
        "mechanism": identity(mechanism),
        "headers": headers,
        "fields": [field.described for field in fields_of(mechanism)],
    }


def to_wire(
    reports: Reports,
    mechanism: Mechanism | SurveyQuestion,
    *,
    label: str = "",
    wave: str | None = None,
) -> Iterator[str]:
    r"""Write reports as JSON lines.

    Parameters
    ----------
    reports : ndarray (n, …)
        As `perturb` returns them; n may be 0.  They are checked before the first line.
    mechanism : Mechanism, or question of a survey
        Whose reports they are.
    label : str
        What they are reports of, where the mechanism does not tell, as for `save`; of a question,
        its identity if nothing is said.
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
    >>> head, *lines = to_wire(np.array([2, 0]), GRR(k=3, epsilon=1.0), label="colour")
    >>> print(head.replace(',"label"', ',\n "label"'), *lines, sep="")
    {"ldpnb":"reports","form":1,"mechanism":"GRR(k=3, epsilon=1.0)",
     "label":"colour","fields":["report"]}
    {"report":2}
    {"report":0}
    <BLANKLINE>
    """
    mechanism, label = mechanism_of(mechanism, label)
    fields = fields_of(mechanism)
    head = header(mechanism, label, wave)
    checked = _judged(reports, mechanism)
    parts = []
    for field in fields:
        part = np.asarray(checked[field.name] if field.name else checked)
        parts.append(part)
    for field, part in zip(fields, parts, strict=True):
        if field.is_bit:
            check_bits(part, field.key)
        if field.is_sign and not all(map(field.right, np.unique(part).tolist())):
            raise ValueError(f"{field.key} must be {field.rule}, got others")
    return _lines(head, fields, parts)


def _lines(head: Object, fields: list[Field], parts: list[NDArray[Any]]) -> Iterator[str]:
    yield f"{_dumped(head)}\n"
    keys = [field.key for field in fields]
    columns = [field.written(part) for field, part in zip(fields, parts, strict=True)]
    for row in zip(*columns, strict=True):
        report = dict(zip(keys, row, strict=True))
        yield f"{_dumped(report)}\n"


def from_wire(
    lines: Text, mechanism: Mechanism | SurveyQuestion, *, label: str = "", wave: str | None = None
) -> Reports:
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
        That which the header must name; without one, it must name none, as those of 1.0.0.  Hand it
        to the question's `tally`, too: reports do not carry it.

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
    fields = fields_of(mechanism)
    head = header(mechanism, label, wave)
    entries: list[Entries] = [[] for _ in fields]
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
            got = "one that is nested too deeply"
            raise ValueError(f"line {number}: must be a report, got {got}") from None
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    if number == 0:
        raise ValueError("line 1: there must be a header, got no line at all")
    reports = _put_together(mechanism, fields, entries, number - 1)
    try:
        _judged(reports, mechanism)
    except ValueError:
        first, why = _culprit(reports, mechanism)
        raise ValueError(f"line {first + 2}: {why}") from None
    return reports


def _put_together(
    mechanism: Mechanism, fields: list[Field], entries: list[Entries], n: int
) -> Reports:
    """Return n reports from the entries of each of their fields."""
    arrays = [field.array(some, n) for field, some in zip(fields, entries, strict=True)]
    if "" in mechanism.layout:
        return arrays[0]
    reports = np.empty(n, mechanism.dtype)
    for field, array in zip(fields, arrays, strict=True):
        reports[field.name] = array
    return reports


def header(
    mechanism: Mechanism | SurveyQuestion, label: str = "", wave: str | None = None
) -> Object:
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
    >>> head = header(GRR(k=3, epsilon=1.0), "colour")
    >>> head["mechanism"], head["label"], head["fields"]
    ('GRR(k=3, epsilon=1.0)', 'colour', ['report'])
    """
    mechanism, label = mechanism_of(mechanism, label)
    head: Object = {
        "ldpnb": "reports",
        "form": FORM,
        "mechanism": identity(mechanism),
        "label": label,
    }
    if check_own_wave(wave) is not None:
        head["form"] = WITH_WAVE
        head["wave"] = wave
    head["fields"] = [name or PLAIN for name in mechanism.layout]
    return head


def sections(lines: Text) -> Iterator[tuple[str, list[str]]]:
    """Cut lines where a header begins, and yield its label and lines, ready for `from_wire`.

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
            label = found
            part = []
        elif not part:
            raise ValueError(f"line {number}: must be a header, got {shown(line)}")
        part.append(line)
    if part:
        yield label, part


def _split(lines: Text) -> Iterator[str]:
    """Yield lines without their ends."""
    given = lines
    if isinstance(given, str):
        given = given.removesuffix("\n").split("\n") if given else []
    try:
        each = iter(given)
    except TypeError:
        got = type(lines).__name__
        raise ValueError(f"lines must be a text or its lines, got {got}") from None
    for line in each:
        if not isinstance(line, str):
            cure = "open the file with encoding='utf-8'"
            raise ValueError(f"lines must be texts, got {type(line).__name__}: {cure}")
        yield line.removesuffix("\n").removesuffix("\r")


def _object(line: str) -> Object:
    """Read a line."""
    if not line.strip():
        raise ValueError("must be a JSON object, got an empty line")
    if line.startswith("\ufeff"):
        cure = "open the file with encoding='utf-8-sig'"
        raise ValueError(f"must be a JSON object, got a byte order mark: {cure}")
    try:
        found = JSON.decode(line)
    except json.JSONDecodeError as error:
        why = f"{error.msg} at column {error.colno}"
        raise ValueError(f"must be a JSON object, got {shown(line)}: {why}") from None
    if not isinstance(found, dict):
        raise ValueError(f"must be a JSON object, got {_shown(found)}")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> Object:
    """Make an object of its pairs, in one pass: strangers choose how many there are."""
    found: Object = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{_shown(name)} must be there once, got it twice")
        found[name] = value
    return found


def _constant(text: str) -> NoReturn:
    raise ValueError(f"must be JSON, which has no {text}")


def _integer(text: str) -> int:
    return int(_few(text))


def _float(text: str) -> float:
    return float(_few(text))


def _few(text: str) -> str:
    """Refuse numbers that are too long to be read quickly."""
    if len(text) > DIGITS:
        got = f"one of {len(text)}, {text[:20]}…"
        raise ValueError(f"numbers must have at most {DIGITS} characters, got {got}")
    return text


JSON = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_constant, parse_int=_integer, parse_float=_float
)


def _only(found: Object, keys: list[str]) -> None:
    """Refuse an object that has other names than these."""
    for key in keys:
        if key not in found:
            raise ValueError(f"{key} must be there, got the fields {_shown(list(found))}")
    for key in found:
        if key not in keys:
            raise ValueError(f"fields must be {_shown(keys)}, got an unknown one, {_shown(key)}")


def _same(found: Object, head: Object) -> None:
    """Refuse a header that is not the one asked for."""
    form = found.get("form")
    wave = found.get("wave")
    if head["form"] == FORM and form == WITH_WAVE and isinstance(wave, str):
        cure = "read these reports with wave=…"
        raise ValueError(f"wave must be none, got {_shown(wave)}: {cure}")
    if head["form"] == WITH_WAVE and form == FORM and "wave" not in found:
        got = f"a header of form {FORM}, which names none"
        raise ValueError(f"wave must be {_dumped(head['wave'])}, got {got}")
    _only(found, list(head))
    for key, value in head.items():
        if type(found[key]) is not type(value) or found[key] != value:
            raise ValueError(f"{key} must be {_dumped(value)}, got {_shown(found[key])}")


def _judged(reports: Reports, mechanism: Mechanism) -> Reports:
    """Return reports that keep all rules; only where rules need it, they are counted."""
    checked = mechanism._reports(reports)
    has_bytes = any(kind is np.uint8 for kind, *_ in mechanism.layout.values())
    if isinstance(mechanism, Asking) or has_bytes:
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

    # the first one that is wrong lies between; each step judges half as many
    first = 0
    end = len(reports)
    while end - first > 1:
        middle = (first + end) // 2
        if wrong(slice(first, middle)):
            end = middle
        else:
            first = middle
    return first, wrong(slice(first, first + 1))
