"""Measure how much a page asks of its reader, and find what its kind must not have.

A page is measured from its text half, ``notebooks/NN_name.py``; nothing is executed.  Words are
all prose outside the Chinese abstract and the solutions of exercises; captions, texts of checks and
folded proofs are prose, and an inline formula is one word.  None of these numbers has a limit.

usage: python tools/readability.py [page ...]

A page is named by its path or its stem; without names, all are measured.
"""

import argparse
import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import jupytext

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"

CAPTION = 40  # words of a caption
COLUMN = 74  # characters of a line of visible code; a longer one wraps on the page
LONG = 25  # words of a sentence, for the report

FOLDING = {"hide-input", "hide-cell", "remove-input"}
TITLED = ("admonition", "dropdown", "table", "prf:", "note", "tip", "warning", "important", "card")
POINTERS = ("ref", "numref", "eq", "cite", "prf:ref", "doc", "py:", "download")  # roles that name a label

PEOPLE = "person|key|attribute|item|user|member"
COUNTS = "one|two|three|four|five|six|seven|eight|nine|ten|half a|a million|a thousand|x"
TALLIED = "reports?|bits?|numbers?|values?|answers?|coins?|axis|axes|ones?|questions?|messages?|symbols?"
HOLDS = (
    r"(?! (?:ha[sd]|holds?|sends?|can|may|must|could|would|will|does|did|might|gives?|takes?|owns?|keeps?|knows?)\b)"
)
TRANSLATED = {
    "Who… as the subject": r"^Who(?:ever|m)?\b[^?]*$",
    "the own …": r"\bthe own \w+",
    "a person for per person": rf"\b(?:(?:{COUNTS}|\d[\d,.]*) (?:{TALLIED})|(?:numbers|reports|bits|answers) x?) ?"
    rf"an? (?:{PEOPLE})\b{HOLDS}",
    "says so": r"\b(?:say|says|said) so\b",
    "as it says": r"\bas (?:it|they) (?:says?|said)\b",
    "as the paper has it": r"\b(?:as|where|than|like) (?:\S+ ){1,5}(?:has|have) it\b",
    "foreign": r"\bforeign (?:bit|item|key|sign|value)s?\b",
    "cannot be had": r"\bcannot be had\b",
}
COURT = r"\b(?:settle[sd]?|verdicts?|ledger|to the letter|errat(?:um|a))\b"  # words that belong to dossiers
SENTENCE_END = re.compile(r"(?<=[.?!])[)”]?\s+(?=[A-Z])")


# ------------------------------------------------------------------------------------------------- Markdown


@dataclass
class Block:
    """A directive, or a whole text, with the lines and directives in it."""

    name: str = ""
    title: str = ""
    fence: str = ""
    body: "list[str | Block]" = field(default_factory=list)

    def walk(self) -> "Iterator[Block]":
        """Yield the block and all in it that is prose of the page."""
        if not self.left_out:
            yield self
            for part in self.body:
                if isinstance(part, Block):
                    yield from part.walk()

    @property
    def left_out(self) -> bool:
        """Whether it is no prose: a solution, the Chinese abstract, or a box around that alone."""
        if self.name == "dropdown":
            inner = [part for part in self.body if not isinstance(part, str) or part.strip()]
            only_chinese = len(inner) == 1 and isinstance(inner[0], Block) and inner[0].name == "zh"
            return self.title.startswith("Solution") or only_chinese
        return self.name == "zh" or (bool(self.fence) and self.name in ("", "code-block", "code"))

    @property
    def prose(self) -> str:
        """Its text, with the titles of boxes as lines."""
        if self.left_out:
            return ""
        if self.name == "math":
            return f"$$\n{self.inside}\n$$"
        title = [f"{self.title}\n"] if self.title and self.name.startswith(TITLED) else []
        return "\n".join([*title, *(part if isinstance(part, str) else f"\n{part.prose}\n" for part in self.body)])

    @property
    def inside(self) -> str:
        """The lines in it, without those of the directives in it."""
        return "\n".join(part for part in self.body if isinstance(part, str))


def parse(text: str) -> Block:
    """Return a Markdown text as a tree of directives."""
    stack = [Block()]
    for line in text.splitlines():
        here, match = stack[-1], re.match(r"\s*(:{3,}|`{3,}|~{3,})\s*(?:\{([\w:-]+)\}\s*(.*))?", line)
        verbatim = here.fence and here.name in ("", "code-block", "code", "math")
        closes = match and here.fence and line.strip() == line.strip()[0] * len(line.strip())
        if closes and line.strip().startswith(here.fence):
            stack.pop()
        elif match and not verbatim:
            block = Block(match[2] or "", match[3] or "", match[1])
            here.body.append(block)
            stack.append(block)
        elif not (here.fence and re.match(r"\s*:[\w-]+:(\s|$)", line)):
            here.body.append(line)
    return stack[0]


DISPLAY = re.compile(r"\$\$(.*?)\$\$(?:[ \t]*\([\w:-]+\))?", re.DOTALL)
ROWS = ("aligned", "align", "alignedat", "gathered", "split")


def formulas(display: str) -> int:
    """Count the formulas of a display: the rows of its outermost aligned blocks, or one."""
    inside: list[str] = []  # open environments and braces, the innermost last
    found, filled = 0, False
    for token in re.findall(r"\\begin\{\w+\*?\}|\\end\{\w+\*?\}|\\\\(?:\[[^]]*\])?|\\.|[{}]|[^\s]", display):
        name = re.sub(r"\\\w+\{(\w+)\*?\}", r"\1", token)
        if token.startswith("\\begin") or token == "{":
            inside.append(name)
        elif token.startswith("\\end") or token == "}":
            inside = inside[:-1]
            found += filled and not any(part in ROWS for part in inside) and name in ROWS
            filled = filled and name not in ROWS
        elif token.startswith("\\\\") and inside and inside[-1] in ROWS and len({*inside} & {*ROWS}) == 1:
            found += filled
            filled = False
            continue
        filled = filled or (any(part in ROWS for part in inside) and name not in ROWS)
    return max(1, found)


def _role(match: re.Match[str]) -> str:
    """Return what a reader sees of a role; a label alone becomes a single word."""
    name, text = match[1], match[2]
    if titled := re.fullmatch(r"(?s)(.*\S)\s*<[^<>]*>", text):
        return titled[1]
    return "x" if name.startswith(POINTERS) else text


def plain(text: str) -> str:
    """Return prose without displays, labels, comments and markup; inline formulas and code are single words, x."""
    text = DISPLAY.sub("\n", text)
    text = re.sub(r"(?m)^\s*(\([\w-]+\)=|%.*|\|?[\s:|-]*-{3,}[\s:|-]*\|?)\s*$", "", text)
    text = re.sub(r"\{([\w:-]+)\}`([^`]*)`", _role, text)
    text = re.sub(r"(`+)[^`]+\1|(?<!\\)\$[^$]+\$", "x", text)
    text = re.sub(r"!\[[^]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"<!--.*?-->|</?\w[^<>]*>|\*+|(?<=\w)\{[\w:-]+\}", "", text, flags=re.DOTALL)


def words(text: str) -> int:
    """Count the words of a Markdown text; numbers are words."""
    return len(re.findall(r"[^\W_]+(?:['’.,-][^\W_]+)*", plain(text)))


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs and items of a text, without headings and tables."""
    text = re.sub(r"(?m)^\s*(?:[-*+]|\d+\.|:)\s+", "\n", plain(text))
    parts = [[line.strip() for line in part.splitlines() if line.strip()] for part in re.split(r"\n\s*\n", text)]
    return ["\n".join(part) for part in parts if part and not part[0].startswith(("#", "|"))]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text: its lines, cut where one line has several."""
    return [s for part in paragraphs(text) for line in part.splitlines() for s in SENTENCE_END.split(line)]


def translated(text: str, *, court: bool = False) -> list[str]:
    """Return the phrases of a text that read like a translation; `court` adds the words of a trial."""
    patterns = [*TRANSLATED.values(), *([COURT] if court else [])]
    return [
        match[0].strip()[:60]
        for sentence in sentences(text)
        for pattern in patterns
        for match in re.finditer(pattern, sentence)
    ]


ABBREVIATED = r"(?<!\bapprox)(?<!\bresp)(?<!\bincl)(?<!\bProc)(?<!\bConf)(?<!\bTrans)"


def prose(text: str) -> list[str]:
    """Lines of a Markdown text without fenced code, math, tables, options, comments and quoted words."""
    text = re.sub(r"^(```+|~~~+).*?^\1|^---\n.*?^---$|\$\$.*?\$\$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in text.splitlines() if not re.match(r"\s*([|%<]|:[\w-]+:)", line)]
    return [re.sub(r"`[^`]*`|\$[^$]*\$|[\"“][^\"”]*[\"”]", "x", line) for line in lines]


def one_sentence_per_line(text: str) -> list[str]:
    """Return the lines of a Markdown text that hold more than one sentence."""
    # a word of four letters or more, a full stop, a capitalised word: names and abbreviations hardly look like that
    english, other = rf"([a-z]{{4}}{ABBREVIATED}\.|[?!])\)? +[A-Z][a-z]", "[。！？][^”」）]"
    return [line for line in prose(text) if re.search(f"{english}|{other}", line)]


def section(text: str, heading: str) -> str | None:
    """Return what stands under a heading, down to the next of its level or above, or None."""
    match = re.search(rf"(?ms)^(##+) {heading}\s*?\n(.*?)(?=^(?!\1#)#+ |\Z)", text)
    return match[2] if match else None


def table(text: str) -> list[list[str]]:
    """Return the rows of the first table of a text, without its head."""
    first = re.search(r"(?m)^\s*\|.*(?:\n\s*\|.*)*", text)
    rows = [row.strip()[1:].removesuffix("|") for row in first[0].splitlines() if row.strip()] if first else []
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)] for row in rows[2:]]


# ------------------------------------------------------------------------------------------------------ code


def length(source: str) -> int:
    """Count the lines of code that are not blank, a comment or an import; docstrings are read."""
    imports: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    found = 0
    for number, line in enumerate(source.splitlines(), 1):
        code = line.strip() and not line.lstrip().startswith("#")
        if code and number not in imports:
            found += 1
    return found


def calls(tree: ast.AST, name: str) -> list[ast.Call]:
    """Return the calls of a function, named alone or as an attribute."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node for node in found if name in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))]


def spoken(node: ast.AST) -> str:
    """Return the words of a string in code; what an f-string fills in is one word."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(spoken(part) or "x" for part in node.values)
    if isinstance(node, ast.BinOp):
        return f"{spoken(node.left)}{spoken(node.right)}"
    return ""


def check_texts(tree: ast.AST) -> list[str]:
    """Return what the checks of a cell say: label, statement and control."""
    texts = []
    for call in calls(tree, "check"):
        said = [*call.args[:2], *(k.value for k in call.keywords if k.arg in ("label", "statement", "control"))]
        texts += [text for node in said if (text := spoken(node))]
    return texts


# ------------------------------------------------------------------------------------------------------ pages


@dataclass
class Page:
    """What was measured of a page."""

    stem: str
    kind: str  # lesson, dossier or manual
    text: str  # its Markdown
    words: int = 0
    visible: int = 0
    folded: int = 0
    figures: int = 0
    formulas: int = 0
    proofs: int = 0
    settles: bool = False
    boxed: bool = False  # whether it has the box "In one minute"
    exercises: list[tuple[str, str]] = field(default_factory=list)  # title and text
    wide: list[str] = field(default_factory=list)  # visible lines of code, comments too, above the column
    captions: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    bracketed: list[str] = field(default_factory=list)  # paragraphs in parentheses
    translated: list[str] = field(default_factory=list)
    crowded: list[str] = field(default_factory=list)  # lines with more than one sentence

    @property
    def minutes(self) -> int:
        """The time that reading takes, without exercises."""
        return round(self.words / 180 + 3 * self.proofs + self.figures + self.formulas / 2 + self.visible / 15)

    @property
    def with_exercises(self) -> int:
        """The time with the minutes that the titles of the exercises give."""
        given = (re.search(r"(\d+) minutes?", title) for title, _ in self.exercises)
        return self.minutes + sum(int(match[1]) for match in given if match)

    @property
    def long_captions(self) -> list[str]:
        """Captions above the limit."""
        return [caption for caption in self.captions if words(caption) > CAPTION]

    @property
    def letters(self) -> list[list[str]] | None:
        """The letters that the page lists at its end, each with its meaning, or None without a list."""
        listed = section(self.text, "Letters")
        return None if listed is None else table(listed)

    @property
    def long_sentences(self) -> list[str]:
        """Sentences that an editor may look at."""
        return [sentence for sentence in self.sentences if words(sentence) > LONG]


def kind_of(path: Path) -> str:
    """Return what kind of page a file is."""
    return {"papers": "dossier", "manual": "manual"}.get(path.parent.name, "lesson")


@cache
def cells_of(text: str) -> list[Any]:
    """Return the cells of a page; several tests ask for them, and nobody changes them."""
    return jupytext.reads(text, "py:percent").cells


def markdown(text: str) -> str:
    """Return the Markdown of a page."""
    return "\n\n".join(cell.source for cell in cells_of(text) if cell.cell_type == "markdown")


def measure(text: str, stem: str, kind: str = "lesson") -> Page:
    """Measure a page.

    Parameters
    ----------
    text : str
        Its text half, in jupytext's percent format.
    stem : str
        Its name, which begins with the number of the lesson.
    kind : str
        "lesson", "dossier" or "manual".
    """
    page = Page(stem, kind, markdown(text))
    said = _markdown(page)
    for cell in cells_of(text):
        tags = set(cell.metadata.get("tags", []))
        if cell.cell_type == "code" and "remove-cell" not in tags:
            if tags & FOLDING:
                page.folded += length(cell.source)
            else:
                page.visible += length(cell.source)
                page.wide += [line for line in cell.source.splitlines() if len(line) > COLUMN]
            said += _cell(page, ast.parse(cell.source), cell.metadata.get("mystnb", {}))
    page.words = sum(words(part) for part in said)
    page.sentences = [sentence for part in said for sentence in sentences(part)]
    page.translated = [phrase for part in said for phrase in translated(part, court=kind == "lesson")]
    return page


def _markdown(page: Page) -> list[str]:
    """Measure the Markdown of a page; return its prose."""
    tree = parse(page.text)
    for block in tree.walk():
        page.proofs += block.name == "prf:proof"
        page.figures += block.name in ("figure", "image")
        if block.name == "figure":
            page.captions.append(block.inside)
        if block.name == "admonition" and block.title.startswith("Exercise"):
            page.exercises.append((block.title, block.prose))
        if block.name == "admonition" and block.title == "In one minute":
            page.boxed = True
    page.figures += len(re.findall(r"!\[[^]]*\]\(", tree.prose))
    page.formulas = sum(formulas(display) for display in DISPLAY.findall(tree.prose))
    page.bracketed = [p for p in paragraphs(tree.prose) if _in_parentheses(p)]
    page.crowded = one_sentence_per_line(tree.prose)
    return [tree.prose]


def _cell(page: Page, tree: ast.Module, book: Mapping[str, Any]) -> list[str]:
    """Measure a code cell that a reader can see or unfold; return what it says in words."""
    page.figures += bool(book.get("figure") or book.get("image"))
    page.settles = page.settles or bool(calls(tree, "settle"))
    caption = book.get("figure", {}).get("caption", "")
    page.captions += [caption] if caption else []
    return [*([caption] if caption else []), *check_texts(tree)]


def _in_parentheses(paragraph: str) -> bool:
    """Whether the parenthesis that begins a paragraph ends with it."""
    text = paragraph.strip().rstrip(".")
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at == len(text) - 1
    return False


@cache
def read(path: Path) -> Page:
    """Measure a file."""
    return measure(path.read_text("utf-8"), path.stem, kind_of(path))


def pages() -> list[Path]:
    """Return the text halves of all pages."""
    return sorted(p for p in NOTEBOOKS.rglob("*.py") if not any(part.startswith(".") for part in p.parts[-3:]))


# ----------------------------------------------------------------------------------------------------- faults


def faults(page: Page) -> list[str]:
    """Return what a page of this kind must not have."""
    found = [f"caption of {words(text)} words, at most {CAPTION}: {text[:50]}…" for text in page.long_captions]
    found += [f"reads like a translation: {phrase!r}" for phrase in page.translated]
    found += [f"a paragraph in parentheses: {paragraph[:50]}…" for paragraph in page.bracketed]
    found += [f"more than one sentence in a line: {line.strip()[:50]}…" for line in page.crowded]
    if page.kind == "lesson":
        found += [f"a visible line of code above {COLUMN} characters: {line.strip()[:50]}…" for line in page.wide]
        found += _form(page)
    return found


def _form(page: Page) -> list[str]:
    """Return which parts of a lesson are missing."""
    asked = [(re.sub(r"^Exercise \d+ ", "", title), text) for title, text in page.exercises]
    kinds = [re.match(r"\((\w+), \d+ minutes\)", title) for title, _ in asked]
    by_kind = {match[1]: text for match, (_, text) in zip(kinds, asked, strict=True) if match}
    code = by_kind.get("code", "")
    last = re.findall(r"(?m)^#+ (.+?)\s*$", page.text)[-1:]
    rules = {
        "no box In one minute": page.boxed,
        "no Chinese abstract": "{zh}" in page.text,
        "no section Summary": section(page.text, "Summary") is not None,
        f"{len(asked)} exercises, at least three": len(asked) >= 3,
        "an exercise without its kind and minutes, as in (pencil, 10 minutes)": all(kinds),
        "no exercise (pencil, …)": "pencil" in by_kind,
        "no exercise (code, …) that asks for a client and its estimator": "client" in code and "estimat" in code,
        "no exercise (think, …)": "think" in by_kind,
        "no list of letters at the end": last == ["Letters"] and bool(page.letters),
        "settle, which belongs to dossiers": not page.settles,
    }
    return [complaint for complaint, kept in rules.items() if not kept]


# ----------------------------------------------------------------------------------------------------- report

COLUMNS: dict[str, Callable[[Page], object]] = {
    "words": lambda p: f"{p.words:,}",
    "min": lambda p: p.minutes,
    "+ex": lambda p: p.with_exercises,
    "shown": lambda p: p.visible,
    "folded": lambda p: p.folded,
    "figs": lambda p: p.figures,
    "eqs": lambda p: p.formulas,
    "proofs": lambda p: p.proofs,
    "exer": lambda p: len(p.exercises),
    f"s>{LONG}": lambda p: len(p.long_sentences),
}


def report(found: list[Page]) -> str:
    """Return one table of pages, and by kind the sum of their words and the median of their minutes."""
    rows = [["page", "kind", *COLUMNS], *([p.stem, p.kind, *(str(f(p)) for f in COLUMNS.values())] for p in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    lines.append("")
    for kind in dict.fromkeys(page.kind for page in found):
        own = [page for page in found if page.kind == kind]
        lines.append(
            f"{kind}: {sum(page.words for page in own):,} words"
            + f", {median(page.minutes for page in own):g} minutes in the median"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Print the table, and the faults."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", nargs="*", help="path or stem; without, all pages")
    names = parser.parse_args(arguments).page
    found = [read(path) for path in pages() if not names or path.stem in names]
    known = {page.stem for page in found}
    found += [read(path) for name in names if name not in known and (path := Path(name).resolve()).is_file()]
    if missing := [name for name in names if Path(name).stem not in {page.stem for page in found}]:
        parser.error(f"no such page: {', '.join(missing)}")
    print(report(found))
    complaints = [f"{page.stem}: {complaint}" for page in found for complaint in faults(page)]
    for complaint in complaints:
        print(f"\n{complaint}", end="")
    print()


if __name__ == "__main__":
    main()
