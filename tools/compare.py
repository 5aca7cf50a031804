"""Compare the outputs stored in the chapters' notebooks with those of a git revision.

usage: python tools/compare.py BASE [chapter | OLD=NEW ...]

Texts have to be equal after the table in ``renamed.py`` (a longer name moves columns, so spaces are not compared in a
text in which a name was changed), figures pixel by pixel.  Cells are matched by their code, so that one without
outputs may come or go.  A chapter is found by its name in whatever folder it is; OLD=NEW says that it had another.
Without chapters all are compared.  Each difference is one line, with the number of the code cell as it is now; the exit
code is 1 if there is any.
"""

import argparse
import base64
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from io import BytesIO
from itertools import chain, zip_longest
from os.path import commonprefix
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from renamed import OLD, renamed

ROOT = Path(__file__).resolve().parent.parent
SHOWN = 70  # characters of a line that differs

Cell = dict[str, Any]
Output = tuple[str, str]  # kind, content


# -------------------------------------------------------------------------------------------------- one output


def clipped(line: str | None, start: int = 0) -> str:
    """Give a line in quotes, from a little before the place where it differs; a line may be missing."""
    if line is None:
        return "nothing"
    start = max(0, start - SHOWN // 3)
    cut = line[start : start + SHOWN]
    return repr(("…" if start else "") + cut + ("…" if start + SHOWN < len(line) else ""))


def text_difference(old: str, new: str) -> str | None:
    """First line that differs after the table of names, before and now; None if there is none."""
    loose = OLD.findall(old) != OLD.findall(new)
    for row, (a, b) in enumerate(zip_longest(old.split("\n"), new.split("\n")), 1):
        x, y = (line and renamed(line) for line in (a, b))
        if x != y and not (loose and x and y and x.split() == y.split()):
            start = len(commonprefix([a or "", b or ""]))
            return f"line {row}: {clipped(a, start)} is now {clipped(b, start)}"
    return None


def figure_difference(old: str, new: str) -> str | None:
    """How many pixels of a PNG differ, and by how much; None if all are equal."""
    if old == new:
        return None
    a, b = (np.asarray(Image.open(BytesIO(base64.b64decode(png))).convert("RGBA"), dtype=int) for png in (old, new))
    if a.shape != b.shape:
        return f"{a.shape[1]} × {a.shape[0]} pixels are now {b.shape[1]} × {b.shape[0]}"
    apart = np.abs(a - b).max(-1)
    if not apart.any():
        return None
    return f"{np.count_nonzero(apart):,} of {apart.size:,} pixels differ, by up to {apart.max()} of 255"


def difference(old: Output | None, new: Output | None) -> str | None:
    """Say what differs between two outputs, one of which may be missing; None if nothing does."""
    if old is None or new is None:
        kind, content = old or new
        what = "" if kind == "image/png" else f": {clipped(content.split(chr(10))[0])}"
        return f"{kind} {'is gone' if new is None else 'is new'}{what}"
    if old[0] != new[0]:
        return f"{old[0]} is now {new[0]}"
    found = (figure_difference if old[0] == "image/png" else text_difference)(old[1], new[1])
    return found and f"{old[0]} {found}"


# ------------------------------------------------------------------------------------------------ one chapter


def joined(text: Any) -> str:
    """Give what a notebook stores as a text, a list of lines or a tree."""
    if isinstance(text, list):
        return "".join(text)
    return text if isinstance(text, str) else json.dumps(text, sort_keys=True)


def outputs(cell: Cell) -> list[Output]:
    """Kind and content of all that a cell shows."""
    found = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            found.append((output["name"], joined(output["text"])))
        elif output["output_type"] == "error":
            found.append(("error", f"{output['ename']}: {output['evalue']}"))
        else:
            found += [(kind, joined(output["data"][kind])) for kind in sorted(output["data"])]
    return found


def blocks(old: list[Any], new: list[Any]) -> Iterator[tuple[bool, slice, slice]]:
    """Cut two lists into runs that are equal and the runs between them."""
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield tag == "equal", slice(a, b), slice(c, d)


def pairs(old: list[Cell], new: list[Cell]) -> Iterator[tuple[Cell | None, Cell | None]]:
    """Cells that belong together: those with the same code, and those that show something between the same two."""
    for same, a, b in blocks(*([renamed(joined(cell["source"])) for cell in cells] for cells in (old, new))):
        if same:
            yield from zip(old[a], new[b], strict=True)
            continue
        before, now = ([cell for cell in cells if cell["outputs"]] for cells in (old[a], new[b]))
        shown = [tuple((kind, renamed(text)) for kind, text in outputs(cell)) for cell in chain(before, now)]
        for _, c, d in blocks(shown[: len(before)], shown[len(before) :]):
            yield from zip_longest(before[c], now[d])


def differences(old: dict[str, Any], new: dict[str, Any], compared: Counter[str]) -> Iterator[str]:
    """One line for each output that differs between two notebooks."""
    before, now = ([cell for cell in nb["cells"] if cell["cell_type"] == "code"] for nb in (old, new))
    number = {id(cell): i for cells in (before, now) for i, cell in enumerate(cells, 1)}
    for a, b in pairs(before, now):
        where = f"cell {number[id(b)]}" if b else f"cell {number[id(a)]} of before"
        for x, y in zip_longest(*(outputs(cell) if cell else [] for cell in (a, b))):
            compared["figures" if (x or y)[0] == "image/png" else "texts"] += 1
            if found := difference(x, y):
                yield f"{where}  {found}"


# ------------------------------------------------------------------------------------------------- all of them


def git(*arguments: str) -> str:
    """Ask git."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True, encoding="utf-8"
    ).stdout


def by_name(paths: list[str]) -> dict[str, str]:
    """Notebooks by the name of their chapter."""
    found = {Path(path).stem: path for path in paths if path.endswith(".ipynb") and "/." not in path}
    return dict(sorted(found.items()))


def compare(base: str, chapters: list[str]) -> tuple[list[str], Counter[str]]:
    """Differences of the working tree from a revision, and the numbers of what was compared."""
    moved = dict(chapter.split("=") for chapter in chapters if "=" in chapter)
    chosen = {Path(chapter).stem for chapter in chapters if "=" not in chapter}
    then = by_name(git("ls-tree", "-r", "-z", "--name-only", base, "--", "notebooks").split("\0"))
    then = {moved.get(name, name): path for name, path in then.items()}
    now = by_name([path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").rglob("*.ipynb")])
    if unknown := (chosen | set(moved.values())) - (then.keys() | now.keys()):
        raise ValueError(f"no such chapter: {', '.join(sorted(unknown))}")
    found: list[str] = []
    compared: Counter[str] = Counter()
    for name in sorted(then.keys() | now.keys()):
        if chosen and name not in chosen:
            continue
        compared["chapters"] += 1
        if name not in now or name not in then:
            found.append(f"{name}  {'is new' if name in now else 'is gone'}")
            continue
        old, new = json.loads(git("show", f"{base}:{then[name]}")), json.loads((ROOT / now[name]).read_text("utf-8"))
        found += [f"{name}  {line}" for line in differences(old, new, compared)]
    return found, compared


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", metavar="BASE", help="a git revision")
    parser.add_argument("chapters", metavar="chapter", nargs="*", help="name of a chapter, or OLD=NEW")
    arguments = parser.parse_args()
    try:
        found, compared = compare(arguments.base, arguments.chapters)
    except subprocess.CalledProcessError as error:
        parser.error(error.stderr.strip())
    except ValueError as error:
        parser.error(str(error))
    for line in found:
        print(line)
    counts = ", ".join(f"{compared[what]:,} {what}" for what in ("chapters", "texts", "figures"))
    print(f"{counts} compared with {arguments.base}: {len(found) or 'no'} difference{'s' * (len(found) != 1)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
