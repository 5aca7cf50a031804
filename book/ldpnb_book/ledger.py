"""Check lines, and verdicts on the papers' claims."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

VERDICTS = ("reproduced", "reproduced under conditions", "not reproduced", "corrected", "undecidable")
GRADES = ("certain", "probable", "convention")


# ---------------------------------------------------------------------------------------------- checks


def check(label: str, statement: str, holds: bool | np.bool_, *, control: str, caught: bool | np.bool_) -> None:
    """Print one line that says a statement holds, and that the check would have noticed if it did not.

    Parameters
    ----------
    label
        What is checked, as the text numbers it: ``"Theorem 1.1"``.
    statement
        What was found, in a few words and rounded numbers.
    holds
        Whether the statement is true.
    control
        The deliberate mistake that the same computation was run on.
    caught
        Whether the mistake made the computation fail, as it must.

    Raises
    ------
    AssertionError
        If the statement does not hold, or the control went unnoticed; the text starts with ``FAIL``.
    ValueError
        If `holds` or `caught` is not a bool, or a text is empty.
    """
    for name, text in (("label", label), ("statement", statement), ("control", control)):
        _text(name, text)
    right, noticed = _truth("holds", holds), _truth("caught", caught)
    line = f"{label}  {statement}  (control: {control}, {'caught' if noticed else 'NOT caught'})"
    if not (right and noticed):
        raise AssertionError(f"FAIL  {line}")
    print(f"PASS  {line}")


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} must be a text that is not empty, got {value!r}")
    return value


# ---------------------------------------------------------------------------------------------- ledger


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """A printed statement that is wrong, with the right one."""

    grade: str
    printed: str
    right: str


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What a claim was tried on, or what is proved in its place: the sentence, and whether it was found true."""

    says: str
    found: bool


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim of a paper with its reviewed verdict; `holds` and `instead` name each condition by a short key."""

    id: str
    place: str
    claim: str
    verdict: str
    holds: dict[str, Condition] = field(default_factory=dict)
    instead: dict[str, Condition] = field(default_factory=dict)
    missing: str | None = None
    note: str | None = None
    erratum: Erratum | None = None


@dataclass(frozen=True, kw_only=True)
class Slip:
    """A slip of the pen: noted, but nothing to prove; `here` names labels of the book that show the right version."""

    place: str
    grade: str
    printed: str
    right: str
    here: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Part:
    """A section of a paper, or a figure, table, algorithm or mechanism in it, and where the book treats it.

    A part that the book does not treat has a reason instead, `why`.
    A section of which neither is said is treated where its claims are settled.
    """

    place: str
    about: str
    here: tuple[str, ...] = ()
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Paper:
    """The claims of one paper, and its parts; `definitions`, and settings, say what cannot be right or wrong."""

    key: str
    title: str
    authors: str
    cite: str
    read: str
    claims: tuple[Claim, ...]
    slips: tuple[Slip, ...]
    sections: tuple[Part, ...]
    exhibits: tuple[Part, ...]
    definitions: tuple[Part, ...]


def verdict(
    holds: Mapping[str, bool] | None = None,
    *,
    instead: Mapping[str, bool] | None = None,
    missing: str | None = None,
) -> str:
    """Return the verdict that follows from what was computed.

    Parameters
    ----------
    holds
        Condition under which the claim was tried -> whether it held there.
    instead
        Statement proved in the claim's place -> whether it holds; only for a claim that holds nowhere.
    missing
        What the paper leaves out, where the claim cannot be tried at all; excludes the other two.

    Returns
    -------
    str
        One of `VERDICTS`: all of `holds` true gives "reproduced", some "reproduced under conditions",
        none "not reproduced", or "corrected" if `instead` is given; `missing` alone gives "undecidable".

    Raises
    ------
    ValueError
        If the arguments do not fit together, or a statement in `instead` is false.
    """
    if missing is not None:
        _text("missing", missing)
        if holds or instead:
            raise ValueError("missing excludes holds and instead: a claim is tried or it is undecidable")
        return VERDICTS[4]
    if not holds:
        raise ValueError(f"holds must name at least one condition, got {holds!r}")
    found = [_truth(f"holds[{name!r}]", value) for name, value in holds.items()]
    if instead:
        for name, value in instead.items():
            if not _truth(f"instead[{name!r}]", value):
                raise ValueError(f"instead must hold, got False for {name!r}")
        if any(found):
            raise ValueError("instead is for a claim that holds under no condition; some of holds are true")
        return VERDICTS[3]
    return VERDICTS[0] if all(found) else VERDICTS[1] if any(found) else VERDICTS[2]


def settle(
    claim: str,
    holds: Mapping[str, bool | np.bool_] | None = None,
    *,
    instead: Mapping[str, bool | np.bool_] | None = None,
    control: tuple[str, bool | np.bool_] | None = None,
) -> None:
    """Settle a claim of the ledger: compare what was computed with what was reviewed, and print the verdict.

    Parameters
    ----------
    claim
        Identifier in ``book/claims``, for example ``"ye2018.wrr-mle"``.
    holds, instead
        As in `verdict`, by key: the ledger has the sentences. Keys and booleans must be the ledger's, in any order.
        An undecidable claim has neither; the ledger says what is missing.
    control
        A deliberate mistake, and whether the same test noticed it. In a dossier only a claim that is corrected may go
        without, where one test was run on the printed statement, which fails, and on the right one.

    Raises
    ------
    AssertionError
        If the computed booleans differ from the reviewed ones, or the control went unnoticed.
    ValueError
        If the ledger has no such claim, or the claim has other keys.
    """
    papers = {paper.key: paper for paper in read_claims(shelf("claims"))}
    paper = papers.get(claim.partition(".")[0])
    entry = next((c for c in paper.claims if c.id == claim), None) if paper else None
    if entry is None:
        raise ValueError(f"claim must be an identifier of the ledger, got {claim!r}")
    differences = []
    for part, reviewed, found in (("holds", entry.holds, holds or {}), ("instead", entry.instead, instead or {})):
        if found.keys() != reviewed.keys():
            raise ValueError(f"{claim}: {part} must have the keys {[*reviewed]}, got {[*found]}")
        for key, condition in reviewed.items():
            computed = _truth(f"{part}[{key!r}]", found[key])
            if computed != condition.found:
                differences.append(f"{part}[{key!r}] ({condition.says}): ledger {condition.found}, computed {computed}")
    if differences:
        raise AssertionError(f"{claim} differs from the ledger. " + "; ".join(differences))
    if control and not _truth("control", control[1]):
        raise AssertionError(f"{claim}: control NOT caught: {control[0]}")
    _settled.append(claim)
    if not control:
        print(f"{claim}  {entry.place}  {outcome(entry)}")
        return
    print(f"{claim.partition('.')[2]}: {entry.verdict}")
    for condition in (entry.holds | entry.instead).values():
        print(f"  {'✓' if condition.found else '✗'} {condition.says}")
    print(f"  control: {control[0]}, caught")


_settled: list[str] = []  # claims in the order of this run, for `close`


def close(paper: str, place: str, counted: str) -> None:
    """Close a section of a dossier: all claims that begin there are settled, and the heading of the fold counts them.

    Parameters
    ----------
    paper
        Key of the paper.
    place
        A section such as ``"§3.1"``, with all below it.
    counted
        What the heading says, for example ``"2 reproduced, 1 corrected"``.

    Raises
    ------
    AssertionError
        If a claim is missing, or the count is another.
    """
    entries = next(p for p in read_claims(shelf("claims")) if p.key == paper).claims
    here = [c for c in entries if re.match(rf"{re.escape(place)}(?![\w])", c.place)]
    if missing := [c.id for c in here if c.id not in _settled]:
        raise AssertionError(f"{place}: not settled: {', '.join(missing)}")
    number = Counter(c.verdict for c in here)
    said = ", ".join(f"{number[verdict]} {verdict}" for verdict in VERDICTS if number[verdict])
    if said != counted:
        raise AssertionError(f"{place}: the heading says {counted!r}, the ledger {said!r}")
    print(f"— {place}: {said}")


def outcome(claim: Claim) -> str:
    """Return a claim's verdict in one line, with the conditions that a reader needs to understand it."""
    yes, no = ("; ".join(c.says for c in claim.holds.values() if c.found is side) for side in (True, False))
    reason = {
        VERDICTS[0]: "",
        VERDICTS[1]: f"  (holds: {yes}. fails: {no})",
        VERDICTS[2]: f"  (fails: {no})",
        VERDICTS[3]: f"  (instead: {'; '.join(c.says for c in claim.instead.values())})",
        VERDICTS[4]: f"  (missing: {claim.missing})",
    }
    return claim.verdict + reason[claim.verdict]


def repository() -> Path | None:
    """Return the book's repository: above the working directory or around the package; None for a bare download."""
    for root in (Path.cwd(), *Path.cwd().parents, Path(__file__).resolve().parents[2]):
        if (root / "book" / "claims").is_dir():
            return root
    return None


def shelf(name: str) -> Path:
    """Return the folder of the book's ``claims`` or its ``recorded`` results.

    It lies in the book's repository, or, where there is none, beside this file, where the wheel puts it.
    """
    root = repository()
    return root / "book" / name if root else Path(__file__).with_name(name)


def read_claims(folder: Path) -> list[Paper]:
    """Read and check the ledger.

    Parameters
    ----------
    folder
        Folder of one YAML file per paper, named after the paper's key.

    Returns
    -------
    list of Paper
        In the order of the file names.

    Raises
    ------
    ValueError
        If a file breaks the rules: unknown or missing field, a condition that is not ``key: {true: sentence}`` or
        ``key: {false: sentence}``, a key used twice in a claim, a verdict that does not follow from its booleans, an
        identifier that is used twice or does not start with the paper's key, a part that is listed twice,
        a part with both a place in the book and a reason, or an exhibit with neither.
    """
    papers = [_paper(path.name, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.yml"))]
    ids = [claim.id for paper in papers for claim in paper.claims]
    if twice := sorted({i for i in ids if ids.count(i) > 1}):
        raise ValueError(f"claim identifiers must be unique, got twice: {', '.join(twice)}")
    return papers


@lru_cache(32)  # a dossier settles dozens of claims, each from the files as they are then
def _paper(where: str, text: str) -> Paper:
    content = _load(where, text)
    _fields(where, content, {"paper", "claims"}, {"slips", "sections", "exhibits", "definitions"})
    head = content["paper"]
    _fields(f"{where}: paper", head, {"key", "title", "authors", "cite", "read"}, set())
    for name, text in head.items():
        _text(f"{where}: paper: {name}", text)
    if f"{head['key']}.yml" != where:
        raise ValueError(f"{where}: key must be the file's name, got {head['key']!r}")
    claims = tuple(_claim(f"{where}: {c.get('id', c)}", c, head["key"]) for c in content["claims"])
    slips = tuple(_slip(f"{where}: slips[{i}]", s) for i, s in enumerate(content.get("slips") or []))
    parts: dict[str, Any] = {
        n: _parts(f"{where}: {n}", content.get(n) or []) for n in ("sections", "exhibits", "definitions")
    }
    for part in parts["exhibits"]:
        if not (part.here or part.why):
            raise ValueError(f"{where}: exhibits: {part.place}: must have here or why")
    return Paper(**head, **parts, claims=claims, slips=slips)


def _load(where: str, text: str) -> Any:
    """Read YAML; what a mapping names twice is an error, since the first of the two would be lost without a word."""
    import yaml  # type: ignore[import-untyped]

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            names = [key.value for key, _ in node.value]
            if twice := sorted({name for name in names if names.count(name) > 1}):
                raise ValueError(f"{where}: line {node.start_mark.line + 1}: named twice: {', '.join(twice)}")
            return super().construct_mapping(node, deep)

    return yaml.load(text, Loader)


def _parts(where: str, entries: list[dict[str, Any]]) -> tuple[Part, ...]:
    found = []
    for i, entry in enumerate(entries):
        at = f"{where}[{i}]"
        _fields(at, entry, {"place", "about"}, {"here", "why"})
        for name in ("place", "about", *(n for n in ("why",) if n in entry)):
            _text(f"{at}: {name}", entry[name])
        if "here" in entry and "why" in entry:
            raise ValueError(f"{at}: must not have both here and why")
        found.append(Part(**(entry | {"here": _labels(at, entry)})))
    places = [part.place for part in found]
    if twice := sorted({place for place in places if places.count(place) > 1}):
        raise ValueError(f"{where}: listed twice: {', '.join(twice)}")
    return tuple(found)


def _claim(where: str, entry: dict[str, Any], key: str) -> Claim:
    _fields(where, entry, {"id", "place", "claim", "verdict"}, {"holds", "instead", "missing", "note", "erratum"})
    for name in ("id", "place", "claim", *(n for n in ("missing", "note") if n in entry)):
        _text(f"{where}: {name}", entry[name])
    if not entry["id"].startswith(key + "."):
        raise ValueError(f"{where}: id must start with {key + '.'!r}")
    holds, instead = (_conditions(f"{where}: {part}", entry.get(part, {})) for part in ("holds", "instead"))
    if both := holds.keys() & instead.keys():
        raise ValueError(f"{where}: holds and instead must have keys of their own, got {sorted(both)} in both")
    found, proved = ({key: c.found for key, c in part.items()} for part in (holds, instead))
    follows = verdict(found, instead=proved, missing=entry.get("missing"))
    if entry["verdict"] != follows:
        raise ValueError(f"{where}: verdict must follow from the booleans: {follows!r}, got {entry['verdict']!r}")
    if follows == "corrected" and "erratum" not in entry:
        raise ValueError(f"{where}: a corrected claim must have an erratum")
    fields = entry | {"holds": holds, "instead": instead}
    if "erratum" in entry:
        _erratum(f"{where}: erratum", entry["erratum"], {"grade", "printed", "right"})
        fields["erratum"] = Erratum(**entry["erratum"])
    return Claim(**fields)


def _conditions(where: str, entries: dict[str, Any]) -> dict[str, Condition]:
    """Read ``{key: {true or false: sentence}}``."""
    conditions = {}
    for key, said in entries.items():
        at = f"{where}[{key!r}]"
        if not (isinstance(said, dict) and len(said) == 1):
            raise ValueError(f"{at} must be {{true: sentence}} or {{false: sentence}}, got {said!r}")
        ((found, says),) = said.items()
        conditions[_text(where, key)] = Condition(says=_text(at, says), found=_truth(at, found))
    return conditions


def _slip(where: str, entry: dict[str, Any]) -> Slip:
    fields = {name: value for name, value in entry.items() if name != "here"} if isinstance(entry, dict) else entry
    _erratum(where, fields, {"place", "grade", "printed", "right"})
    return Slip(**fields, here=_labels(where, entry))


def _labels(where: str, entry: dict[str, Any]) -> tuple[str, ...]:
    here = entry.get("here", [])
    if not isinstance(here, list):
        raise ValueError(f"{where}: here must be a list of labels, got {here!r}")
    return tuple(_text(f"{where}: here", label) for label in here)


def _erratum(where: str, entry: dict[str, Any], required: set[str]) -> None:
    _fields(where, entry, required, set())
    for name, text in entry.items():
        _text(f"{where}: {name}", text)
    if entry["grade"] not in GRADES:
        raise ValueError(f"{where}: grade must be one of {', '.join(GRADES)}, got {entry['grade']!r}")


def _fields(where: str, entry: object, required: set[str], optional: set[str]) -> None:
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: must be a mapping, got {entry!r}")
    if lacking := required - set(entry):
        raise ValueError(f"{where}: lacks {', '.join(sorted(lacking))}")
    if unknown := set(entry) - required - optional:
        raise ValueError(f"{where}: unknown {', '.join(sorted(map(str, unknown)))}")
