"""Domains of any size: clients that see no item, but only whether two of them are the same.

A client ``client(value, items, epsilon, rng)`` gets opaque items, an opaque ε and an opaque k, in a proof as well as
when `of_size` runs it for k items and a number ε.  So it cannot do one thing in the proof and another where it runs:
what it may do with items is to compare two of them, to draw one (`Items.pick`), to toss a coin about each
(`Items.each`), and to send them.  Such a client treats all items alike.  Let a and b be two inputs.

* A drawn item is a, b, one of the r others that were drawn before, or a new one, with odds 1 : 1 : … : 1 : k − 2 − r.
  So the comparisons that the client makes, and with them all that it does, have a law in which k is a number like ε.
* Reports that differ only in the names of other items are equally likely, from a and from b.  So others are named in
  the order in which a report names them, and ratios of such reports are ratios of reports.
* `each` asks for the coin of the client's own item, and once for that of all others; whoever learns this coin can toss
  it for the k − 2 others alone.  So these answers tell nothing that the coin does not tell.

If no branch draws more than m items, all sizes k > m are one law in which k − m − 1 is a number, at least 0, and the
sizes 2, …, m are replayed one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpnb.chance import Paths, Randomness, bernoulli, odds, pick, toss
from ldpnb.checks import check_count, check_epsilon
from ldpnb.formula import Field, Formula


@dataclass(frozen=True)
class Name:
    """A letter that stands for an item in a proof; no text, which a client may send."""

    letter: str

    def __repr__(self) -> str:
        return self.letter


A, B = Name("a"), Name("b")  # the inputs of a proof
DRAWN, ASKED = "draws items", "answers about each item"  # what a run does with its domain
BOTH = "a client draws items or answers about each of them: this one does both"


class Larger(Exception):
    """A branch draws more items than there are in the least domain that is one of many: begin with a larger one."""

    def __init__(self, least: int) -> None:
        super().__init__(least)
        self.least = least


class Item:
    """An item, of which a client may only ask whether it is another one."""

    __slots__ = ("_home", "_name")

    def __init__(self, home: Any, name: Any) -> None:
        self._home, self._name = home, name

    def __eq__(self, other: object) -> bool:
        if type(other) is not Item:
            raise TypeError(f"items can be compared with items only, got one and a {type(other).__name__}")
        if self._home is not other._home or REST in (self._name, other._name) and not self._home.asking:
            raise TypeError("items can be compared within one run, and the item of `each` only while it is asked about")
        return bool(self._name == other._name)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "an item"


REST = ("every other item",)  # the name that stands for all items that the client has not got


class Answers:
    """What `Items.each` returns: a client may send it, and nothing else."""

    __slots__ = ("_sent",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, sent: Any) -> None:
        self._sent = sent

    def __eq__(self, other: object) -> bool:
        raise TypeError("answers can be sent, and not be looked at")

    def __repr__(self) -> str:
        return "answers"


class Items:
    """The domain, as a client sees it."""

    def __init__(self, k: Formula, domain: Any) -> None:
        self._k, self._domain, self._held = k, domain, dict[Any, Item]()
        self._use, self.asking = "", False

    @property
    def k(self) -> Formula:
        """The number of items: it may be part of a coin."""
        return self._k

    def _only(self, use: str) -> None:
        if self._use not in ("", use) or self.asking:
            raise TypeError(BOTH)
        self._use = use

    def _item(self, name: Any) -> Item:
        return self._held.setdefault(name, Item(self, name))

    def pick(self, rng: Randomness) -> Item:
        """Return one item, all alike."""
        self._only(DRAWN)
        return self._item(self._domain.pick([*self._held], rng))

    def each(self, coin: Callable[[Item], Any], rng: Randomness) -> Answers:
        """Answer yes or no about each item, by a coin whose probability is ``coin(item)``.

        It is asked for the client's own item, and once for all others.
        """
        self._only(ASKED)
        self.asking = True
        try:
            (own,) = self._held.items()
            coins = coin(own[1]), coin(Item(self, REST))
        finally:
            self.asking = False
        return Answers(self._domain.each(own[0], *coins, rng))


class _Numbered:
    """k items by their numbers."""

    def __init__(self, k: int) -> None:
        self.k = k

    def pick(self, held: list[Any], rng: Randomness) -> int:
        return int(pick(range(self.k), rng))

    def each(self, own: int, coin: Any, other: Any, rng: Randomness) -> tuple[bool, ...]:
        p, q = (float(x.number if isinstance(x, Formula) else x) for x in (coin, other))
        return tuple(bernoulli(np.where(np.arange(self.k) == own, p, q), (self.k,), rng).tolist())


class _Any:
    """Items a and b, and others by the order in which they are drawn; k − 2 − r of them are not drawn yet."""

    def __init__(self, k: Formula, least: int) -> None:
        self.k, self.least = k, least

    def pick(self, held: list[Any], rng: Paths) -> Any:
        old = [A, B, *(name for name in held if name not in (A, B))]
        if len(old) > self.least:
            self.k.field.refuse(Larger(len(old)))
        left = self.k - len(old)
        if not left.num:  # none is left
            return pick(old, rng)
        at = rng.choose((*(1,) * len(old), left))
        return old[at] if at < len(old) else len(old)

    def each(self, own: Name, coin: Any, other: Any, rng: Paths) -> Any:
        field = self.k.field
        coins = {A: other, B: other} | {own: coin}
        bits = toss(coins[A], rng), toss(coins[B], rng)
        with field.run(False):
            return *bits, f"others by a coin {field.formula(other).text()}"


def _sent(report: Any, name: Callable[[Any], Any]) -> Any:
    """Return a report with the names of items in their place."""
    kind = type(report)
    if kind is Item:
        if report._name is REST:
            raise TypeError("the item of `each` stands for all others, and cannot be sent")
        return name(report._name)
    if kind is Answers:
        return report._sent
    if kind in (list, tuple):
        return kind(_sent(part, name) for part in report)
    if kind is dict:
        return {key: _sent(part, name) for key, part in report.items()}
    return report


def of_size(client: Callable[..., Any], k: int) -> Callable[[int, float, Randomness], Any]:
    """Return a client for any number of items as one for k of them, whose values are 0, …, k − 1.

    It is what `prove` has proved, as long as the client does not look into the objects that it is handed.

    Examples
    --------
    >>> from ldpnb.verify import laws, worst
    >>> def krr(x, items, epsilon, rng):
    ...     return x if toss((odds(epsilon) - 1) / (odds(epsilon) + items.k - 1), rng) else items.pick(rng)
    >>> five = of_size(krr, 5)
    >>> round(worst(laws(lambda x, rng: five(x, 1.0, rng), range(5))).epsilon, 9)
    1.0
    """
    size = check_count(k, 2, "k")

    def run(value: int, epsilon: float, rng: Randomness) -> Any:
        if not 0 <= value < size:
            raise ValueError(f"value must be one of 0, …, {size - 1}, got {value}")
        field = Field(exp=odds)
        items = Items(field.formula(size), _Numbered(size))
        with field.run():
            report = client(items._item(int(value)), items, field.at(check_epsilon(epsilon)), rng)
        return _sent(report, lambda name: name)

    return run


def of_any_size(client: Callable[..., Any], least: int, more: bool) -> Callable[[Any], Any]:
    """Return a function of a symbolic ε that makes the client of items a and b: of k = `least`, or so many and more."""

    def make(epsilon: Any) -> Any:
        field = epsilon.odds.field
        field.least = least if more else None
        k = field.slack() + least if more else field.formula(least)

        def run(value: Name, rng: Paths) -> Any:
            items, names = Items(k, _Any(k, least)), {A: A, B: B}
            report = client(items._item(value), items, epsilon, rng)
            return _sent(report, lambda name: names.setdefault(name, Name(chr(ord("a") + len(names)))))

        return run

    return make
