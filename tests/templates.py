"""The templates that contributors copy, as they stand in `book/contributing.md`."""

import re
from pathlib import Path

CONTRIBUTING = Path(__file__).resolve().parent.parent / "book" / "contributing.md"


def template(name):
    """Text of the template of that name."""
    box = rf"^::::\{{dropdown\}} Template of a {name}\n```python\n(.*?)^```\n::::$"
    return re.search(box, CONTRIBUTING.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)[1]


LESSON, DOSSIER = template("lesson"), template("dossier")
