"""Every mechanism of the package, found by its class."""

from __future__ import annotations

import inspect
import pkgutil
import sys
from functools import cache
from importlib import import_module

from ldpnb.core import Mechanism

FAMILIES = ("oracles", "numbers", "strings", "keyvalue", "sets", "attributes")


def catalogue() -> dict[str, type[Mechanism]]:
    """Return the mechanisms of the package by the names of their classes.

    A mechanism is a class that can be built, lies in one of the families and has a label; nothing
    else lists it.

    Examples
    --------
    >>> catalogue()["GRR"].label
    'k-RR'
    """
    _load()
    families = tuple(f"ldpnb.{family}." for family in FAMILIES)
    found = []
    for kind in _below(Mechanism):  # type: ignore[type-abstract]
        in_a_family = kind.__module__.startswith(families)
        if in_a_family and not inspect.isabstract(kind) and kind.label:
            found.append(kind)
    return {kind.__name__: kind for kind in sorted(found, key=_place)}


@cache
def _load() -> None:
    for family in FAMILIES:
        path = import_module(f"ldpnb.{family}").__path__
        for module in pkgutil.iter_modules(path, f"ldpnb.{family}."):
            import_module(module.name)


def _below(kind: type[Mechanism]) -> set[type[Mechanism]]:
    """Return a class and all that are derived from it."""
    found = {kind}
    for heir in kind.__subclasses__():
        found |= _below(heir)
    return found


def _place(kind: type[Mechanism]) -> tuple[int, str, int]:
    """Sort key: family, module, order of definition."""
    family, module = kind.__module__.split(".")[1:3]
    defined = list(vars(sys.modules[kind.__module__]))
    return FAMILIES.index(family), module, defined.index(kind.__name__)
