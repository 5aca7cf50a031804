"""List what the book holds, and say what of the first edition is there no more.

An id is a kind and a name, ``figure:fig-wheel``; neither says in which file an entry stands, so that files may move.
Names of code are compared after the table in ``renamed.py``, and texts wherever in their entry they stand.
``tests/inventory.json`` holds the entries of the first edition.  One that is gone needs a reason in
``tests/dropped.yml``, under its id or under the beginning of several ids and a ``*``; new entries need nothing.

usage: python tools/inventory.py [--write]

Without ``--write`` it prints what is missing, and reasons for what is not; the exit code is 1 if there is any.
"""

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from renamed import renamed

ROOT = Path(__file__).resolve().parent.parent
STORED = Path("tests", "inventory.json")
DROPPED = Path("tests", "dropped.yml")
SHORT = 160  # characters of a description; statements of theorems and formulas are kept whole

Entry = tuple[str, str, str]  # kind, name, description

DIRECTIVE = re.compile(r"^(:{3,}|`{3,})\{([\w:-]+)\} *(.*)\n", re.MULTILINE)
OPTION = re.compile(r":([\w-]+): *(.*)\n")
LABEL = re.compile(r"^ *\(([\w:.-]+)\)= *$(?=\s*(.*)$)", re.MULTILINE)
EQUATION = re.compile(r"\$\$((?:(?!\$\$).)+)\$\$ *\(([\w:.-]+)\)", re.DOTALL)
REFERENCE = re.compile(r"^@\w+\{(\S+),\n(?:(?!\}| *title ).*\n)* *title *= *\{(.*)\}", re.MULTILINE)
EXERCISE = re.compile(r"Exercise[ \d]*(?:\([^)]*\))?[:. ]*")


# --------------------------------------------------------------------------------------------------- the ledger


def condition(key: str, value: Any) -> tuple[str, bool]:
    """Sentence and outcome of a condition: ``sentence: true``, or a key of its own and both of them below it."""
    if isinstance(value, bool):
        return key, value
    below = list(value.values()) if isinstance(value, dict) else [value]
    says = next(text for text in below if isinstance(text, str))
    return says, next((found for found in [*value, *below] if isinstance(found, bool)), True)


def of_claim(claim: dict[str, Any]) -> Iterator[Entry]:
    """Entries of one claim."""
    name = claim["id"]
    yield "claim", name, claim["claim"]
    yield "verdict", f"{name}:{claim['verdict']}", claim["place"]
    for part in ("holds", "instead"):
        for says, found in (condition(*item) for item in claim.get(part, {}).items()):
            side = part if found else "fails"
            yield "condition", f"{name}:{side}:{says}", claim["place"]
    for kind in ("missing", "note"):
        if kind in claim:
            yield kind, name, claim[kind]
    if "erratum" in claim:
        yield "erratum", name, f"{claim['erratum']['printed']} → {claim['erratum']['right']}"


def ledger(root: Path) -> Iterator[Entry]:
    """Claims of the papers, slips of the pen, and the parts of each paper."""
    for path in sorted((root / "book" / "claims").rglob("*.yml")):
        content = yaml.load(path.read_text("utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        key = content["paper"]["key"]
        for claim in content["claims"]:
            yield from of_claim(claim)
        for slip in content.get("slips") or []:
            yield "slip", f"{key}:{slip['place']}:{slip['printed']}", slip["right"]
        for kind in ("section", "exhibit"):
            for part in content.get(f"{kind}s") or []:
                yield kind, f"{key}:{part['place']}", part["about"]


# ---------------------------------------------------------------------------------------------------- the prose


def directives(text: str) -> Iterator[tuple[str, str, dict[str, str], str]]:
    """Name, argument, options and body of every fenced directive of a text, nested ones too."""
    for found in DIRECTIVE.finditer(text):
        fence, name, argument = found.groups()
        end = re.compile(rf"^{fence} *$", re.MULTILINE).search(text, found.end())
        body = text[found.end() : end.start() if end else len(text)]
        options = {}
        while option := OPTION.match(body):
            options[option[1]] = option[2].strip()
            body = body[option.end() :]
        yield name, argument.strip(), options, body.strip()


def terms(body: str) -> Iterator[Entry]:
    """Terms of a glossary: what is not indented."""
    for term, about in re.findall(r"^(\S.*)\n((?:[ \t].*\n?)*)", body, re.MULTILINE):
        yield "term", term, re.sub(r"</?span[^>]*>|\\$", "", about, flags=re.MULTILINE)


def prose(text: str) -> Iterator[Entry]:
    """Labels, equations, theorems with their proofs, exercises with their solutions, figures and terms of a page."""
    for label, heading in LABEL.findall(text):
        yield "label", label, heading.lstrip("# ")
    for formula, label in EQUATION.findall(text):
        yield "equation", label, formula
    theorem = exercise = "?"
    for name, argument, options, body in directives(text):
        label = options.get("label") or options.get("name")
        if name == "prf:proof":
            yield "proof", theorem, body
        elif name.startswith("prf:"):
            theorem = label or argument
            yield "theorem", theorem, f"{name[4:]}: {argument}: {body}"
        elif name == "math" and label:
            yield "equation", label, body
        elif name == "figure" and label:
            yield "figure", label, body
        elif name == "glossary":
            yield from terms(body + "\n")
        elif name == "exercise" or EXERCISE.match(argument):
            exercise = EXERCISE.sub("", argument, count=1) or body.splitlines()[0]
            yield "exercise", exercise, body
        elif name == "solution" or argument.startswith("Solution"):
            yield "solution", exercise, body


# ------------------------------------------------------------------------------------------------- the chapters


def template(node: ast.expr) -> str:
    """Text of a string in the code, with {} for what is computed."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(template, node.values))
    if isinstance(node, ast.BinOp):
        return template(node.left) + template(node.right)
    return "{}"


def calls(code: str, function: str) -> Iterator[ast.Call]:
    """Find the calls of a function."""
    for node in ast.walk(ast.parse(code)) if f"{function}(" in code else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            yield node


def pattern(text: str) -> str:
    """Regular expression for what a template becomes."""
    return re.escape(text).replace(re.escape("{}"), ".*")


def printed(ipynb: Path) -> str:
    """All that a chapter prints."""
    if not ipynb.is_file():
        return ""
    cells = json.loads(ipynb.read_text("utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return "".join("".join(output.get("text", [])) for output in outputs)


def checks(code: str, output: str) -> Iterator[Entry]:
    """Find the checks, by label and control; the description is what they print, numbers and all."""
    for call in calls(code, "check"):
        label, statement = (template(argument) for argument in call.args[:2])
        control = next(template(keyword.value) for keyword in call.keywords if keyword.arg == "control")
        line = rf"^PASS  {pattern(label)}  ({pattern(statement)})  \(control: {pattern(control)}, caught\)$"
        yield "check", f"{label}:{control}", "; ".join(re.findall(line, output, re.MULTILINE)) or statement


def chapter(py: Path) -> Iterator[Entry]:
    """Entries of a chapter: its prose, figures and checks."""
    code = py.read_text("utf-8")
    for cell in re.split(r"^# %%", code, flags=re.MULTILINE)[1:]:
        head, _, body = cell.partition("\n")
        if head.startswith(" [markdown]"):
            yield from prose(re.sub(r"^# ?", "", body, flags=re.MULTILINE))
        elif "mystnb=" in head:
            shown, _ = json.JSONDecoder().raw_decode(head, head.index("mystnb=") + len("mystnb="))
            if "name" in shown.get("figure", {}):
                yield "figure", shown["figure"]["name"], shown["figure"].get("caption", "")
    yield from checks(code, printed(py.with_suffix(".ipynb")))


# ------------------------------------------------------------------------------------------- wrong mechanisms


def names(nodes: list[ast.expr]) -> set[str]:
    """Names in some expressions."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


def row(node: ast.AST) -> tuple[set[str], str] | None:
    """Names and test in a row of a table of mistakes, which ends with the name of the test that catches it."""
    last = node.elts[-1] if isinstance(node, ast.Tuple) and len(node.elts) > 1 else None
    if isinstance(last, ast.Constant) and isinstance(last.value, str) and last.value.isidentifier():
        return names(node.elts[:-1]), last.value
    return None


def mutants(root: Path) -> Iterator[Entry]:
    """Classes of the tests that derive from a class of the package or stand in a table of mistakes, and its rows.

    A class that no test names is not counted: it catches nothing.
    """
    files = [list(ast.walk(ast.parse(path.read_text("utf-8")))) for path in sorted((root / "tests").rglob("*.py"))]
    nodes = list(chain.from_iterable(files))
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    rows = [(found[0] & classes, found[1]) for node in nodes if (found := row(node)) and found[0] & classes]
    listed = {name for named, _ in rows for name in named}
    for file in files:
        ours = set()
        for node in file:
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ldpnb":
                ours |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.ClassDef) and (names(node.bases) & ours or node.name in listed):
                ours.add(node.name)
                if node.name in used:
                    yield "mutant", node.name, ast.get_docstring(node) or ", ".join(map(ast.unparse, node.bases))
    for named, test in rows:
        for name in sorted(named):
            yield "caught", name, test


def gallery(root: Path) -> Iterator[Entry]:
    """Broken clients on show."""
    for path in sorted((root / "ldpnb").rglob("*.py")):
        for call in calls(path.read_text("utf-8"), "_broken"):
            yield "broken", template(call.args[0]), template(call.args[1])


# ------------------------------------------------------------------------------------------------- all together


def everything(root: Path) -> Iterator[Entry]:
    """All entries, in no order."""
    yield from ledger(root)
    for page in sorted((root / "book").rglob("*.md")):
        yield from prose(page.read_text("utf-8"))
    for py in sorted((root / "notebooks").rglob("*.py")):
        yield from chapter(py)
    yield from mutants(root)
    yield from gallery(root)
    for path in sorted((root / "book" / "recorded").rglob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        yield "record", path.stem, record.get("dataset") or "measured here"
    for key, title in REFERENCE.findall((root / "book" / "references.bib").read_text("utf-8")):
        yield "reference", key, title


def inventory(root: Path) -> dict[str, str]:
    """Give the description of each entry by its id; of entries with one name there are so many, in no certain order."""
    found: dict[str, str] = {}
    for kind, name, about in everything(root):
        entry = key = " ".join(f"{kind}:{name}".split())
        number = 1
        while key in found:
            number += 1
            key = f"{entry} ({number})"
        about = " ".join(about.split())
        found[key] = about if kind in ("theorem", "equation") or len(about) <= SHORT else about[: SHORT - 1] + "…"
    return dict(sorted(found.items()))


def vanished(stored: dict[str, str], now: dict[str, str]) -> list[str]:
    """Ids that are stored and no more there, but for the table of names."""
    left = Counter(map(renamed, now))
    gone = []
    for key in stored:
        left[renamed(key)] -= 1
        if left[renamed(key)] < 0:
            gone.append(key)
    return gone


def faults(stored: dict[str, str], now: dict[str, str], dropped: dict[str, str]) -> list[str]:
    """One line for each entry that vanished without a reason, and for each reason that explains nothing."""
    gone, found, explained = vanished(stored, now), [], set()
    for key, reason in dropped.items():
        covered = [i for i in stored if i == key or key.endswith("*") and i.startswith(key[:-1])]
        explained |= set(covered)
        there = [i for i in covered if i not in gone]
        if not covered:
            found.append(f"a reason for what never was: {key}")
        for still in there[:1]:
            found.append(f"a reason for what is still there: {key}" + (f", {still}" if still != key else ""))
        if not isinstance(reason, str) or not reason.strip():
            found.append(f"no reason given: {key}")
    return [f"vanished: {key}  ({stored[key]})" for key in gone if key not in explained] + found


def complaints(root: Path) -> list[str]:
    """Compare the stored inventory with what is there now."""
    stored = json.loads((root / STORED).read_text("utf-8"))
    return faults(stored, inventory(root), yaml.safe_load((root / DROPPED).read_text("utf-8")) or {})


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="store what is there now")
    if parser.parse_args().write:
        text = json.dumps(inventory(ROOT), ensure_ascii=False, indent=0)
        (ROOT / STORED).write_text(text + "\n", "utf-8")
        return 0
    found = complaints(ROOT)
    print("\n".join(found) or "nothing vanished without a reason")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
