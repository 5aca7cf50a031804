"""Pages from the ledger: the directives ``ledger``, ``errata`` and ``concordance``, each for one paper.

A claim is linked to the section of the chapter that settles it: the nearest label above the call of ``settle``.
"""

import ast
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from ldpnb.book import GRADES, VERDICTS, read_claims

GRADE_WORDS = dict(
    zip(
        GRADES,
        (
            "certain",
            "probable (a misprint, damaged text or an overstatement)",
            "a convention or reading that we do not share",
        ),
        strict=True,
    )
)
LABEL = re.compile(r"# \(([\w-]+)\)=\s*$")
HEADING = re.compile(r"# #+ +(.+)$")


@dataclass(frozen=True)
class Section:
    """Where a chapter settles a claim: the document, the nearest label above (or None), and its heading."""

    document: str
    label: str | None
    heading: str


def settled(root):
    """Return {claim: [section, …]} for the calls of settle in notebooks/*.py."""
    found = {}
    for path in sorted(Path(root, "notebooks").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        places = _places(path.stem, text.splitlines())
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "settle":
                claim = node.args[0] if node.args else None
                if not (isinstance(claim, ast.Constant) and isinstance(claim.value, str)):
                    raise ValueError(f"{path.name}:{node.lineno}: settle must be called with a literal identifier")
                found.setdefault(claim.value, []).append(places[node.lineno - 1])
    return found


def _places(stem, lines):
    """Return for every line the section that it stands in."""
    document, label, text, heading, markdown, fresh = f"notebooks/{stem}", None, stem, stem, False, False
    places = []
    for line in lines:
        if line.startswith("# %%"):
            markdown = "[markdown]" in line
        elif markdown and (match := LABEL.match(line)):
            label, text, fresh = match[1], heading, True
        elif markdown and (match := HEADING.match(line)):
            heading = match[1].strip()
            if fresh or label is None:  # a heading without a label of its own cannot be linked to
                text = heading
            fresh = False
        elif line.strip("# "):
            fresh = False
        places.append(Section(document, label, text))
    return places


class _Claims(SphinxDirective):
    required_arguments = 1

    def run(self):
        root = Path(self.env.srcdir)
        chapters = sorted((root / "notebooks").glob("*.py"))
        for path in [*(root / "book" / "claims").glob("*.yml"), *chapters, Path(__file__)]:
            self.env.note_dependency(str(path))
        papers = {paper.key: paper for paper in read_claims(root / "book" / "claims")}
        key = self.arguments[0]
        if key not in papers:
            raise self.error(f"unknown paper {key!r}; the ledger has {', '.join(papers)}")
        return self.content_of(papers[key], settled(root))

    def source(self, paper):
        cited, messages = self.state.inline_text(f"{{cite:p}}`{paper.cite}`", self.lineno)
        return _line(f"{paper.authors}: ", nodes.emphasis("", paper.title), " ", *cited, f". {paper.read}"), messages

    def links(self, sections):
        """Return the sections as links, or as text where the book has no such page."""
        inline = []
        for section in sections:
            if inline:
                inline.append(nodes.Text(", "))
            if section.document not in self.env.found_docs:
                inline.append(nodes.Text(f"{section.document}, {section.heading}"))
                continue
            kind, target = ("ref", section.label) if section.label else ("doc", f"/{section.document}")
            link = addnodes.pending_xref(
                "",
                nodes.inline("", section.heading),
                refdomain="std",
                reftype=kind,
                reftarget=target,
                refexplicit=True,
                refwarn=True,
                refdoc=self.env.docname,
            )
            inline.append(link)
        return inline or [nodes.emphasis("", "not settled by a chapter yet")]


def _line(*parts):
    """Return one paragraph of texts and nodes."""
    return nodes.paragraph("", "", *(nodes.Text(part) if isinstance(part, str) else part for part in parts))


def _list(items):
    """Return a definition list of (term nodes, paragraphs): it stacks, so it stays readable on a narrow screen."""
    return nodes.definition_list(
        "",
        *(
            nodes.definition_list_item("", nodes.term("", "", *term), nodes.definition("", *body))
            for term, body in items
        ),
    )


def _conditions(words, names):
    return [" ", nodes.emphasis("", words), " " + "; ".join(names) + "."] if names else []


class Ledger(_Claims):
    """Every claim of a paper with its verdict."""

    def content_of(self, paper, where):
        source, messages = self.source(paper)
        count = Counter(claim.verdict for claim in paper.claims)
        tally = ", ".join(f"{count[v]} {v}" for v in VERDICTS if count[v])
        items = []
        for claim in paper.claims:
            verdict = [nodes.strong("", f"{claim.verdict.capitalize()}.")]
            if claim.verdict != VERDICTS[3]:
                verdict += _conditions("Holds:", [name for name, value in claim.holds.items() if value])
                verdict += _conditions("Fails:", [name for name, value in claim.holds.items() if not value])
            verdict += _conditions("Instead:", list(claim.instead))
            verdict += _conditions("Missing:", [claim.missing] if claim.missing else [])
            verdict += [" ", claim.note] if claim.note else []
            link = [nodes.emphasis("", "Settled in: "), *self.links(where.get(claim.id, []))]
            body = [_line(claim.claim), _line(*verdict), _line(*link)]
            items.append(([nodes.Text(f"{claim.place} "), nodes.literal("", claim.id)], body))
        return [source, _line(f"{len(paper.claims)} claims: {tally}."), _list(items), *messages]


class Errata(_Claims):
    """What a paper prints wrongly: mathematics with printed and right version, slips of the pen as a short list."""

    def content_of(self, paper, where):
        content = []
        wrong = [claim for claim in paper.claims if claim.erratum]
        if wrong:
            items = []
            for claim in wrong:
                body = [
                    _line(nodes.emphasis("", "Printed: "), claim.erratum.printed),
                    _line(nodes.emphasis("", "Right: "), claim.erratum.right),
                    _line(
                        nodes.emphasis("", "Grade: "),
                        GRADE_WORDS[claim.erratum.grade] + ". ",
                        nodes.emphasis("", "Evidence: "),
                        *self.links(where.get(claim.id, [])),
                    ),
                ]
                items.append(([nodes.Text(claim.place)], body))
            content.append(_list(items))
        if paper.slips:
            content.append(_line("Slips of the pen:"))
            content.append(
                nodes.bullet_list(
                    "",
                    *(
                        nodes.list_item(
                            "",
                            _line(
                                f"{slip.place}: {slip.printed}. ",
                                nodes.emphasis("", "Right: "),
                                f"{slip.right}. ({slip.grade})",
                            ),
                        )
                        for slip in paper.slips
                    ),
                )
            )
        return content or [_line("None so far.")]


class Concordance(_Claims):
    """Where the book treats each section of a paper that a claim comes from."""

    def content_of(self, paper, where):
        sections = {}
        for claim in paper.claims:
            sections.setdefault(claim.place.partition(",")[0], []).extend(where.get(claim.id, []))
        items = [
            ([nodes.Text(place)], [_line(*self.links(list(dict.fromkeys(found))))]) for place, found in sections.items()
        ]
        return [_list(items)]


def setup(app):
    for directive in (Ledger, Errata, Concordance):
        app.add_directive(directive.__name__.lower(), directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
