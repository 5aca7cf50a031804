"""The directive ``{mechanisms}``: all mechanisms of the package, by the question that they answer."""

import inspect
import json
import re
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from ldpnb.serve import catalogue, choose

HERE = Path(__file__).parent
QUESTIONS = {  # each at ε = 1 and of a size for which all mechanisms can be made
    "One of 64 items a person: the share of a rare one": choose.Item(n=1, epsilon=1.0, k=64),
    "Up to 8 of 64 items: the share of a rare one": choose.Sets(n=1, epsilon=1.0, d=64, m=8),
    "One number in [−1, 1]: the mean": choose.OneNumber(n=1, epsilon=1.0),
    "Ten numbers: each mean": choose.Vector(n=1, epsilon=1.0, d=10),
    "A number in 64 cells: the shares of ranges": choose.Distribution(n=1, epsilon=1.0, k=64),
    "Up to 8 of 64 keys with values: share, and share × mean": choose.Pairs(n=1, epsilon=1.0, d=64, m=8),
    "Which of 6 keys: the share of two together": choose.Correlation(n=1, epsilon=1.0, d=6),
    "16 attributes of 4 values: the share of a rare value": choose.Marginals(n=1, epsilon=1.0, d=16, k=4),
}
HEAD = "| mechanism | proved ε | variance | bits | server | list | source |\n|---|---|---|---|---|---|---|"


def source_of(kind):
    """What a docstring says after "Source:"."""
    found = re.search(r"^Source: (.*?)(?:\n\n|\Z)", inspect.getdoc(kind) or "", re.S | re.M)
    return re.sub(r":math:`(.*?)`", r"$\1$", " ".join(found[1].split()).rstrip(".")) if found else ""


def table_of(question, proved):
    """Write the answer to a question as a table, with what has no closed form last."""
    rows, classes = [HEAD], catalogue()
    for choice in question.rank():
        if (kind := classes.get(choice.kind)) is None:
            continue
        bits = "" if choice.private_bits is None else f"{choice.private_bits:,}\xa0+\xa0{choice.public_bits:,}"
        error, server = (
            f"{choice.error**2:,.3g}" if choice.errors else "",
            choice.server.partition(" and ")[2] or "cell",
        )
        rows.append(
            f"| {{py:class}}`{choice.name} <{kind.__module__}.{kind.__name__}>` | {proved.get(choice.kind, '')} "
            f"| {error} | {bits} | {server} | {'yes' if choice.listed else ''} | {source_of(kind)} |"
        )
    return "\n".join(rows)


class Mechanisms(SphinxDirective):
    """Write a table for each question."""

    def run(self):
        record = HERE.parent / "proofs.json"
        self.env.note_dependency(str(record))
        proved = json.loads(record.read_text("utf-8"))
        text = "\n\n".join(f"**{what}**\n\n{table_of(question, proved)}" for what, question in QUESTIONS.items())
        return self.parse_text_to_nodes(text)


def setup(app):
    app.add_directive("mechanisms", Mechanisms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
