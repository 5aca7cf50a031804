"""The reading time under the title of a lesson, by the formula and the counts of `readability`."""

from pathlib import Path

import readability
from docutils import nodes


def said(page):
    """Return the line for a page."""
    return f"Reading time: about {page.minutes} minutes; with the exercises {page.with_exercises}."


def put(app, doctree):
    """Put the line under the title of a lesson in the new form."""
    source = Path(app.env.doc2path(app.env.docname)).with_suffix(".py")
    if not (app.env.docname.startswith("notebooks/") and source.is_file()):
        return
    app.env.note_dependency(str(source))
    page = readability.read(source)
    title = next(doctree.findall(nodes.title), None)
    if title is not None and page.kind == "lesson":
        line = nodes.paragraph("", said(page), classes=["reading-time"])
        title.parent.insert(title.parent.index(title) + 1, line)


def setup(app):
    app.connect("doctree-read", put)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
