"""What a client gets in place of a number, and what it is told when it asks what depends on ε."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

if TYPE_CHECKING:
    from ldpnb.exact.formulas import Field


NUMBERS = (int, float, Fraction)  # what stands where symbols do
# attributes by which arrays are known, and no number is
SHAPES = {"ndim", "dtype", "shape", "size"}
# what asks for a number, or adds to it, and computes no coin
STEPS = set(
    "floor ceil trunc round int index floordiv rfloordiv mod rmod divmod rdivmod "
    "add radd sub rsub neg pos abs".split()
)
COMPARED = (
    "let no step depend on ε, and leave out checks of coins, also min, max and clip: "
    "toss refuses what is no probability"
)
CURE = (
    "a proof for every ε needs coins from ldpnb.chance.odds(epsilon), not exp(ε), rounded by its "
    "round_down or round_up, and its exact(p) for Fraction(p), inexact(p) for float(p)"
)
ASKED_OF_BUDGETS = (
    "ε is a symbol here: a client may take a part of it, as in ε / 2, and its odds, "
    "and do nothing else with it"
)


class Symbol:
    """What a client gets in place of a number.

    If it asks what has no answer for all ε, that is refused and remembered, though it be caught.
    Public names answer the package alone, and no client while it runs.
    """

    __slots__ = ()
    _what = "a symbol"
    _hint = ""
    _public: ClassVar[tuple[str, ...]] = ()
    _field: Any

    def _text(self) -> str:
        raise NotImplementedError

    def _refuse(self, question: str, hint: str | None = None) -> NoReturn:
        """Raise a TypeError that the field remembers."""
        if hint is None:
            hint = self._hint
        field: Field = self._field
        if hint:
            question = f"{question}; {hint}"
        field.refuse(TypeError(question))

    def __getattr__(self, name: str) -> Any:
        if name in self._public and not self._field.running:
            return getattr(self, f"_{name}")
        if not name.startswith("_") and name not in SHAPES:
            hint = COMPARED if name == "clip" else CURE
            self._refuse(f"the attribute {name} of {self._what} depends on ε", hint)
        raise AttributeError(f"{self._what} has no attribute {name}")

    def _after_runs(self, question: str) -> None:
        """Refuse a question of a client that runs; others may ask it."""
        if self._field.running:
            cure = "leave logs and messages out of a client"
            if question == "the hash":
                cure = "keep no cache by it"
            self._refuse(f"{question} of {self._what} depends on ε", cure)

    def __dir__(self) -> Iterable[str]:
        self._after_runs("the list of attributes")
        return [*super().__dir__(), *self._public]

    def __getstate__(self) -> Any:
        self._after_runs("the state")
        return super().__getstate__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        self._after_runs("the pickle")
        return super().__reduce_ex__(protocol)

    def __sizeof__(self) -> int:
        self._after_runs("the size")
        return super().__sizeof__()

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __repr__(self) -> str:
        self._after_runs("the text")
        return self._text()

    __str__ = __repr__

    def __format__(self, how: str) -> str:
        return format(str(self), how)


def article(name: str) -> str:
    """Put the article before a name."""
    if name[0].lower() in "aeiou":
        return f"an {name}"
    return f"a {name}"


def refusing(kind: type) -> type:
    """Let a class refuse all that numbers can do and it does not define."""
    answered = {*vars(kind), *vars(Symbol), *dir(object), "__getnewargs__"}
    for number in NUMBERS:
        for name in dir(number):
            special = name.startswith("__") and callable(getattr(number, name))
            if special and name not in answered:
                setattr(kind, name, _refusal(name.strip("_")))
    return kind


def _refusal(name: str) -> Callable[..., Any]:
    """Return a method that refuses what numbers do by this name."""
    cure = CURE
    if name == "float":
        cure += "; an array takes a formula if its dtype is object"

    def refused(self: Symbol, *_: Any) -> Any:
        hint = self._hint if name in STEPS else cure
        self._refuse(f"{name} of {self._what} depends on ε", hint)

    return refused
