"""What a client gets in place of a number, and what happens when it asks a question that has no answer for all ε."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

if TYPE_CHECKING:
    from ldpnb.exact.formulas import Field


NUMBERS = (int, float, Fraction)  # what stands where symbols do
SHAPES = {
    "ndim",
    "dtype",
    "shape",
    "size",
}  # attributes by which arrays are known, and no number is
STEPS = {
    "floor",
    "ceil",
    "trunc",
    "round",
    "int",
    "index",
    "floordiv",
    "rfloordiv",
    "mod",
    "rmod",
    "divmod",
    "rdivmod",
}
STEPS |= {"add", "radd", "sub", "rsub", "neg", "pos", "abs"}
COMPARED = "let no step depend on ε, and leave out checks of coins, also min, max and clip: toss refuses what is no "
COMPARED += "probability"
CURE = "a proof for every ε needs coins from ldpnb.chance.odds(epsilon), not exp(ε), rounded by its round_down or "
CURE += "round_up, and its exact(p) for Fraction(p), inexact(p) for float(p)"


ASKED_OF_BUDGETS = "ε is a symbol here: a client may take a part of it, as in ε / 2, and its odds, and do nothing else with it"


class Symbol:
    """What a client gets in place of a number: whatever it asks that has no answer for all ε, it has asked.

    Public names answer the package alone, and no client while it runs.
    """

    __slots__ = ()
    _what, _hint = "a symbol", ""
    _public: ClassVar[tuple[str, ...]] = ()
    _field: Any

    def _text(self) -> str:
        raise NotImplementedError

    def _refuse(self, question: str, hint: str | None = None) -> NoReturn:
        """Raise a TypeError that the field remembers."""
        hint = self._hint if hint is None else hint
        field: Field = self._field
        field.refuse(TypeError(f"{question}; {hint}" if hint else question))

    def __getattr__(self, name: str) -> Any:
        if name in self._public and not self._field.running:
            return getattr(self, f"_{name}")
        if not name.startswith("_") and name not in SHAPES:
            self._refuse(
                f"the attribute {name} of {self._what} depends on ε",
                COMPARED if name == "clip" else CURE,
            )
        raise AttributeError(f"{self._what} has no attribute {name}")

    def _after_runs(self, question: str) -> None:
        """Refuse a question of a client that runs; others may ask it."""
        if self._field.running:
            cure = (
                "keep no cache by it"
                if question == "the hash"
                else "leave logs and messages out of a client"
            )
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
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def refusing(kind: type) -> type:
    """Let a class refuse all that numbers can do and it does not define."""

    def refusal(name: str) -> Callable[..., Any]:
        asks_size = name in STEPS  # not how to compute a coin
        more = (
            f"{CURE}; an array takes a formula if its dtype is object" if name == "float" else CURE
        )
        return lambda self, *_: self._refuse(
            f"{name} of {self._what} depends on ε", self._hint if asks_size else more
        )

    answered = {*vars(kind), *vars(Symbol), *dir(object), "__getnewargs__"}
    for number in NUMBERS:
        for name in dir(number):
            special = name.startswith("__") and callable(getattr(number, name))
            if special and name not in answered:
                setattr(kind, name, refusal(name.strip("_")))
    return kind
