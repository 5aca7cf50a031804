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

    A mechanism is a class that can be built, lies in one of the families and has a label; nothing else lists it.

    Examples
    --------
    >>> catalogue()["GRR"].label
    'k-RR'
    """
    _load()
    found = [
        kind
        for kind in _below(Mechanism)  # type: ignore[type-abstract]
        if kind.__module__.startswith(tuple(f"ldpnb.{f}." for f in FAMILIES))
    ]
    return {kind.__name__: kind for kind in sorted(found, key=_place) if not inspect.isabstract(kind) and kind.label}


@cache
def _load() -> None:
    for family in FAMILIES:
        path = import_module(f"ldpnb.{family}").__path__
        for module in pkgutil.iter_modules(path, f"ldpnb.{family}."):
            import_module(module.name)


def _below(kind: type[Mechanism]) -> set[type[Mechanism]]:
    return {kind}.union(*map(_below, kind.__subclasses__()))


def _place(kind: type[Mechanism]) -> tuple[int, str, int]:
    """Sort key: family, module, order of definition."""
    family, module = kind.__module__.split(".")[1:3]
    return FAMILIES.index(family), module, list(vars(sys.modules[kind.__module__])).index(kind.__name__)
