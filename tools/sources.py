"""Find what of the packages the outputs of a chapter come from, without running the chapter.

That is all that the chapter names, and all that these definitions name in turn: functions, whole classes with their
bases, and constants down to what they are computed from.  A function that goes to a compiler or to another process is
named by the code that hands it over, and an import within a function counts like any other.  So everything that a
chapter executes is found.  Little else is: nearly all that is named is also run.

- A definition counts by its name and its syntax tree, and by the trees of what its names mean where it stands.
  Its module, comments, docstrings, annotations and layout count only for chapters whose code looks at them (`SHOWN`).
- A module counts as a whole where it is used other than by ``module.name``, as in ``getattr(module, name)``.
- A text with code for another process counts by its words, and a text ``"ldpnb.module"`` by what it means.
- Code that asks for subclasses comes from all classes that derive from others of the package.
- A statement of a module that is neither definition, assignment nor import belongs to every chapter.

Some changes escape:

- of a definition that is found by a computed name (``globals()[name]``, ``import_module(name)``), or in a registry that
  a decorator or ``__init_subclass__`` fills;
- of what a module's ``__getattr__`` computes itself, rather than fetches;
- of what an assignment in a module does besides assigning;
- of files that the package reads, other than the ledger and the records;
- of the file in which a definition stands, where code asks for it by ``__file__`` or a pickle;
- of the world outside.

``make notebooks ALL=1`` runs every chapter and says whose outputs changed nevertheless.
"""

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

PACKAGES = ("ldpnb", "ldpnb_book")
OURS = rf"\b(?:{'|'.join(PACKAGES)})\b"
SHOWN = {"getsource", "getdoc", "__doc__", "help", "signature", "get_type_hints", "__annotations__", "__module__"}


def digest(text: str) -> str:
    """Hash a text to 16 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def bare(tree: ast.Module) -> ast.Module:
    """Drop what does nothing: docstrings, other lone strings, and annotations of functions without decorators."""
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            body[:] = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(_text(s.value), str))]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list:  # they might read them
            node.returns = None
            for argument in ast.walk(node.args):
                if isinstance(argument, ast.arg):
                    argument.annotation = None
    return tree


def ours(full: str | None) -> bool:
    """Say whether a full name is one of the packages, or stands in one."""
    return (full or "").split(".")[0] in PACKAGES


def _text(node: ast.AST) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def shape(node: object) -> str:
    """Write a syntax tree as a text that is the same in all versions of Python, and names no module of the packages."""
    if isinstance(node, ast.ImportFrom) and (node.level or ours(node.module)):
        return f"Names({shape(node.names)})"
    if isinstance(node, ast.AST):
        fields = [(name, value) for name, value in ast.iter_fields(node) if value is not None and value != []]
        inner = (f"{name}={shape(value)}" for name, value in fields if name not in ("ctx", "kind", "type_comment"))
        return f"{type(node).__name__}({','.join(inner)})"
    return f"[{','.join(map(shape, node))}]" if isinstance(node, list) else repr(node)


def imported(tree: ast.AST, folder: list[str]) -> dict[str, set[str]]:
    """Give the full names of what each name means that a file imports, anywhere in it."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                found[alias.asname or first].add(alias.name if alias.asname else first)
        elif isinstance(node, ast.ImportFrom):
            above = folder[: len(folder) + 1 - node.level] if node.level else []
            for alias in node.names:
                last = alias.name if alias.name != "*" else None  # all that the module holds
                name = ".".join([*above, *filter(None, [node.module, last])])
                found[alias.asname or alias.name].add(name)
    return found


@dataclass(eq=False)
class Piece:
    """Statements that define one name of a module, or a whole chapter, and what the names imported there mean."""

    package: "Package"
    module: str
    name: str
    imports: dict[str, set[str]]
    nodes: list[ast.stmt] = field(default_factory=list)
    raw: str = ""

    @cached_property
    def shape(self) -> str:
        """Hash of name and syntax tree."""
        return digest(self.name + shape(self.nodes))

    @cached_property
    def every(self) -> list[ast.AST]:
        """All nodes of the tree."""
        return [node for top in self.nodes for node in ast.walk(top)]

    @cached_property
    def words(self) -> set[str]:
        """Identifiers that occur, attributes and names of methods among them."""
        return {getattr(node, kind) for node in self.every for kind in ("id", "attr", "name") if hasattr(node, kind)}

    @cached_property
    def links(self) -> dict[str, set["Piece | str"]]:
        """What is named here, by how: definitions of the package, and full names of what comes from elsewhere."""
        names = {"*", *(name for node in self.nodes for name in _names(node))}
        found = {name: self.package.means(self, name) for name in names}
        found["texts"] = {piece for node in self.every for piece in self.package.spoken(_text(node))}
        if "__subclasses__" in self.words:
            found["subclasses"] = {*self.package.derived}
        return {name: pieces for name, pieces in found.items() if pieces}


def _names(node: ast.AST) -> Iterator[str]:
    chain, inner = [], node
    while isinstance(inner, ast.Attribute):
        chain.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        yield ".".join([inner.id, *reversed(chain)])
    else:
        for child in ast.iter_child_nodes(inner):
            yield from _names(child)


def defined(node: ast.stmt) -> list[str] | None:
    """Names that a statement of a module defines; None for one that may do anything."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        flat = [n for t in targets for n in (t.elts if isinstance(t, ast.Tuple) else [t])]
        names = [n.id for n in flat if isinstance(n, ast.Name)]
        return names if len(names) == len(flat) else None
    typing = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not node.orelse
    return [] if typing or isinstance(node, ast.Import | ast.ImportFrom) else None


class Package:
    """The definitions of the packages, given their files: paths from where they are imported, in order, and texts."""

    def __init__(self, files: tuple[tuple[str, str], ...]) -> None:
        self.modules: dict[str, dict[str, Piece]] = {}
        self.imports: dict[str, dict[str, set[str]]] = {}
        self.named: dict[str, set[Piece]] = defaultdict(set)
        self.loose: list[Piece] = []
        for path, text in files:
            *folder, file = path.removesuffix(".py").split("/")
            module = ".".join(folder if file == "__init__" else [*folder, file])
            tree, lines = bare(ast.parse(text, path)), text.splitlines()
            for depth in range(len(folder)):  # one without __init__.py is a module, too
                self.modules.setdefault(".".join(folder[: depth + 1]), {})
            here, imports = self.modules.setdefault(module, {}), imported(tree, folder)
            self.imports[module] = imports
            for node in tree.body:
                names = defined(node)
                if names is None:
                    self.loose.append(Piece(self, module, "", imports, [node]))
                top = min(n.lineno for n in [node, *getattr(node, "decorator_list", [])])
                for name in names or []:
                    piece = here.setdefault(name, Piece(self, module, name, imports))
                    piece.nodes.append(node)
                    piece.raw += "\n".join([module, *lines[top - 1 : node.end_lineno]])
                    self.named[name].add(piece)

    @cached_property
    def derived(self) -> set[Piece]:
        """Classes that derive from others of the package."""
        found = set()
        for piece in set().union(*self.named.values()):
            bases = [base for node in piece.nodes if isinstance(node, ast.ClassDef) for base in node.bases]
            known = [self.means(piece, name) for base in bases for name in _names(base)]
            if any(isinstance(base, Piece) for bases in known for base in bases):
                found.add(piece)
        return found

    def means(self, piece: Piece, name: str) -> set[Piece | str]:
        """Definitions that a name means where a piece stands, and full names of what comes from elsewhere."""
        first, *rest = name.split(".")
        here = self.modules.get(piece.module, {})
        found: set[Piece | str] = {here[first]} if first in here else set()
        for full in piece.imports.get(first, ()):
            found.update(self.find(".".join([full, *rest])) if ours(full) else {full})
        return found

    def find(self, full: str) -> set[Piece]:
        """Definitions that a full name means, ``ldpnb.module.name``; all of a module for the module itself."""
        parts, depth = full.split("."), 1
        while ".".join(parts[: depth + 1]) in self.modules and depth < len(parts):
            depth += 1
        module = ".".join(parts[:depth])
        if depth == len(parts):
            held = [here for name, here in self.modules.items() if f"{name}.".startswith(f"{module}.")]
            return {piece for here in held for piece in here.values()}
        name, rest = parts[depth], parts[depth + 1 :]
        here = self.modules.get(module, {})
        if name in here:
            return {here[name]}
        again = {".".join([other, *rest]) for other in self.imports.get(module, {}).get(name, ())} - {full}
        if inside := [other for other in again if ours(other)]:
            return set().union(*map(self.find, inside))
        return self.named.get(name, set())  # a lazy package fetches it from wherever it stands

    def spoken(self, text: object) -> set[Piece]:
        """Definitions that a text speaks of: code for another process, or the full name of something."""
        if not isinstance(text, str) or not re.search(OURS, text):
            return set()
        if "import" not in text and not re.fullmatch(rf"{OURS}(\.\w+)+", text):
            return set()
        words = [self.named.get(word, set()) for word in re.findall(r"\w+", text)]
        return set().union(*words, *map(self.find, re.findall(rf"{OURS}(?:\.\w+)+", text)))

    def behind(self, chapter: str, name: str = "<text>") -> list[Piece]:
        """Give the chapter, what every chapter runs, and all definitions that these name, through one another."""
        tree = ast.parse(chapter, name)
        found = [Piece(self, "", "", imported(tree, []), tree.body), *self.loose]
        seen: set[Piece | str] = set()
        for piece in found:  # which grows on the way
            new = set().union(*piece.links.values()) - seen
            seen |= new
            found += [other for other in new if isinstance(other, Piece)]
        return found

    def sources(self, chapter: str, name: str = "<text>") -> str:
        """Write down what a chapter's outputs come from besides its text, the same wherever the definitions stand."""
        found = self.behind(chapter, name)
        shown = any(piece.words & SHOWN for piece in found)
        lines = set()
        for piece in found:
            line = [piece.shape, piece.raw if shown else ""] if piece.module else []
            for how, others in sorted(piece.links.items()):
                line += [how, *sorted(other if isinstance(other, str) else other.shape for other in others)]
            lines.add("\0".join(line))
        return "\n".join(sorted(lines))


package = cache(Package)
