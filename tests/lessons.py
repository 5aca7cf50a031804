"""What a lesson defines, without running it: imports, constants, functions and classes of its code cells."""

import ast
from dataclasses import dataclass, field

import jupytext
from readability import FOLDING

KINDS = ast.FunctionDef | ast.ClassDef
# What a constant may be computed with; everything else may be slow, or draw random numbers.
QUICK = {"dict", "frozenset", "len", "list", "max", "min", "range", "set", "sorted", "sum", "tuple", "zip", "Fraction"}
QUICK |= {"abs", "float", "int", "str", "ceil", "exp", "floor", "log", "log2", "sqrt", "arange", "array", "linspace"}
QUICK |= {"eye", "index", "items", "keys", "ones", "product", "values", "zeros", "DataFrame"}


@dataclass
class Lesson:
    """Names that a lesson defines, in order, each with whether its cell is folded, and the code that defines them."""

    folded: dict[str, bool] = field(default_factory=dict)
    parts: list[ast.stmt] = field(default_factory=list)

    def namespace(self, **given):
        """Run what is kept; a constant that is computed from what was left out is left out, too."""
        names = {**given, "__name__": "lesson"}
        for part in self.parts:
            try:
                exec(compile(ast.Module([part], []), "lesson", "exec"), names)
            except NameError:
                if not isinstance(part, ast.Assign | ast.AnnAssign):
                    raise
        return names


def names_of(statement):
    """Names that a statement at the top of a cell defines."""
    if isinstance(statement, KINDS):
        return [statement.name]
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return [node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name)]


def quick(value):
    """Whether an expression calls nothing that may be slow."""
    called = [node.func for node in ast.walk(value) if isinstance(node, ast.Call)]
    return all(getattr(f, "id", getattr(f, "attr", "")) in QUICK for f in called)


def lesson(text):
    """Read the text half of a lesson."""
    found = Lesson()
    for cell in jupytext.reads(text, "py:percent").cells:
        tags = set(cell.metadata.get("tags", []))
        if cell.cell_type != "code" or "remove-cell" in tags:
            continue
        for statement in ast.parse(cell.source).body:
            constant = isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value and quick(statement.value)
            if constant or isinstance(statement, KINDS | ast.Import | ast.ImportFrom):
                found.parts.append(statement)
            if constant or isinstance(statement, KINDS):
                for name in names_of(statement):
                    found.folded[name] = found.folded.get(name, False) or bool(tags & FOLDING)
    return found
