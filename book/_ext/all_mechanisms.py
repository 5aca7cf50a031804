"""The directive ``{mechanisms}``: all mechanisms of the package, by the question that they answer.

Each leads to its class, to its lesson, and to the dossiers of the papers that name it, as book/mechanisms.yml says.
"""

import inspect
from pathlib import Path

import yaml
from sphinx.util.docutils import SphinxDirective

import ldpnb
from ldpnb import choose
from ldpnb.choose import catalogue
from ldpnb_book.ledger import read_claims

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
HEAD = (
    "| mechanism | lesson | dossier | proved ε | variance | bits | server | list |\n|---|---|---|---|---|---|---|---|"
)
REST = "Built from these, or found by a search"
REST_HEAD = "| mechanism | lesson | dossier | function |\n|---|---|---|---|"


def places(rows, papers):
    """Return the links to the lessons, and to the parts of dossiers, that rows of mechanisms.yml name."""
    lessons = dict.fromkeys(row["lesson"] for row in rows)
    labels = {}
    for key, named in ((key, named) for row in rows for key, named in row["papers"].items()):
        for part in (*papers[key].exhibits, *papers[key].sections):
            if part.place in named:
                labels.setdefault(part.here[0], key)
    return (
        ", ".join(f"{{doc}}`/notebooks/{lesson}`" for lesson in lessons),
        ", ".join(f"{{ref}}`{key} <{label}>`" for label, key in labels.items()),
    )


def table_of(ranked, proved, rows, papers):
    """Write the ranked answers to a question as a table, with what has no closed form last."""
    lines, classes = [HEAD], catalogue()
    for choice in ranked:
        if (kind := classes.get(choice.kind)) is None:
            continue
        bits = "" if choice.private_bits is None else f"{choice.private_bits:,}\xa0+\xa0{choice.public_bits:,}"
        error = f"{choice.error**2:,.3g}" if choice.errors else ""
        made = kind if choice.mechanism is None else choice.mechanism  # a row without numbers has a class alone
        server = made.server_cost.partition(" and ")[2] or "cell"
        listed = choice.listed and made.needs_list
        lesson, dossiers = places([row for row in rows if row["class"] == choice.kind], papers)
        lines.append(
            f"| {{py:class}}`{choice.name} <{kind.__module__}.{kind.__name__}>` | {lesson} | {dossiers} "
            f"| {proved.get(choice.kind, '')} | {error} | {bits} | {server} | {'yes' if listed else ''} |"
        )
    return "\n".join(lines)


def table_of_others(kinds, rows, papers):
    """Write a table of the rows whose class or function is none of these kinds."""
    lines = [REST_HEAD]
    for row in rows:
        if row["class"] not in kinds:
            thing = named(row["class"])
            role = "class" if inspect.isclass(thing) else "func"
            lesson, dossiers = places([row], papers)
            target = f"{{py:{role}}}`~{thing.__module__}.{thing.__qualname__}`"
            lines.append(f"| {row['name']} | {lesson} | {dossiers} | {target} |")
    return "\n".join(lines)


def tables(proved, rows, papers):
    """Write all tables: {what it answers: table}."""
    ranked = {what: question.rank() for what, question in QUESTIONS.items()}
    found = {what: table_of(choices, proved, rows, papers) for what, choices in ranked.items()}
    kinds = {choice.kind for choices in ranked.values() for choice in choices} & catalogue().keys()
    return found | {REST: table_of_others(kinds, rows, papers)}


def named(name):
    """Return the class or function of the package of that name, or None."""
    if name in catalogue():
        return catalogue()[name]
    folders = (getattr(ldpnb, folder) for folder in ("numbers", "strings", "keyvalue", "sets", "attributes"))
    return next((getattr(f, name) for f in folders if name in f.__all__), getattr(ldpnb, name, None))


class Mechanisms(SphinxDirective):
    """Write a table for each question."""

    def run(self):
        files = HERE.parent / "proofs.json", HERE.parent / "mechanisms.yml"
        proved, rows = (yaml.safe_load(file.read_text("utf-8")) for file in files)
        papers = {paper.key: paper for paper in read_claims(HERE.parent / "claims")}
        for file in (*files, *(HERE.parent / "claims").glob("*.yml")):
            self.env.note_dependency(str(file))
        found = tables(proved, rows, papers)
        text = "\n\n".join(f"**{what}**\n\n{table}" for what, table in found.items())
        return self.parse_text_to_nodes(text)


def setup(app):
    app.add_directive("mechanisms", Mechanisms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
