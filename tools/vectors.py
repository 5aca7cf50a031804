"""Write the test vectors of the wire format, one file a mechanism, and one of digests: book/vectors.

usage: python tools/vectors.py

Each file holds instances, see `ldpnb.collecting.vectors`: the first example of the class, whose laws can be told; where it
has one or two items, attributes or keys, an example with more and another ε, so that a client with a 2 written into it
fails; and for some mechanisms one of a usual size, whose hash or matrix cannot be listed.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ldpnb import OLH, RAPPOR, HadamardBit, SHist, Wheel, WheelKV
from ldpnb.core import Example, Mechanism
from ldpnb.hashing import digest64, key_of
from ldpnb.records import Records
from ldpnb.choose import catalogue
from ldpnb.collecting import vectors
from ldpnb.collecting.wire import FORM
from ldpnb.strings.hashed import position

FOLDER = Path(__file__).resolve().parent.parent / "book" / "vectors"
SITES = ("a.org", "b.org", "例.org", "ldpnb")
TEXTS = ("", "a", "b", "a.org", "ldpnb", "Zürich", "Zu\u0308rich", "隐私", "🎲", " a", "0", "-1")
USUAL = [
    Example(OLH(k=100, epsilon=1.0), np.array([7])),
    Example(HadamardBit(k=50, epsilon=1.0), np.array([7])),
    Example(SHist(k=50, epsilon=1.0, m=2**62), np.array([7])),
    Example(RAPPOR(bits=32, hashes=2, cohorts=4, f=0.5, p=0.25, q=0.75), np.array(["a.org"]), items=SITES),
    Example(Wheel(epsilon=1.0, m=1), Records.of({7}), items=SITES),
    Example(WheelKV(epsilon=1.0, m=1), Records.of({7: 0.5}), items=SITES),
]


def contents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each file and what it holds."""
    for name, kind in catalogue().items():
        examples = [*small(kind), *(usual for usual in USUAL if type(usual.mechanism) is kind)]
        yield f"{name}.json", {"ldpnb": "vectors", "form": FORM, "instances": [vectors(one) for one in examples]}
    yield "digests.json", {"ldpnb": "digests", "form": FORM, "digests": [digests(text) for text in TEXTS]}


def small(kind: type[Mechanism]) -> list[Example]:
    """Return the first example of a class, and the first one of more than two things if that one has fewer."""
    first, *others = kind.example()
    more = [other for other in others if things(other) > 2 >= things(first)]
    return [first, *more[:1]]


def things(example: Example) -> int:
    """Return the number of items, attributes or keys, where it is a parameter."""
    own = vars(example.mechanism)
    return own.get("k", own.get("d", 0))


def digests(text: str) -> dict[str, Any]:
    """Return what stands for a text: bytes of its digest, its key in records, and bits of filters of 1,000 bits."""
    bits = [{"cohort": c, "number": h, "bit": position(text, c, h, 1000)} for c, h in ((0, 0), (0, 1), (12, 0))]
    return {"text": text, "blake2b-64": f"{digest64(text):016x}", "key": str(key_of(text)), "bits": bits}


def written(held: dict[str, Any]) -> str:
    """Return the text of a file: JSON, a line for each thing."""
    (things,) = (key for key, value in held.items() if isinstance(value, list))
    head = json.dumps({key: value for key, value in held.items() if key != things})[:-1]
    return f"{head}, {json.dumps(things)}: [\n" + ",\n".join(map(_one, held[things])) + "\n]}\n"


def alike(one: Any, other: Any) -> bool:
    """Return whether two contents are equal, but for the last digits of floats, which depend on the machine."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return one == other and type(one) is type(other)


def keeps(path: Path, text: str) -> bool:
    """Return whether a file says the same as a text, so that it need not be written."""
    return path.is_file() and alike(json.loads(path.read_text("utf-8")), json.loads(text))


def _one(thing: dict[str, Any]) -> str:
    parts = (f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in thing.items())
    return "{" + ",\n ".join(parts) + "}"


def main() -> None:
    """Write the files that say something else, and remove others."""
    FOLDER.mkdir(exist_ok=True)
    made = dict(contents())
    for name, held in made.items():
        text = written(held)
        if not keeps(FOLDER / name, text):
            (FOLDER / name).write_text(text, "utf-8")
    for path in {*FOLDER.glob("*.json")} - {FOLDER / name for name in made}:
        path.unlink()


if __name__ == "__main__":
    main()
