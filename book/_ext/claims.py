"""Pages from the ledger, each for one paper: the directives ``ledger``, ``errata``, ``concordance``, ``exhibits`` and
``verdicts``, and the roles ``holds``, ``partly``, ``corrected`` and ``undecided``, which link words to a claim.

A claim is linked to the section of the chapter that settles it: the nearest label above the call of ``settle``.
"""

import ast
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import ReferenceRole, SphinxDirective

from ldpnb_book.ledger import GRADES, VERDICTS, read_claims

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
ROLES = {"holds": VERDICTS[:1], "partly": VERDICTS[1:2], "corrected": VERDICTS[2:4], "undecided": VERDICTS[4:]}
LABEL = re.compile(r"# \(([\w-]+)\)=\s*$")
HEADING = re.compile(r"# #+ +(.+)$")
FIGURE = re.compile(r'"name": "(fig-[\w-]+)"')
BADGE = re.compile(r"\{badge\}`[^`<]*<([\w.-]+)>`")
SHIFTED = re.compile(r"([\^_])(?:[({]([^(){}]*)[)}]|([A-Za-z0-9α-ω]+(?:\[\w\])?))")
PAGE_LABEL = re.compile(r"^\(([\w-]+)\)=\n+#+ +(.+)$", re.MULTILINE)
PLACE = re.compile(r"§\d[\d.]*(?<!\.)|abstract|references")
NUMBER = r"\d[\d.-]*(?<![.-])"
EXHIBIT = re.compile(
    rf"(Fig|Table|Algorithm|Definition|Property|Theorem)s?\.? ({NUMBER}(?:(?:, | and | to ){NUMBER})*)", re.IGNORECASE
)


@dataclass(frozen=True)
class Section:
    """Where a chapter settles a claim: the document, the nearest label above (or None), its heading, and the title."""

    document: str
    label: str | None
    heading: str
    chapter: str


# ------------------------------------------------------------------------------- what is where in the book


def settled(root):
    """Return {claim: [section, …]} for the calls of settle in the chapters; in a dossier the section with its badge."""
    found = {}
    for path in sorted(Path(root, "notebooks").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        places = _places(path.relative_to(root), text.splitlines())
        badges = {
            claim: place for line, place in zip(text.splitlines(), places, strict=True) for claim in BADGE.findall(line)
        }
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "settle":
                claim = node.args[0] if node.args else None
                if not (isinstance(claim, ast.Constant) and isinstance(claim.value, str)):
                    raise ValueError(f"{path.name}:{node.lineno}: settle must be called with a literal identifier")
                found.setdefault(claim.value, []).append(badges.get(claim.value, places[node.lineno - 1]))
    return found


def targets(root):
    """Return {label: section} for all that `here` may name: labels of chapters and pages, and names of figures.

    The section of a figure is the one that it stands in.
    """
    found = {}
    for path in sorted(Path(root, "book").rglob("*.md")):
        document = path.relative_to(root).with_suffix("").as_posix()
        labelled = PAGE_LABEL.findall(path.read_text(encoding="utf-8"))
        found.update((label, Section(document, label, heading, labelled[0][1])) for label, heading in labelled)
    for path in sorted(Path(root, "notebooks").rglob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for line, section in zip(lines, _places(path.relative_to(root), lines), strict=True):
            found[section.label] = section  # the last line that it stands above knows its heading
            found.update((figure, section) for figure in FIGURE.findall(line))
    found.pop(None, None)
    return found


def _places(path, lines):
    """Return for every line of a chapter, a path from the root, the section that it stands in."""
    stem = text = heading = path.stem
    document, label, markdown, fresh = path.with_suffix("").as_posix(), None, False, False
    title = next((match[1].strip() for line in lines if (match := HEADING.match(line))), stem)
    places, above = [], []
    for line in lines:
        if line.startswith("# %%"):
            markdown = "[markdown]" in line
        elif markdown and (match := LABEL.match(line)):
            above = [*above, len(places)] if fresh else [len(places)]
            label, text, fresh = match[1], heading, True
        elif markdown and (match := HEADING.match(line)):
            heading = match[1].strip()
            if fresh or label is None:  # a heading without a label of its own cannot be linked to
                text = heading
            for i in above if fresh else []:  # all the labels right above it are its own
                places[i] = replace(places[i], heading=heading)
            fresh = False
        elif line.strip("# "):
            fresh = False
        places.append(Section(document, label, text, title))
    return places


# ------------------------------------------------------------------------------- what is where in the papers


def sections_of(place):
    """Return the paper's sections that a place names: ``§1 and §3.2, Table 1`` names ``§1`` and ``§3.2``."""
    return list(dict.fromkeys(PLACE.findall(place)))


def exhibits_of(place):
    """Return the figures, tables and so on that a place names, of a range its ends; ``Fig. 9(a)`` is in ``Fig. 9``."""
    return [
        f"{kind.capitalize()}{'.' if kind.lower() == 'fig' else ''} {number}"
        for kind, numbers in EXHIBIT.findall(place)
        for number in re.findall(NUMBER, numbers)
    ]


def astray(paper, where, known):
    """Return what is wrong between a paper's claims, its parts, and the labels of the book."""
    listed = {part.place for part in paper.sections}
    shown = {part.place for part in paper.exhibits}
    settled_in = {s for claim in paper.claims if where.get(claim.id) for s in sections_of(claim.place)}
    entries = [(claim.id, claim.place) for claim in paper.claims] + [("slip", slip.place) for slip in paper.slips]
    parts = [*paper.sections, *paper.exhibits, *paper.slips]
    idle = [p for p in paper.sections if not (p.here or p.why or p.place in settled_in)]
    return [
        *(f"{i}: {place!r} names no section" for i, place in entries if not sections_of(place)),
        *(f"{i}: section {s} is not listed" for i, place in entries for s in sections_of(place) if s not in listed),
        *(f"{i}: {name} is not listed" for i, place in entries for name in exhibits_of(place) if name not in shown),
        *(f"{part.place}: no label {label}" for part in parts for label in part.here if label not in known),
        *(f"{part.place}: not treated, and no reason" for part in idle),
        *(
            f"{part.place}: treated, and a reason why not"
            for part in paper.sections
            if part.why and part.place in settled_in
        ),
    ]


# --------------------------------------------------------------------------------------------------- nodes

_READ = {}  # what was read from the files of a root, with their times: most pages ask for the same


def _known(root):
    """Return the papers by key, `settled` and `targets` of a root, read again if a file has changed."""
    files = [*root.glob("book/claims/*.yml"), *root.glob("book/**/*.md"), *root.glob("notebooks/**/*.py")]
    times = {path: path.stat().st_mtime_ns for path in files}
    if _READ.get(root, (None,))[0] != times:
        papers = {paper.key: paper for paper in read_claims(root / "book" / "claims")}
        _READ[root] = times, (papers, settled(root), targets(root))
    return _READ[root][1]


def _depend(env):
    """Return what is known, and have the page built again when it changes."""
    root = Path(env.srcdir)
    for pattern in ("book/claims/*.yml", "notebooks/**/*.py", "book/_ext/claims.py"):
        for path in root.glob(pattern):
            env.note_dependency(str(path))
    return _known(root)


def _link(env, section, text=None):
    """Return a link to a section, or its name where the book has no such page."""
    if section.document not in env.found_docs:
        return nodes.Text(text or f"{section.document}, {section.heading}")
    kind, target = ("ref", section.label) if section.label else ("doc", f"/{section.document}")
    return _reference(env, kind, target, text or section.heading)


def _reference(env, kind, target, text, explicit=True):
    return addnodes.pending_xref(
        "",
        nodes.inline("", text),
        refdomain="std",
        reftype=kind,
        reftarget=target,
        refexplicit=explicit,
        refwarn=True,
        refdoc=env.docname,
    )


def _joined(parts):
    """Return lists of nodes as one, with commas between them."""
    inline = []
    for part in parts:
        inline += [nodes.Text(", "), *part] if inline else part
    return inline


def _line(*parts):
    """Return one paragraph of texts and nodes."""
    inline = [_set(part) if isinstance(part, str) else [part] for part in parts]
    return nodes.paragraph("", "", *chain.from_iterable(inline))


def _set(text):
    """Return a text as nodes, what stands behind ``^`` raised and behind ``_`` lowered: ``e^(ε/2)``, ``k_max``."""
    found, end = [], 0
    for match in SHIFTED.finditer(text):
        kind = nodes.superscript if match[1] == "^" else nodes.subscript
        found += [nodes.Text(text[end : match.start()]), kind("", match[2] or match[3])]
        end = match.end()
    return [*found, nodes.Text(text[end:])]


def _list(items):
    """Return a definition list of (term nodes, paragraphs): it stacks, so it stays readable on a narrow screen."""
    return nodes.definition_list(
        "",
        *(
            nodes.definition_list_item("", nodes.term("", "", *term), nodes.definition("", *body))
            for term, body in items
        ),
    )


def _table(widths, head, rows):
    """Return a table of paragraphs."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in widths), cols=len(widths))
    for kind, lines in ((nodes.thead, [head]), (nodes.tbody, rows)):
        group += kind("", *(nodes.row("", *(nodes.entry("", cell) for cell in line)) for line in lines))
    return nodes.table("", group, classes=["from-ledger"])


def _conditions(words, sentences):
    return [" ", nodes.emphasis("", words), " " + "; ".join(sentences) + "."] if sentences else []


def _counted(count, names):
    return ", ".join(f"{count[name]} {name}" for name in names if count[name])


# --------------------------------------------------------------------------------------------------- pages


class _Claims(SphinxDirective):
    required_arguments = 1

    def run(self):
        papers, where, self.targets = _depend(self.env)
        key = self.arguments[0]
        if key not in papers:
            raise self.error(f"unknown paper {key!r}; the ledger has {', '.join(papers)}")
        if wrong := astray(papers[key], where, self.targets):
            raise self.error(f"{key}: {'; '.join(wrong)}")
        return self.content_of(papers[key], where)

    def source(self, paper):
        cited, messages = self.state.inline_text(f"{{cite:p}}`{paper.cite}`", self.lineno)
        return _line(f"{paper.authors}: ", nodes.emphasis("", paper.title), " ", *cited, f". {paper.read}"), messages

    def links(self, sections):
        """Return the sections as links, or as text where the book has no such page."""
        return _joined([_link(self.env, section)] for section in sections) or [
            nodes.emphasis("", "not settled by a chapter yet")
        ]

    def shown(self, labels):
        """Return links to what `here` names: a figure by its number, a section by its heading and its chapter's."""
        found = []
        for label in labels:
            section = self.targets[label]
            link = [_link(self.env, section)]
            if label.startswith("fig-") and not isinstance(link[0], nodes.Text):
                link = [_reference(self.env, "numref", label, label, explicit=False), nodes.Text(" in "), *link]
            elif section.heading != section.chapter:
                link.append(nodes.Text(f" ({section.chapter})"))
            found.append(link)
        return _joined(found)


class Ledger(_Claims):
    """Every claim of a paper with its verdict."""

    def content_of(self, paper, where):
        source, messages = self.source(paper)
        said = [f"{part.place} {part.about}" for part in paper.definitions]
        count = Counter(claim.verdict for claim in paper.claims)
        items = []
        for claim in paper.claims:
            verdict = [nodes.strong("", f"{claim.verdict.capitalize()}.")]
            if claim.verdict != VERDICTS[3]:
                verdict += _conditions("Holds:", [c.says for c in claim.holds.values() if c.found])
                verdict += _conditions("Fails:", [c.says for c in claim.holds.values() if not c.found])
            verdict += _conditions("Instead:", [c.says for c in claim.instead.values()])
            verdict += _conditions("Missing:", [claim.missing] if claim.missing else [])
            verdict += [" ", claim.note] if claim.note else []
            link = [nodes.emphasis("", "Settled in: "), *self.links(where.get(claim.id, []))]
            body = [_line(claim.claim), _line(*verdict), _line(*link)]
            items.append(([nodes.Text(f"{claim.place} "), nodes.literal("", claim.id)], body))
        rest = [_line(f"Definitions and settings, not counted: {'; '.join(said)}.")] if said else []
        return [
            source,
            _line(f"{len(paper.claims)} claims: {_counted(count, VERDICTS)}."),
            *rest,
            _list(items),
            *messages,
        ]


class Errata(_Claims):
    """What a paper prints wrongly: mathematics with printed and right version, slips of the pen as a short list."""

    def content_of(self, paper, where):
        content = []
        wrong = sorted((claim for claim in paper.claims if claim.erratum), key=lambda c: GRADES.index(c.erratum.grade))
        if wrong:
            count = Counter(claim.erratum.grade for claim in wrong)
            content.append(_line(f"Mathematics and statements of fact: {_counted(count, GRADES)}."))
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
                body += [_line(claim.note)] if claim.note else []
                items.append(([nodes.Text(claim.place)], body))
            content.append(_list(items))
        if paper.slips:
            count = Counter(slip.grade for slip in paper.slips)
            content.append(_line(f"Slips of the pen: {_counted(count, GRADES)}."))
            lines = []
            for slip in paper.slips:
                line = [f"{slip.place}: {slip.printed}. ", nodes.emphasis("", "Right: "), f"{slip.right}. "]
                line += [f"({slip.grade}; see ", *self.shown(slip.here), ")"] if slip.here else [f"({slip.grade})"]
                lines.append(nodes.list_item("", _line(*line)))
            content.append(nodes.bullet_list("", *lines))
        return content or [_line("None so far.")]


class Concordance(_Claims):
    """Where the book treats each section of a paper, or why it does not."""

    def content_of(self, paper, where):
        items = []
        for part in paper.sections:
            term = [nodes.Text(f"{part.place} {part.about}")]
            if part.why:
                items.append((term, [_line(nodes.emphasis("", "Not treated: "), f"{part.why}.")]))
                continue
            at = [s for c in paper.claims if part.place in sections_of(c.place) for s in where.get(c.id, [])]
            at = list(dict.fromkeys([self.targets[label] for label in part.here] + at))
            body = []
            for chapter in dict.fromkeys(section.chapter for section in at):
                inside = [section for section in at if section.chapter == chapter and section.heading != chapter]
                whole = [section for section in at if section.chapter == chapter and section.heading == chapter]
                name = _link(self.env, whole[0]) if whole else nodes.Text(chapter)
                body.append(_line(name, *([": ", *self.links(inside)] if inside else [])))
            items.append((term, body))
        return [_list(items)]


class Exhibits(_Claims):
    """The figures, tables, algorithms, equations and mechanisms of a paper, each with what stands for it here."""

    def content_of(self, paper, where):
        rows = [
            [
                _line(nodes.strong("", part.place), f" {part.about}"),
                _line(*self.shown(part.here))
                if part.here
                else _line(nodes.emphasis("", "Not treated: "), f"{part.why}."),
            ]
            for part in paper.exhibits
        ]
        return [_table((50, 50), [_line("In the paper"), _line("Here")], rows)]


class Verdicts(_Claims):
    """How many claims of a paper hold, in all and by section."""

    WORDS = dict(zip(VERDICTS, ("holds", "conditions", "fails", "corrected", "undecided"), strict=True))

    def content_of(self, paper, where):
        count = Counter(claim.verdict for claim in paper.claims)
        used = [verdict for verdict in VERDICTS if count[verdict]]
        first = {claim.id: sections_of(claim.place)[0] for claim in paper.claims}
        rows = []
        for part in paper.sections:
            here = Counter(claim.verdict for claim in paper.claims if first[claim.id] == part.place)
            if here:
                numbers = [_line(str(here[verdict]) if here[verdict] else "") for verdict in used]
                rows.append([_line(f"{part.place} {part.about}"), *numbers])
        ledger = _reference(self.env, "ref", f"ledger-{paper.key}", "ledger")
        summary = _line(f"{len(paper.claims)} claims in the ", ledger, f": {_counted(count, VERDICTS)}.")
        head = [_line("Section"), *(_line(self.WORDS[verdict]) for verdict in used)]
        return [summary, _table((60, *(10,) * len(used)), head, rows)]


class Verdict(ReferenceRole):
    """Words that say what became of a claim, linked to the section that settles it.

    The role names the verdict, and the build stops where the ledger has another.
    """

    def run(self):
        papers, where, _ = _depend(self.env)
        paper = papers.get(self.target.partition(".")[0])
        claim = next((c for c in paper.claims if c.id == self.target), None) if paper else None
        if claim is None or claim.verdict not in ROLES[self.name]:
            found = claim.verdict if claim else "not in the ledger"
            message = self.inliner.reporter.error(f"{self.name}: {self.target} is {found}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        text = self.title if self.has_explicit_title else claim.place
        return [_link(self.env, section, text) for section in where[claim.id]], []


def setup(app):
    for directive in (Ledger, Errata, Concordance, Exhibits, Verdicts):
        app.add_directive(directive.__name__.lower(), directive)
    for name in ROLES:
        app.add_role(name, Verdict())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
