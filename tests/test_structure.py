"""The rules of the house: imports point downwards, families do not know each other, nothing heavy loads by itself."""

import ast
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from ldpnb.core import Mechanism
from ldpnb.choose import catalogue

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = ("numbers", "strings", "keyvalue", "sets", "attributes")
DOOR = "ldpnb/_door.py"  # through which the names of every folder are handed out
BELOW = {
    "exact": {"exact"},
    "ground": {"exact", "ground"},
    "verify": {"exact", "ground", "verify"},
    "oracles": {"exact", "ground", "oracles"},
    **{family: {"exact", "ground", "verify", "oracles", family} for family in FAMILIES},
    "choose": {"exact", "ground", "verify", "oracles", *FAMILIES, "choose"},
    "collecting": {"exact", "ground", "verify", "oracles", *FAMILIES, "collecting"},
    "survey": {"exact", "ground", "verify", "oracles", *FAMILIES, "choose", "collecting", "survey"},
    "serve": {"exact", "ground", "verify", "oracles", *FAMILIES, "choose", "collecting", "survey", "serve"},  # names of 1.0.0
    "book": {"exact", "ground", "verify", "oracles", *FAMILIES, "choose", "collecting", "survey", "book"},
}
HEAVY = ("numba", "pandas", "matplotlib", "scipy.optimize", "scipy.stats", "seaborn", "dask", "distributed")
HOMES = {"ldpnb": ROOT, "ldpnb_book": ROOT / "book"}  # the folder that each package is imported from
FILES = {
    path.relative_to(home).as_posix(): path.read_text("utf-8")
    for name, home in HOMES.items()
    for path in (home / name).rglob("*.py")
}


def part(path):
    parts = path.split("/")
    if parts[0] == "ldpnb_book":
        return "book"
    return parts[1] if len(parts) > 2 else "ground"


@cache
def imports(source, everywhere=True):
    """Names of what a module imports, as (module, name); not what type checkers alone see."""
    tree = ast.parse(source)
    for_types = {id(n) for node in tree.body if isinstance(node, ast.If) for n in ast.walk(node)}
    found = []
    for node in ast.walk(tree) if everywhere else tree.body:
        if id(node) not in for_types and isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif id(node) not in for_types and isinstance(node, ast.ImportFrom):
            found += [(node.module, alias.name) for alias in node.names]
    return found


def wanted(source, files):
    """Files of the packages that a module imports."""
    found = set()
    for module, name in imports(source):
        if module.split(".")[0] in HOMES:
            stems = [module.replace(".", "/"), f"{module}.{name}".replace(".", "/")]
            found |= {p for stem in stems for p in (f"{stem}.py", f"{stem}/__init__.py") if p in files}
    return found


def sideways(files):
    """Imports against the arrows."""
    return [
        f"{path} imports {other}"
        for path, source in files.items()
        for other in sorted(wanted(source, files) - {"ldpnb/__init__.py", DOOR})
        if part(other) not in BELOW[part(path)]
    ]


def circle(files):
    """One circle of imports, if there is one."""
    arrows = {path: wanted(source, files) - {path} for path, source in files.items() if path != "ldpnb/__init__.py"}
    while ready := [path for path, others in arrows.items() if not others & arrows.keys()]:
        for path in ready:
            del arrows[path]
    return sorted(arrows)


def heavy(files):
    """Heavy imports at the head of a module outside the book's part."""
    return [
        f"{path} imports {module}"
        for path, source in files.items()
        if part(path) != "book"
        for module, name in imports(source, everywhere=False)
        if module.startswith(HEAVY) or f"{module}.{name}" in HEAVY
    ]


def foreign(files):
    """Imports of `exact` that are neither of the standard library nor of `exact` itself."""
    return [
        f"{path} imports {module}"
        for path, source in {DOOR: files[DOOR], **files}.items()
        if part(path) == "exact" or path == DOOR
        for module, _ in imports(source)
        if module.split(".")[0] not in sys.stdlib_module_names and not module.startswith(("ldpnb.exact", "ldpnb._door"))
    ]


def test_exact_imports_the_standard_library_alone():
    assert foreign(FILES) == []


def test_imports_point_downwards():
    assert sideways(FILES) == []


def test_there_is_no_circle():
    assert circle(FILES) == []


def test_nothing_heavy_is_imported_at_the_head_of_a_module():
    assert heavy(FILES) == []


@pytest.mark.parametrize(
    "rule, planted",
    [
        (sideways, {"ldpnb/sets/sampling.py": "from ldpnb.strings.rappor import RAPPOR"}),
        (sideways, {"ldpnb/oracles/hadamard.py": "def f():\n    from ldpnb import verify"}),
        (sideways, {"ldpnb/chance.py": "from ldpnb.oracles import frequency"}),
        (sideways, {"ldpnb/exact/coins.py": "from ldpnb import chance"}),
        (sideways, {"ldpnb/choose/questions.py": "def f():\n    from ldpnb_book import ledger"}),
        (foreign, {"ldpnb/exact/coins.py": "import numpy as np"}),
        (foreign, {"ldpnb/exact/coins.py": "def f():\n    from ldpnb.checks import check_text"}),
        (circle, {"ldpnb/chance.py": "from ldpnb import core"}),
        (heavy, {"ldpnb/chance.py": "import pandas as pd"}),
        (heavy, {"ldpnb/choose/questions.py": "from scipy import optimize"}),
    ],
)
def test_a_planted_fault_is_caught(rule, planted):
    assert rule(FILES | planted)


FOLDERS = [f"ldpnb.{name}" for name in (*FAMILIES, "exact", "verify", "oracles", "choose", "collecting", "survey")]


@pytest.mark.parametrize("folder", [*FOLDERS, "ldpnb_book"])
def test_a_family_has_a_door_whose_names_are_there_and_are_no_modules(folder):
    package = import_module(folder)
    places = ("ldpnb.verify.", "ldpnb.exact.") if folder == "ldpnb.verify" else (f"{folder}.",)
    for name in package.__all__:
        place = getattr(getattr(package, name), "__module__", "")
        assert name.isupper() or name == "Law" or place.startswith(places), name
        assert f"{folder.replace('.', '/')}/{name}.py" not in FILES


def test_every_module_says_what_lives_there():
    assert [path for path, source in FILES.items() if not ast.get_docstring(ast.parse(source))] == []


# -------------------------------------------------------------------------------------------------------- depth

BETWEEN = 2  # classes from a mechanism to `Mechanism`, so that its methods are found in a few places


def deep(kinds):
    """Mechanisms with more classes of ours on their way to `Mechanism`, or beside it, with these classes."""
    found = {}
    for kind in kinds:
        ours = [base for base in kind.__mro__[1:] if base.__module__.startswith("ldpnb.") and base is not Mechanism]
        if len(ours) > BETWEEN:
            found[kind.__name__] = [base.__name__ for base in ours]
    return found


def test_few_classes_are_between_a_mechanism_and_the_base_of_all():
    assert deep(catalogue().values()) == {}


@pytest.mark.parametrize("bases", [("PrivKV",), ("HarmonyFrequency", "StateEncoding")])
def test_a_planted_class_too_many_is_caught(bases):
    """One below a mechanism that has all it may have, and one that takes from two families."""
    kinds = [catalogue()[name] for name in bases]
    planted = type("Planted", tuple(kinds), {})
    assert list(deep([*catalogue().values(), planted])) == ["Planted"]


def test_what_is_mixed_in_beside_the_base_counts():
    mixed = type("Mixed", (), {"__module__": "ldpnb.asked"})
    planted = type("Planted", (mixed, catalogue()["PrivKV"].__base__), {})
    assert deep([planted]) == {"Planted": ["Mixed", "SampledKey", "SignedTernary"]}
