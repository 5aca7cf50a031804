"""Make the notebooks that readers download: they read well in any Jupyter, and run without the book around them.

The book's own words (references, citations, boxes, captions) become plain Markdown. The package comes as a wheel,
the workshop of the book as another; the first code cell of a notebook, which is added here, installs both.
"""

import re
import shutil
import tempfile
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from urllib.parse import quote

import nbformat
from archive import pack
from dist import ROOT, build
from pybtex.database import parse_file
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

BOOTSTRAP = (ROOT / "tools" / "bootstrap.py").read_text("utf-8").strip()
ADDRESS = 'BOOK = LOCK = ""'
# The first line of code in the book's own notebooks, which have no such cell.
HINT = '# Without the package: python -m pip install . ./book in the folder above notebooks.'

FENCE = re.compile(r"(:{3,})\{([\w:]+)\} ?(.*)")
OPTION = re.compile(r":([\w-]+): *(.*)")
LABEL = re.compile(r"^\([\w-]+\)=\n+", re.MULTILINE)
DISPLAY = re.compile(r"\$\$(.+?)\$\$(?: \(([\w-]+)\))?", re.DOTALL)
DEFINITION = re.compile(r"^(\S.*)\n: (.*)$", re.MULTILINE)
ROLE = re.compile(r"\{([a-z:]+)\}`([^`]*?)(?: *<([^`>]+)>)?`")
README = """# The chapters of *Local Differential Privacy, Checked*

Each file `NN_name.ipynb` is a chapter with its outputs, and runs in Jupyter with Python 3.11 to 3.14.
Its first code cell installs what is missing from this folder: the package `ldpnb`, what the chapters share with the
claims of the papers and the recorded results (`ldpnb_book`), and the other packages in the versions that the outputs
were made with.
A chapter that you move elsewhere needs one file beside it, this archive as it was downloaded: `ldpnb-notebooks.zip`.

Without Jupyter, in this folder:

    python -m pip install --no-deps --require-hashes -r requirements.txt
    python -m pip install --no-deps ldpnb-*.whl ldpnb_book-*.whl
    python -m pip install jupyterlab
    jupyter lab

`reader.yml` is a workflow for GitHub that lets every cell print again what is stored here: its head says how to use it.
"""
READER = ROOT / "book" / "examples" / "reader.yml"  # for the continuous integration of whoever keeps the archive

# What a reference stands for: its words, and where they lead (None: nowhere outside the book).
Resolve = Callable[[str, str], tuple[str, str | None]]


class Bibliography:
    """Citations in words, and the works cited so far."""

    def __init__(self, bib: Path) -> None:
        self.entries = parse_file(str(bib), "bibtex").entries
        self.style = find_plugin("pybtex.style.formatting", "plain")()
        self.backend = find_plugin("pybtex.backends", "markdown")()
        self.cited: dict[str, str] = {}

    def words(self, role: str, keys: str) -> str:
        """Return what ``{cite:t}`` or ``{cite:p}`` shows."""
        found = []
        for key in keys.replace(" ", "").split(","):
            entry = self.entries[key]
            people = entry.persons.get("author") or entry.persons["editor"]
            names = [str(Text.from_latex(" ".join(p.prelast_names + p.last_names))) for p in people]
            who = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
            found.append((who, entry.fields["year"]))
            self.cited[key] = next(iter(self.style.format_entries([entry]))).text.render(self.backend)
        if role == "cite:t":
            return ", ".join(f"{who} [{year}]" for who, year in found)
        return "[" + "; ".join(f"{who}, {year}" for who, year in found) + "]"

    def works(self) -> str:
        """Return the list of the works cited, as Markdown."""
        return "\n".join(["## References", "", *(f"- {work}" for _, work in sorted(self.cited.items()))])


def _unfence(lines: list[str], resolve: Resolve) -> list[str]:
    """Turn boxes into quotations, folds into HTML's, theorems into quotations with their numbers."""
    found, rows = [], iter(lines)
    for row in rows:
        if not (fence := FENCE.fullmatch(row)):
            found.append(row)
            continue
        colons, kind, title = fence.groups()
        inside = list(takewhile(lambda r, end=colons: r.rstrip() != end, rows))
        options = {}
        while inside and (option := OPTION.fullmatch(inside[0])):
            options[option[1]] = option[2]
            inside.pop(0)
        body = _unfence(inside, resolve)
        while body and not body[0]:
            body.pop(0)
        if kind == "dropdown":
            found += ["<details>", f"<summary>{title}</summary>", "", *body, "", "</details>"]
        elif kind == "zh":
            found += ['<details lang="zh-Hans">', "<summary>中文摘要</summary>", "", *body, "", "</details>"]
        elif kind in ("account", "verdicts"):
            found.append(resolve(kind, title)[0])
        elif kind == "table":
            found += [*([f"**{title}**", ""] if title else []), *body]
        elif kind == "prf:proof":
            found += ["*Proof.*", *body, "∎"]
        elif kind == "admonition" or kind.startswith("prf:"):
            if "nonumber" in options:
                title = f"{kind[4:].capitalize()}: {title}"
            elif kind != "admonition":
                number = resolve("prf:ref", options["label"])[0]
                title = f"{number} ({title})" if title else number
            found += [f"> {line}".rstrip() for line in (f"**{title}**", "", *body)]
        else:
            raise ValueError(f"no plain form is known for the directive {kind!r}")
    return found


def plain(text: str, resolve: Resolve, bibliography: Bibliography, macros: dict[str, str]) -> str:
    """Return the book's Markdown as any Jupyter shows it.

    Parameters
    ----------
    text
        Markdown of one cell.
    resolve
        Words and address of a reference, given its role and its target.
    bibliography
        Knows citations, and learns which works were cited.
    macros
        Names of the book's own mathematical macros, without backslash, and what they stand for.

    Raises
    ------
    ValueError
        If the text has a directive or role that has no plain form.
    """

    def display(found: re.Match[str]) -> str:
        # on one line, or Jupyter would take the marks of a quotation for mathematics
        tag = rf" \tag{{{resolve('eq', found[2])[0].strip('()')}}}" if found[2] else ""
        return f"$$ {' '.join(found[1].split())}{tag} $$"

    def role(found: re.Match[str]) -> str:
        kind, title, target = found.groups()
        if kind in ("cite:t", "cite:p"):
            return bibliography.words(kind, title)
        if kind in ("badge", "holds", "partly", "corrected", "undecided"):
            return f"**{title}**" if kind == "badge" else title
        words, link = resolve(kind, target or title)
        words = title if target else words
        return f"[{words}]({link})" if link else words

    text = DISPLAY.sub(display, LABEL.sub("", text))
    text = DEFINITION.sub(r"- **\1**: \2", text)
    text = ROLE.sub(role, "\n".join(_unfence(text.splitlines(), resolve)))
    for name, meaning in macros.items():
        text = re.sub(rf"\\{name}(?![a-zA-Z])", lambda _, m=meaning: m, text)
    return text


def anchor(heading: str) -> str:
    """Return the address within a notebook that Jupyter gives to a heading; quotation marks are straight there."""
    straight = heading.translate(str.maketrans("‘’“”", "''\"\""))
    return "#" + quote(straight.replace(" ", "-"))


def export(
    notebook: nbformat.NotebookNode, resolve: Resolve, macros: dict[str, str], address: str
) -> nbformat.NotebookNode:
    """Return a chapter as a notebook for any Jupyter; `address` is where the package can be had, if anywhere."""
    bibliography, cells = Bibliography(ROOT / "book" / "references.bib"), []
    for cell in notebook.cells:
        tags, book = cell.metadata.get("tags", []), cell.metadata.get("mystnb", {})
        new = nbformat.from_dict({**cell, "metadata": {}})
        cells.append(new)
        if cell.cell_type == "markdown":
            new.source = plain(cell.source, resolve, bibliography, macros)
            continue
        new.source = cell.source.removeprefix(f"{HINT}\n")
        if {"hide-input", "hide-cell"} & set(tags):
            new.metadata["jupyter"] = {"source_hidden": True}
        if "figure" in book:
            caption = plain(book["figure"]["caption"], resolve, bibliography, macros)
            if "name" in book["figure"]:
                caption = f"*{resolve('numref', book['figure']['name'])[0]}.* {caption}"
            cells.append(nbformat.v4.new_markdown_cell(caption, id=f"{cell.id}-caption"))
    install, hidden = published(address), {"jupyter": {"source_hidden": True}}
    first = next((i for i, cell in enumerate(cells) if cell.cell_type == "code"), None)
    if first is not None:
        cells.insert(first, nbformat.v4.new_code_cell(install, id="install", metadata=hidden))
    if bibliography.cited:
        cells.append(nbformat.v4.new_markdown_cell(bibliography.works(), id="references"))
    kept = {name: notebook.metadata[name] for name in ("kernelspec", "language_info")}
    made = nbformat.v4.new_notebook(cells=cells, metadata=kept)
    nbformat.validate(made)
    return made


def published(address: str) -> str:
    """Return the first cell of a notebook whose package is at this address, ``…/archive/COMMIT.zip``, if anywhere."""
    lock = re.sub(r"/archive/(\w+)\.zip$", r"/raw/\1/tools/chapters.txt", address)
    return BOOTSTRAP.replace(ADDRESS, f'BOOK = "{address}"\n    LOCK = "{lock}"')


def bundle(notebooks: dict[str, str], archive: Path) -> None:
    """Pack notebooks (name of the file: its text) and all that they need into one archive."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in notebooks.items():
            Path(folder, name).write_text(text, "utf-8")
        for book in (False, True):
            build(Path(folder), book)
        Path(folder, "README.md").write_text(README, "utf-8")
        shutil.copy(ROOT / "tools" / "chapters.txt", Path(folder, "requirements.txt"))
        shutil.copy(ROOT / "tests" / "nbval_sanitize.cfg", folder)
        shutil.copy(READER, folder)
        pack(Path(folder), archive)
