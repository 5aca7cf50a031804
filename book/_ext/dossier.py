"""Verdicts on the pages of the papers: the role ``badge`` and the directive ``account``; both read the ledger.

A badge stands under the heading of an exhibit and is where the links of a claim lead. It names the verdict and the
grade in words, and the build stops where the ledger has others.
"""

import re
from collections import Counter

from claims import _depend, _joined, _line, _link, _table
from docutils import nodes
from sphinx.util.docutils import ReferenceRole, SphinxDirective

from ldpnb_book.ledger import GRADES, VERDICTS

WORDS = {verdict.capitalize(): verdict for verdict in VERDICTS}
OTHERS = ("Definition", "Drawn", "Example", "Setting", "Slip")  # what cannot be true or false
STAND_IN = "on a stand-in"  # of data that the book may not pass on


def wrong(title, claim):
    """Say what is wrong with the words of a badge, given the claim that it names, or None where it names none."""
    word, *more = title.split(" · ")
    if claim is None:
        grade = more[0].split(" ")[-1] if word == "Slip" and more else GRADES[0]
        return None if word in OTHERS and grade in ("misprint", *GRADES) else f"{title!r} needs a claim"
    if WORDS.get(word) != claim.verdict:
        return f"{claim.id} is {claim.verdict}"
    grades = [part for part in more if part != STAND_IN]
    if claim.erratum and not (grades and grades[0].startswith(claim.erratum.grade)):
        return f"{claim.id}: the grade is {claim.erratum.grade}"
    return None if claim.erratum or not grades else f"{claim.id} has no grade"


def badge(title):
    """Return a badge: words in a frame of the verdict's colour."""
    return nodes.inline("", title, classes=["verdict", title.split(" · ")[0].lower().replace(" ", "-")])


class Badge(ReferenceRole):
    """The verdict on a claim, or what else an exhibit is."""

    def run(self):
        papers, _, _ = _depend(self.env)
        claim = None
        if self.has_explicit_title:
            claim = next((c for paper in papers.values() for c in paper.claims if c.id == self.target), None)
        missing = f"{self.target} is not in the ledger" if self.has_explicit_title and claim is None else None
        if fault := missing or wrong(self.title, claim):
            message = self.inliner.reporter.error(f"badge: {fault}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        return [badge(self.title)], []


class Account(SphinxDirective):
    """How many claims of a paper have each verdict, with a link to each."""

    required_arguments = 1

    def run(self):
        papers, where, _ = _depend(self.env)
        claims = papers[self.arguments[0]].claims
        count, rows = Counter(claim.verdict for claim in claims), []
        for word, verdict in WORDS.items():
            links = [
                [_link(self.env, section, claim.id.partition(".")[2])]
                for claim in claims
                if claim.verdict == verdict
                for section in where.get(claim.id, [])
            ]
            if links:
                rows.append([_line(badge(word)), _line(str(count[verdict])), _line(*_joined(links))])
        return [_table((25, 8, 67), [_line("Verdict"), _line("Number"), _line("Claims")], rows)]


def unnumber(app, page, template, context, doctree):
    """Leave the book's numbers out of a dossier's captions, which name the paper's own figures."""
    if page.startswith("notebooks/papers/") and "body" in context:
        context["body"] = re.sub(r'<span class="caption-number">.*?</span>', "", context["body"])


def setup(app):
    app.connect("html-page-context", unnumber)
    app.add_role("badge", Badge())
    app.add_directive("account", Account)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
