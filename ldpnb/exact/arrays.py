"""What has to be known of numpy's arrays, numbers and generators, where numpy is loaded.

This part of the package imports the standard library alone.  Nobody can hand it an array without
having imported numpy; then, and only then, `arrays` imports `ldpnb.arrays`, which knows the
answers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable
from importlib import import_module
from typing import Any


class Arrays:
    """Answers where there are no arrays.

    Attributes
    ----------
    generators : tuple of type
        Sources of randomness beside those of this part.
    numbers : set of type
        Numbers that say what they are: a formula takes them for what they say.
    real, not_real : tuple of type
        Real numbers, and what is one by its class and not by its meaning.
    hashed_by_value : set of type
        Numbers whose hash is the same in every process.
    """

    generators: tuple[type, ...] = ()
    numbers: frozenset[type] = frozenset()
    real: tuple[type, ...] = ()
    not_real: tuple[type, ...] = ()
    hashed_by_value: frozenset[type] = frozenset()

    def is_array(self, kind: type) -> bool:
        """Whether this is the class of arrays itself."""
        return False

    def is_row(self, kind: type) -> bool:
        """Whether this is a class of rows of arrays with fields."""
        return False

    def holds(self, value: Any) -> bool:
        """Whether a value is an array or a scalar, of subclasses too."""
        return False

    def as_python(self, number: Any) -> Any:
        """Return a float of another precision as Python's, and anything else as it is."""
        return number

    def listed(self, values: Any) -> Any:
        """Return an array's rows as plain values, lists as tuples; None of anything else."""
        return None

    def form(self, value: Any) -> Hashable | None:
        """Return the form of an array of numbers, without pickling it; None of anything else."""
        return None

    def form_without_contents(self, array: Any) -> tuple[Any, ...]:
        """Return dtype, shape and layout of an array."""
        raise NotImplementedError

    def is_sent_by_name(self, part: Any) -> bool:
        """Whether pickle sends no more than the name of this object."""
        return False

    def reduced(self, part: Any) -> Any:
        """Return how pickle makes a dtype, with no part of another; NotImplemented of the rest."""
        return NotImplemented

    def stays_as_it_is(self, kind: type) -> bool:
        """Whether objects of a class are sent as they are, and answer the same each time."""
        return False

    def frozen(self, value: Any, freeze: Callable[[Any], Hashable]) -> Hashable:
        """Return an array as nested tuples; `freeze` takes what it holds once it is a list."""
        raise NotImplementedError

    def inside(self, value: Any) -> Iterable[Any]:
        """Return the objects that an array holds."""
        return ()

    def cure(self, value: Any, kind: type, parts: list[Any], difference: str) -> str | None:
        """Say how to bring arrays into one form, where an output contains some.

        Of one that came before `kind` is the class, and `difference` is in what it differs first.
        """
        return None

    def reads_as_numbers(self, value: Any) -> bool:
        """Whether this is an array of numbers, which read more easily than it prints."""
        return False


_known = Arrays()


def arrays() -> Arrays:
    """Return what is known of arrays: without numpy, that there are none."""
    if type(_known) is Arrays and sys.modules.get("numpy") is not None:
        import_module("ldpnb.arrays")
    return _known


def know(some: Arrays) -> None:
    """Take over what `ldpnb.arrays` knows."""
    global _known
    _known = some
