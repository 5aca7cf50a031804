"""What the site offers beside its pages: notebooks to download and, once it is published, buttons that lead elsewhere.

These need the address of the repository, which is the environment variable LDPNB_REPOSITORY and stands nowhere else:
https://github.com/OWNER/NAME. Without it the site has no such button.
"""

import os
import re
import subprocess
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import nbformat
from export import ROOT, anchor, bundle, export
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from ldpnb_book.ledger import VERDICTS, read_claims

NOTEBOOKS = "downloads/ldpnb-notebooks.zip"
SITE = "downloads/ldpnb-site.zip"
PDF = "downloads/ldpnb-book.pdf"


def repository() -> str:
    """Return the address of the book's repository, or an empty text where none is configured."""
    address = os.environ.get("LDPNB_REPOSITORY", "").rstrip("/")
    if address and not re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+", address):
        raise ValueError(f"LDPNB_REPOSITORY must be https://github.com/OWNER/NAME or empty, got {address!r}")
    return address


def package() -> str:
    """Return where pip can get the package as it is now, or an empty text; where there is no history, the newest."""
    address = repository()
    if not address:
        return ""
    asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    commit = asked.stdout.strip() if asked.returncode == 0 else "HEAD"
    return f"{address}/archive/{commit}.zip"


def address_of_site(app: Sphinx, config: Config) -> None:
    """Tell pages their full address, and that of the cover, where the site is published: on the repository's pages."""
    if address := repository():
        owner, name = address.removeprefix("https://github.com/").split("/")
        config.ogp_site_url = f"https://{owner.lower()}.github.io/{name}/"


# ------------------------------------------------------------------------------------------------- buttons


def link(text: str, url: str, icon: str, tooltip: str) -> dict[str, str]:
    """Return a button as the theme wants it."""
    return {"type": "link", "text": text, "url": url, "icon": icon, "tooltip": tooltip}


def group(name: str, icon: str, tooltip: str, buttons: list[dict[str, str]]) -> dict[str, Any]:
    """Return buttons that unfold under one."""
    return {"type": "group", "label": name, "icon": icon, "tooltip": tooltip, "buttons": buttons}


def offer(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Add buttons to the head of a page."""
    there, address = context["header_buttons"], repository()
    for downloads in (button for button in there if button.get("label") == "download-buttons"):
        add, pathto = downloads["buttons"].append, context["pathto"]
        add(link("all chapters", pathto(NOTEBOOKS, 1), "fas fa-file-zipper", "Download all notebooks, ready to run"))
        if address:
            add(link("book .pdf", pathto(PDF, 1), "fas fa-book", "Download the whole book as a PDF"))
            add(link("book .zip", pathto(SITE, 1), "fas fa-file-zipper", "Download the whole site, to read offline"))
    if not address or doctree is None:
        return
    name, chapter = address.removeprefix("https://github.com/"), PurePosixPath(page)
    source = f"{page}.py" if chapter.parts[0] == "notebooks" else f"{page}{context['page_source_suffix']}"
    issue = f"{address}/issues/new?title={quote(f'{page}: ', safe='')}"
    buttons = [
        link("Repository", address, "fab fa-github", "Source repository"),
        link("Open issue", issue, "fas fa-lightbulb", "Open an issue"),
        link("Suggest edit", f"{address}/edit/main/{source}", "fas fa-pencil-alt", "Suggest edit"),
    ]
    there.insert(0, group("source-buttons", "fab fa-github", "Source repository", buttons))
    if chapter.parts[0] == "notebooks":
        # the branch notebooks holds what the archive of all chapters holds: see .github/workflows/publish.yml
        file = f"{chapter.name}.ipynb"
        binder = f"https://mybinder.org/v2/gh/{name}/notebooks?labpath={file}"
        colab = f"https://colab.research.google.com/github/{name}/blob/notebooks/{file}"
        buttons = [
            link("Binder", binder, "_static/images/logo_binder.svg", "Launch on Binder"),
            link("Colab", colab, "_static/images/logo_colab.png", "Launch on Colab"),
        ]
        there.insert(0, group("launch-buttons", "fas fa-rocket", "Launch this chapter", buttons))


# ----------------------------------------------------------------------------------------------- notebooks


class References:
    """What the book's references say, for a reader of the notebook `page`."""

    def __init__(self, env: BuildEnvironment, page: str) -> None:
        self.env, self.page = env, page

    def __call__(self, role: str, target: str) -> tuple[str, str | None]:
        """Return the words of a reference and its address."""
        env = self.env
        if role == "ref":
            page, _, words = env.get_domain("std").labels[target]
            return words, self.link(page, words)
        if role == "numref":
            page, name, _ = env.get_domain("std").labels[target]
            return env.config.numfig_format["figure"] % self.number(page, "figure", name), self.link(page)
        if role == "prf:ref":
            proof = env.proof_list[target]
            number = self.number(proof["docname"], proof["countertype"], target)
            return f"{proof['realtype'].title()} {number}", self.link(proof["docname"])
        if role == "eq":
            page = env.get_domain("math").equations[target][0]
            return f"({self.number(page, 'displaymath', f'equation-{target}')})", self.link(page)
        if role in ("account", "verdicts"):
            claims = next(paper for paper in read_claims(ROOT / "book" / "claims") if paper.key == target).claims
            count = Counter(claim.verdict for claim in claims)
            return f"{len(claims)} claims: {', '.join(f'{count[v]} {v}' for v in VERDICTS if count[v])}.", None
        if role in ("term", "download"):  # a file to download is beside the page of the site, not beside the notebook
            return target, None
        if role.startswith("py:"):
            return f"`{target.rpartition('.')[2] if target[0] == '~' else target}`", None
        raise ValueError(f"{self.page}: no plain form is known for the role {role!r}")

    def number(self, page: str, kind: str, name: str) -> str:
        """Return the number of a figure, a theorem or an equation."""
        return ".".join(map(str, self.env.toc_fignumbers[page][kind][name]))

    def link(self, page: str, heading: str | None = None) -> str | None:
        """Return where a chapter lies beside the reader's; prose pages lie nowhere."""
        if page == self.page:
            return anchor(heading) if heading else None
        return f"{PurePosixPath(page).name}.ipynb" if page.startswith("notebooks/") else None


def give(app: Sphinx, error: Exception | None) -> None:
    """Put the notebooks as readers want them into the site."""
    if error is not None or app.builder.name != "html":
        return
    made, address = {}, package()
    macros = app.config.mathjax3_config["tex"]["macros"]
    for page in sorted(name for name in app.env.found_docs if name.startswith("notebooks/")):
        source = Path(app.env.doc2path(page))
        notebook = export(nbformat.read(source, 4), References(app.env, page), macros, address)
        made[source.name] = nbformat.writes(notebook) + "\n"
        Path(app.outdir, "_sources", f"{page}.ipynb").write_text(made[source.name], "utf-8")
    bundle(made, Path(app.outdir, NOTEBOOKS))


# --------------------------------------------------------------------------------------------------- links


def doi(app: Sphinx, uri: str) -> str | None:
    """Let the link check ask for a DOI itself: many publishers turn programs away."""
    name = uri.removeprefix("https://doi.org/")
    return None if name == uri else f"https://doi.org/api/handles/{name}"


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect them to the build."""
    app.connect("config-inited", address_of_site)
    app.connect("html-page-context", offer, priority=600)  # after the theme has made its buttons
    app.connect("build-finished", give)
    app.connect("linkcheck-process-uri", doi)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
