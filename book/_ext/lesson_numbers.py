"""The role ``lessons``: lessons named by the numbers of their files appear under their numbers in the book, as links.

``{lessons}`10, 11``` becomes 4, 5 where the lessons 10 and 11 are the fourth and fifth of the table of contents.
"""

from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxRole


class Lessons(SphinxRole):
    """Mark the place; numbers are known when all pages are read."""

    def run(self):
        return [nodes.inline("", self.text, classes=["lesson-numbers"])], []


def number(app, doctree, document):
    """Put links with the book's numbers in the marked places."""
    marked = [node for node in doctree.findall(nodes.inline) if node.get("classes") == ["lesson-numbers"]]
    files = {Path(name).name.partition("_")[0]: name for name in app.env.found_docs if name.startswith("notebooks/")}
    for node in marked:
        parts = []
        for own in node.astext().split(", "):
            if own not in files:
                raise ValueError(f"{document}: the role lessons names {own!r}, and no lesson has this number")
            shown = ".".join(map(str, app.env.toc_secnumbers[files[own]][""]))
            link = nodes.reference("", shown, internal=True, refuri=app.builder.get_relative_uri(document, files[own]))
            parts += [nodes.Text(", "), link] if parts else [link]
        node.parent.replace(node, parts)


def setup(app):
    app.add_role("lessons", Lessons())
    app.connect("doctree-resolved", number)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
