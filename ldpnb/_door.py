"""Doors of packages: their public names, each imported when it is first asked for.

What the plain install has not, `needs` says.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# of a module, whose attributes are of any type
GetAttribute = Callable[[str], Any]
Names = Callable[[], list[str]]


def door(
    package: str,
    file: str,
    **needed: tuple[str, ...],
) -> tuple[GetAttribute, Names, list[str]]:
    """Return a package's ``__getattr__``, ``__dir__`` and ``__all__``.

    The names are those that its ``__init__.py`` imports under ``if TYPE_CHECKING``, so that they
    are written down once and type checkers see the real things.

    Parameters
    ----------
    package, file : str
        ``__name__`` and ``__file__`` of the package.
    needed : tuple of str
        By the name of an extra: packages of it that all modules behind this door need.

    Raises
    ------
    ImportError
        If one of these is not installed.
    """
    for extra, packages in needed.items():
        needs(package, extra, *packages)
    places = _places(Path(file))
    names = sorted(places)

    def get(name: str) -> Any:
        if name in places:
            value = getattr(import_module(places[name]), name)
        elif not name.startswith("_") and find_spec(f"{package}.{name}"):
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return names

    return get, listed, names


def _places(file: Path) -> dict[str, str]:
    """Return the module of each name that a file imports under an ``if``."""
    places = {}
    for part in ast.parse(file.read_text("utf-8")).body:
        if not isinstance(part, ast.If):
            continue
        for node in part.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    places[alias.name] = node.module
    return places


def needs(what: str, extra: str, *packages: str) -> None:
    """Refuse to go on where optional packages are not installed, and say how to install them.

    Parameters
    ----------
    what : str
        What needs them, for example ``"ldpnb_book"``.
    extra : str
        The extra of ldpnb that brings them.
    packages : str
        Names that are imported; none is imported here.

    Raises
    ------
    ImportError
        If one of them is not installed.
    """
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        cure = f"pip install 'ldpnb[{extra}]'"
        raise ImportError(f"{what} needs {', '.join(missing)}: {cure}", name=missing[0])
