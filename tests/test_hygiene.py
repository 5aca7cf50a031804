"""What the committed files must and must not contain.

A check takes a text or a notebook and returns its complaints. Each is run on the project's own files, and on
planted violations that it must catch: a check that cannot fail proves nothing.
"""

import ast
import itertools
import re
import subprocess
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath

import chinese
import nbformat
import pytest
import run_notebooks
import yaml
from export import HINT
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from readability import cells_of, one_sentence_per_line, prose

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
SIZE_LIMIT = 500_000  # bytes of a notebook


# --- checks of a notebook


def code(notebook):
    """Yield the code cells with their number, counted from 1."""
    yield from enumerate((c for c in notebook.cells if c.cell_type == "code"), 1)


def text_of(output):
    """Return all that an output says in words."""
    data = output.get("data", {})
    return "\n".join([output.get("text", "")] + [v for k, v in data.items() if k.startswith("text/")])


def executed_in_order(notebook):
    return [
        f"code cell {i} has execution count {c.execution_count}" for i, c in code(notebook) if c.execution_count != i
    ]


def clean_outputs(notebook):
    found = []
    for i, cell in code(notebook):
        for output in cell.outputs:
            if output.output_type == "error":
                found.append(f"code cell {i} shows a traceback")
            if output.get("name") == "stderr":
                found.append(f"code cell {i} writes to standard error")
            if re.search(r"\b0x[0-9a-fA-F]{6,}\b", text_of(output)):
                found.append(f"code cell {i} shows the address of an object")
            if "progress" in str(output.get("data", {}).keys()) or "\r" in text_of(output):
                found.append(f"code cell {i} stores a progress bar")
    return found


def no_trailing_semicolon(notebook):
    # IPython hides the value of such a cell, nbval shows it: stored and fresh outputs would differ
    def last(cell):
        lines = [line.split("#")[0].rstrip() for line in cell.source.splitlines()]
        return next((line for line in reversed(lines) if line), "")

    return [f"code cell {i} ends with a semicolon" for i, c in code(notebook) if last(c).endswith(";")]


def captioned(notebook):
    found = []
    for i, cell in code(notebook):
        if any(k.startswith("image/") for o in cell.outputs for k in o.get("data", {})):
            book = cell.metadata.get("mystnb", {})
            caption = book.get("figure", {}).get("caption", "").strip()
            alt = book.get("image", {}).get("alt", "").strip()
            if not caption:
                found.append(f"the figure of code cell {i} has no caption")
            if not 40 <= len(alt) <= 400:
                found.append(f"the alt text of code cell {i} must have 40 to 400 characters, it has {len(alt)}")
            if caption and caption == alt:
                found.append(f"caption and alt text of code cell {i} are the same")
    return found


def says_how_to_install(notebook):
    # for who opens it outside the book; in a notebook to download a cell installs the package instead
    first = next((c for c in notebook.cells if c.cell_type == "code"), None)
    good = first is None or first.source.startswith(f"{HINT}\n")
    return [] if good else [f"the first code cell must begin with {HINT!r}"]


def small(notebook):
    size = len((nbformat.writes(notebook) + "\n").encode())
    return [f"{size} bytes, at most {SIZE_LIMIT} are allowed"] if size > SIZE_LIMIT else []


@pytest.mark.parametrize(
    "check",
    [executed_in_order, clean_outputs, no_trailing_semicolon, captioned, says_how_to_install, small],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("ipynb", CHAPTERS, ids=lambda p: p.stem)
def test_chapter(ipynb, check):
    assert check(nbformat.read(ipynb, as_version=4)) == []


@pytest.mark.parametrize("ipynb", CHAPTERS, ids=lambda p: p.stem)
def test_chapter_is_fresh(ipynb):
    py = ipynb.with_suffix(".py")
    assert run_notebooks.stored(ipynb) == run_notebooks.fingerprint(py), f"{py.stem} is stale: make notebooks"


def cell(source="x", count=1, outputs=(), **metadata):
    return new_code_cell(source, execution_count=count, outputs=list(outputs), metadata=metadata)


PLAIN = new_output("stream", name="stdout", text="PASS  Theorem 1  ε = 1.000\n")
FIGURE = new_output("display_data", data={"image/png": "aGVsbG8=", "text/plain": "<Figure size 640x400>"})
ALT = "Line plot of error against ε; it falls from 1 to 0.1."
BOOK = {"figure": {"caption": "Error of one share. It falls."}, "image": {"alt": ALT}}


def stream(name, text):
    return new_output("stream", name=name, text=text)


@pytest.mark.parametrize(
    "check",
    [executed_in_order, clean_outputs, no_trailing_semicolon, captioned, says_how_to_install, small],
    ids=lambda f: f.__name__,
)
def test_good_chapter_passes(check):
    good = [new_markdown_cell("Words; words;"), cell(f"{HINT}\nimport x")]
    good += [cell(count=2, outputs=[PLAIN]), cell("f(';')  # a;", 3, [FIGURE], mystnb=BOOK)]
    assert check(new_notebook(cells=good)) == []


@pytest.mark.parametrize(
    ("check", "bad", "complaint"),
    [
        (executed_in_order, cell(count=2), "execution count 2"),
        (clean_outputs, cell(outputs=[stream("stderr", "a warning")]), "standard error"),
        (clean_outputs, cell(outputs=[new_output("error", ename="E", evalue="", traceback=[])]), "traceback"),
        (clean_outputs, cell(outputs=[stream("stdout", "<object at 0x7f3a5c0d1e20>")]), "address"),
        (clean_outputs, cell(outputs=[stream("stdout", "\r 10 %")]), "progress"),
        (no_trailing_semicolon, cell("plot(x);  # draw\n# done\n"), "semicolon"),
        (captioned, cell(outputs=[FIGURE], mystnb={"image": {"alt": ALT}}), "no caption"),
        (captioned, cell(outputs=[FIGURE], mystnb={"figure": BOOK["figure"]}), "has 0"),
        (captioned, cell(outputs=[FIGURE], mystnb={**BOOK, "image": {"alt": "A " * 300}}), "has 599"),
        (captioned, cell(outputs=[FIGURE], mystnb={**BOOK, "figure": {"caption": ALT}}), "the same"),
        (says_how_to_install, cell(f"import x\n{HINT}\n"), "must begin with"),
        (small, cell(outputs=[stream("stdout", "x" * 600_000)]), "bytes"),
    ],
)
def test_planted_violation_in_a_chapter_is_caught(check, bad, complaint):
    assert [c for c in check(new_notebook(cells=[bad])) if complaint in c]


# --- checks of a text

REGISTRY = re.compile(
    r"""pypi\.(org|python\.org|tuna)|pythonhosted\.org|npmjs\.(org|com)|yarnpkg\.com|crates\.io|proxy\.golang\.org
    |conda\.anaconda\.org|deb\.debian\.org|(archive|security)\.ubuntu\.com|/simple/?(?=[\s"']|$)
    |--(extra-)?index-url|--find[-]links|--trusted[-]host|(?m:^\s*-[if]\s+(https?|file):)""",
    re.VERBOSE,
)
MACHINE = re.compile(r"(?<![\w.~}/])/(work|root|tmp|opt|var/tmp|home/\w+|Users/\w+|mnt)(?=/|\b)(?!\.)(?!-)")


def tracked():
    """Text files of the project: those git knows or would add, or all where there is no git."""
    try:
        ask = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(ask, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        files = [ROOT / name for name in names if name]
    except (OSError, subprocess.CalledProcessError):
        hidden = re.compile(r"(^|/)(\.(?!gitignore|gitattributes|ci|github)|_build|build|__pycache__|\w+\.egg-info)")
        files = [p for p in ROOT.rglob("*") if not hidden.search(p.relative_to(ROOT).as_posix())]
    return sorted(p for p in set(files) if p.is_file() and b"\0" not in p.read_bytes())


def words(path):
    """Text of a file, without the images in a notebook: their letters are dice."""
    return re.sub(r'"image/\w+": "[^"]*"', "", path.read_text("utf-8"))


def no_registry(text):
    return [f"registry address {m.group().strip()!r}" for m in REGISTRY.finditer(text)]


def no_machine_path(text):
    return [f"machine path {m.group()!r}" for m in MACHINE.finditer(text)]


@pytest.mark.parametrize("check", [no_registry, no_machine_path], ids=lambda f: f.__name__)
def test_committed_files(check):
    files = tracked()
    assert ROOT / "pyproject.toml" in files
    found = [f"{p.relative_to(ROOT)}: {complaint}" for p in files for complaint in check(words(p))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("check", "planted"),
    [
        (no_registry, "see https://files.python" + "hosted.org/packages/x"),
        (no_registry, "pip install --index" + "-url http://10.0.0.1 x"),
        (no_registry, "url = http://mirror.local/sim" + "ple/\n"),
        (no_registry, "numpy\n-" + "f file:wheels"),
        (no_machine_path, 'File "/t' + 'mp/ipykernel_12/3.py"'),
    ],
)
def test_planted_address_is_caught(check, planted):
    assert check(planted)


def test_harmless_text_passes():
    harmless = "frame/wo" + "rk/items, https://example.org/home/x, a simple rule, 1/root, `{root}/tmp`, ../tmp"
    assert no_registry(harmless) + no_machine_path(harmless) == []


# --- prose


def no_amsmath(text):
    # such a block is text to the book, whose parser leaves it out (see _config.yml)
    return [line for line in prose(text) if re.match(r"\s*\\begin\{", line)]


def chinese_tagged(text):
    # what has no tag is read out by an English voice; claims and references get theirs from the extension
    tagged = r'<span lang="zh-Hans">[^<]*</span>|^(:{3,})\{zh\}\n.*?^\1$'
    rest = re.sub(tagged, "", text, flags=re.MULTILINE | re.DOTALL)
    return [line for line in rest.splitlines() if re.search(f"[{chinese.HAN}]", line)]


@cache
def proses():
    """Markdown of the pages and of the chapters, by name."""
    pages = {
        p.relative_to(ROOT).as_posix(): p.read_text("utf-8")
        for p in [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "book").rglob("*.md"))]
    }
    for py in sorted((ROOT / "notebooks").rglob("*.py")):
        pages[py.name] = "\n\n".join(c.source for c in cells_of(py.read_text("utf-8")) if c.cell_type == "markdown")
    return pages


@pytest.mark.parametrize("check", [one_sentence_per_line, no_amsmath, chinese_tagged], ids=lambda f: f.__name__)
def test_prose(check):
    found = [f"{name}: {line}" for name, text in proses().items() for line in check(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("check", "planted"),
    [
        (one_sentence_per_line, "One reply says little. Many replies say much."),
        (one_sentence_per_line, "第一句。第二句。"),
        (chinese_tagged, "To perturb, 扰动, is the client's part."),
        (chinese_tagged, ":::{zh}\n扰动。\n:::\n聚合。"),
        (no_amsmath, "Thus\n\\begin{align}\na &= b\n\\end{align}"),
    ],
)
def test_planted_prose_is_caught(check, planted):
    assert check(planted)


HARMLESS = """See Sun et al. The rest, by T. Brijs and Dr. Who, is in Fig. Two, resp. Table Three, e.g. Here.
The survey says "It is small. Others are large." and stops.
```python
x = 'Some text. And more.'
```
| A sentence here. Another one | in a table. Fine |
$$
\\begin{aligned}
a &= b
\\end{aligned}
$$ (eq-a)
- **Large domains.** A check walks through a small one.
:caption: Some words here. More words.
:::{zh}
第一句。
他说：“没有。”
:::
And <span lang="zh-Hans">扰动，聚合</span>.
"""


def test_harmless_prose_passes():
    assert one_sentence_per_line(HARMLESS) + no_amsmath(HARMLESS) + chinese_tagged(HARMLESS) == []


# --- the Chinese abstract of a chapter

BOX = r"^:::\{admonition\} In one minute\n(?:.*\n)*?:::\n"
ABSTRACT = r"\n:::\{zh\}\n((?:.*\n)*?):::\n"


def chinese_abstract(text):
    """Complaints on the abstract of a chapter, given its Markdown: its place, its length, its numbers."""
    match = re.search(BOX + ABSTRACT, text, flags=re.MULTILINE)
    if not match or text.count("{zh}") != 1:
        return ["the box In one minute is not followed by the one Chinese abstract"]
    lines = match[1].splitlines()
    if lines == ["To be translated."]:
        return []
    found = [f"{line!r} is no sentence" for line in lines if not re.search(f"[{chinese.HAN}].*。$", line)]
    if not 4 <= len(lines) <= 8:
        found.append(f"{len(lines)} sentences, 4 to 8 are wanted")
    own, rest = (set(re.findall(r"(?<![\w.])\d+(?:[.,]\d+)*", t)) for t in (match[1], text.replace(match[1], "")))
    return found + [f"the number {number} is not in the English text" for number in sorted(own - rest)]


@pytest.mark.parametrize("ipynb", [p for p in CHAPTERS if p.parent.name != "papers"], ids=lambda p: p.stem)
def test_chapter_has_a_chinese_abstract(ipynb):
    assert chinese_abstract(proses()[ipynb.with_suffix(".py").name]) == []


OPENING = """# A chapter

:::{admonition} In one minute
A mean of 0.3 and 6,366 people.

More.
:::

:::{zh}
均值为 $0.3$。
人数为 6,366。
方差见正文（$x^2$）。
没有别的。
:::

The squares are 2.
"""


def test_good_abstract_passes():
    assert chinese_abstract(OPENING) == []
    assert chinese_abstract(re.sub("(?s)(?<={zh}\n).*?(?=:::)", "To be translated.\n", OPENING)) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (":::{zh}", "A sentence between.\n\n:::{zh}", "not followed"),
        ("The squares", ":::{zh}\n又一篇。\n:::\n\nThe squares", "not followed"),
        ("人数为 6,366。\n", "", "3 sentences"),
        ("人数为", "人数为\n", "'人数为' is no sentence"),
        ("方差见正文（$x^2$）。", "To be translated.", "'To be translated.' is no sentence"),
        ("人数为 6,366", "人数为 6,3660", "the number 6,3660 is not"),
    ],
)
def test_planted_fault_of_an_abstract_is_caught(old, new, complaint):
    assert old in OPENING
    assert [c for c in chinese_abstract(OPENING.replace(old, new, 1)) if complaint in c]


# --- the glossary


def glossary_complaints(text):
    """Complaints on a glossary: the order of its entries, and what each is made of."""
    entries = re.search(r"^```\{glossary\}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)[1].split("\n\n")
    terms = [entry.split("\n")[0] for entry in entries]
    keys = [term.casefold().replace("–", "-") for term in terms]
    found = [f"{b!r} stands behind {a!r}" for a, b in itertools.pairwise(keys) if a >= b]
    for term, entry in zip(terms, entries, strict=True):
        _, *lines = entry.rstrip().split("\n")
        if not lines or not re.fullmatch(r'  <span lang="zh-Hans">[^<]+</span>\\', lines[0]):
            found.append(f"{term!r} has no Chinese name")
        elif not 1 <= len(lines[1:]) <= 2 or not all(re.match(r"  \S.*\.$", line) for line in lines[1:]):
            found.append(f"{term!r} is not explained in one or two sentences")
    return found


def test_glossary():
    assert glossary_complaints((ROOT / "book" / "glossary.md").read_text("utf-8")) == []


WORDS = """```{glossary}
aggregate
  <span lang="zh-Hans">聚合</span>\\
  To add up.

law
  <span lang="zh-Hans">概率律</span>\\
  All probabilities.
  They sum to one.
```
"""


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("aggregate", "mean", "'law' stands behind 'mean'"),
        ('  <span lang="zh-Hans">概率律</span>\\\n', "", "'law' has no Chinese name"),
        ("To add up.", "To add up", "'aggregate' is not explained"),
    ],
)
def test_planted_fault_of_the_glossary_is_caught(old, new, complaint):
    assert glossary_complaints(WORDS) == []
    assert old in WORDS
    assert [c for c in glossary_complaints(WORDS.replace(old, new, 1)) if complaint in c]


# --- references to the package

HOMES = {"ldpnb": ROOT, "ldpnb_book": ROOT / "book"}  # the folder that each package is imported from
FILES = {path: home for name, home in HOMES.items() for path in sorted((home / name).rglob("*.py"))}
DOTTED = [".".join(p.relative_to(FILES[p]).with_suffix("").parts).removesuffix(".__init__") for p in FILES]
MODULES = {name.split(".")[-1].lstrip("_"): name for name in DOTTED if name not in ("ldpnb", "ldpnb.book")}


def there(thing, names):
    """Whether a module has a name, that one the next, and so on; a field of a dataclass may end them."""
    for name in names:
        if name in getattr(thing, "__annotations__", {}):
            return name == names[-1]
        if not hasattr(thing, name):
            return False
        thing = getattr(thing, name)
    return True


def dangling(text):
    """Code in backticks, `module.name` or `ldpnb.module.name`, that points to nothing."""
    found = []
    for whole, package, module, names in re.findall(r"`((ldpnb\.)?(\w+)((?:\.\w+)*))[`(]", text):
        if package:
            if not there(import_module("ldpnb"), [module, *names.split(".")[1:]]):
                found.append(whole)
        elif module in MODULES and not there(import_module(MODULES[module]), names.split(".")[1:]):
            found.append(whole)
    return found


def test_references_to_the_package():
    parts = ("ldpnb/**/*.py", "book/**/*.py", "book/**/*.md", "notebooks/**/*.py")
    files = [p for part in parts for p in sorted(ROOT.glob(part))]
    found = [f"{p.relative_to(ROOT)}: {complaint}" for p in files for complaint in dangling(p.read_text("utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("planted", ["`bitflip.likeliest`", "`ldpnb_book.gallery.moments`", "`ldpnb.loss`", "``core.Tally.total(1)``"])
def test_planted_reference_is_caught(planted):
    assert dangling(planted)


def test_harmless_references_pass():
    assert dangling("`tables.likeliest`, `ldpnb.attributes`, `core.Tally.n`, `ldpnb`, `rng.random()`, a.shape") == []


# --- the lock file


def stable_order(text):
    # how numpy orders equal numbers, and what a partition leaves unordered, depends on the processor
    found = []
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        kinds = [k.value.value for k in node.keywords if k.arg == "kind" and isinstance(k.value, ast.Constant)]
        if node.func.attr == "argpartition" or (node.func.attr in ("argsort", "sort_values") and kinds != ["stable"]):
            found.append(ast.unparse(node))
    return found


def test_the_order_of_equals_is_the_same_on_every_machine():
    files = sorted([*FILES, *(ROOT / "notebooks").rglob("*.py")])
    assert files and {p.name: found for p in files if (found := stable_order(p.read_text("utf-8")))} == {}


@pytest.mark.parametrize("planted", ["np.argsort(x)", "a[np.argpartition(x, 3)[:3]]", 'f.sort_values("a")'])
def test_planted_loose_order_is_caught(planted):
    assert stable_order(planted)


def test_harmless_order_passes():
    assert stable_order('np.argsort(-x, axis=1, kind="stable"), f.sort_values("a", kind="stable"), sorted(x)') == []


def one_version_each(requirements):
    lines = requirements.replace(" \\\n", "").splitlines()
    pins = [re.fullmatch(r"([\w.-]+)==[\w.+!]+( ; .*?)?((    --hash=sha256:[0-9a-f]{64})+)", line) for line in lines]
    names = [pin.group(1) for pin in pins if pin]
    return [
        f"{line!r:.40} pins no version, or no file of it" for line, pin in zip(lines, pins, strict=True) if not pin
    ] + [
        f"{name} has several versions, so outputs would depend on the Python" for name in names if names.count(name) > 1
    ]


def test_lock_file():
    for name in ("requirements.txt", "tools/chapters.txt", "tests/benchmarks/peers.txt"):
        assert one_version_each((ROOT / name).read_text("utf-8")) == []
    texts = [(ROOT / name).read_text("utf-8") for name in ("requirements.txt", "tools/chapters.txt")]
    all_, chapters = (set(re.findall(r"^[\w.-]+==[^ ]+", text, flags=re.M)) for text in texts)
    assert chapters < all_


SUM = f" \\\n    --hash=sha256:{'0' * 64}"


@pytest.mark.parametrize(
    "planted", ["numpy>=2", "numpy==2", f"a==2 ; os_name == 'nt'{SUM}\na==3{SUM}", f"a==2{SUM[:-1]}"]
)
def test_planted_looseness_in_the_lock_file_is_caught(planted):
    assert one_version_each(f"numpy==2.4{SUM}\nscipy==1.17.1 ; os_name == 'nt'{SUM}{SUM}") == []
    assert one_version_each(planted)


# --- the table of contents


def listed(toc):
    """Files that a table of contents names, at any depth."""
    if isinstance(toc, dict):
        own = [toc[k] for k in ("root", "file") if k in toc]
        return own + [name for value in toc.values() if isinstance(value, list) for name in listed(value)]
    return [name for entry in toc for name in listed(entry)]


def toc_complaints(toc, pages):
    names = listed(toc)
    return (
        [f"{name} is listed twice" for name in sorted(set(names)) if names.count(name) > 1]
        + [f"{name} is listed and does not exist" for name in sorted(set(names) - set(pages))]
        + [f"{name} exists and is not listed" for name in sorted(set(pages) - set(names))]
    )


def wrong_numbers(toc):
    """Lessons whose file does not begin with the number that the site prints, which it gives by their order."""
    numbered = [part["chapters"] for part in toc["parts"] if part.get("numbered")]
    names = [PurePosixPath(chapter["file"]) for chapters in numbered for chapter in chapters]
    return [
        f"{name} is lesson {number}"
        for number, name in enumerate(names, 1)
        if name.parent.name == "notebooks" and not name.name.startswith(f"{number:02d}_")
    ]


def test_contents_list_every_page_once():
    book = [p for p in (ROOT / "book").rglob("*.md") if "examples" not in p.parts]  # those say how to run the examples
    pages = [p.relative_to(ROOT).with_suffix("").as_posix() for p in [*CHAPTERS, *book]]
    assert toc_complaints(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8")), pages) == []


@pytest.mark.parametrize(
    ("pages", "complaint"),
    [
        (["book/a"], "notebooks/b is listed and does not exist"),
        (["book/a", "notebooks/b", "book/c"], "book/c exists and is not listed"),
    ],
)
def test_planted_gap_in_the_contents_is_caught(pages, complaint):
    toc = {"root": "book/a", "parts": [{"caption": "One", "chapters": [{"file": "notebooks/b"}]}]}
    assert toc_complaints(toc, ["book/a", "notebooks/b"]) == []
    assert toc_complaints(toc, pages) == [complaint]


def test_lessons_are_numbered_in_the_order_of_the_contents():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    lessons = sorted(p.stem for p in CHAPTERS if p.parent.name == "notebooks")
    assert wrong_numbers(toc) == []
    assert [name for name in listed(toc) if PurePosixPath(name).stem in lessons] == [f"notebooks/{x}" for x in lessons]


@pytest.mark.parametrize("files", [["02_b", "01_a"], ["01_a", "03_b"], ["manual/a", "01_b"]])
def test_planted_wrong_number_of_a_lesson_is_caught(files):
    chapters = [{"file": f"notebooks/{name}"} for name in files]
    assert wrong_numbers({"parts": [{"chapters": chapters}]}) == []
    assert wrong_numbers({"parts": [{"numbered": True, "chapters": chapters}]})
