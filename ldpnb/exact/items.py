"""Clients for any number of items, which see no item, but only whether two of them are the same.

A client ``client(value, items, epsilon, rng)`` is handed a sealed item, a sealed ε, a sealed number
of items k and a sealed source of randomness: the same objects in a proof and where `of_size` runs
it.  There, numbers take the place of ε and k when a coin is tossed, and only then.  So it takes the
same steps.  It may compare two items, draw one (`Items.pick`), toss a coin about each
(`Items.each`), and send items in tuples, lists and values of dicts.

Let a and b be two inputs, and call the other items others.

* A drawn item is a, b, one of the r others that were drawn before, or a new one, with odds
  1 : 1 : … : 1 : k − 2 − r.  So the comparisons that the client makes, and with them all that it
  does, have a law in which k is a number like ε.
* Reports that differ only in the names of others are equally likely, from a and from b.  So others
  are named in the order in which a report names them, and ratios of such reports are ratios of
  reports.
* `each` asks for the coin of the client's own item, and once for the coin of all others.  Whoever
  learns this coin can toss it for the k − 2 others alone.  So these answers tell nothing that the
  coin does not tell.

If no branch draws more than m items, all sizes k > m are one law, in which k − m − 1 is a number,
at least 0, and the sizes 2, …, m are replayed one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ldpnb.exact.arguments import check_count, check_epsilon, shown
from ldpnb.exact.coins import Randomness, Sealed, pick, sealed, toss, toss_each
from ldpnb.exact.formulas import EXACT, Budget, Field, Formula, plain_number
from ldpnb.exact.probabilities import odds
from ldpnb.exact.replay import LIMIT, Paths
from ldpnb.exact.symbolic import Laws, settled
from ldpnb.exact.symbols import Symbol


@dataclass(frozen=True)
class Name:
    """A letter that stands for an item in a proof; no text, which a client may send."""

    letter: str

    def __repr__(self) -> str:
        return self.letter


@dataclass(frozen=True)
class Tossed:
    """Answers of `Items.each` in a proof: about a, about b, and the coin for each of the others."""

    a: bool
    b: bool
    coin: Coin

    def __repr__(self) -> str:
        return f"({self.a}, {self.b}, and a coin of {self.coin.p} for each other)"


class Coin:
    """A probability as a part of a report: equal formulas, for all ε and k, are one coin."""

    def __init__(self, p: Formula) -> None:
        self.p = p

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coin) and bool(self.p.same(other.p))

    def __hash__(self) -> int:
        return hash(self.p)

    def __reduce__(self) -> Any:
        """Send the same of equal coins, and of others another number: `chance.form` asks for it."""
        return Coin, (hash(self.p),)

    def __deepcopy__(self, memo: Any) -> Coin:
        return self


A, B = Name("a"), Name("b")  # the inputs of a proof
REST = Name("every other item")  # the name that stands for all items that the client has not got
PLAIN = (type(None), bool, int, float, str, bytes, Fraction)  # what can be sent as it is
DEPTH = 64  # of a report, more than anybody sends
DRAWN, ASKED = "draws items", "answers about each item"  # what a run does with its domain


class Larger(Exception):
    """A branch draws more items than there are in the least domain that stands for larger ones."""


class Closed:
    """What a client may send, and neither copy nor look into."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError(
            "items and answers are handed to a client, by ldpnb.verify.of_size or prove"
        )

    def _closed(self, *_: Any) -> Any:
        raise TypeError("items and answers can be sent as they are, and not be pickled")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            raise TypeError(f"{name} of items and answers cannot be changed")
        object.__setattr__(self, name, value)

    __reduce__ = __reduce_ex__ = __getstate__ = _closed

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class Item(Closed):
    """An item, of which a client may only ask whether it is another one."""

    __slots__ = ("_home", "_name")
    _home: Any
    _name: Any

    def __eq__(self, other: object) -> bool:
        if type(other) is not Item:
            raise TypeError(
                f"items can be compared with items only, got one and a {type(other).__name__}"
            )
        if self._home is not other._home:
            raise TypeError("items can be compared within one run")
        if REST in (self._name, other._name) and not self._home._asking:
            raise TypeError("the item of `each` can be compared only while it is asked about")
        return bool(self._name == other._name)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "an item"


class Answers(Closed):
    """What `Items.each` returns: a client may send it, and nothing else."""

    __slots__ = ("_home", "_sent")
    _home: Any
    _sent: Any
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("answers can be sent, and not be looked at")

    def __repr__(self) -> str:
        return "answers"


class Items(Closed):
    """The domain, as a client sees it: `ldpnb.verify.of_size` and `prove` make it."""

    __slots__ = ("_asking", "_domain", "_held", "_k", "_rng", "_use")
    _k: Formula
    _domain: Any
    _rng: Sealed
    _held: dict[Any, Item]
    _use: str
    _asking: bool

    @property
    def k(self) -> Formula:
        """The number of items: it may be part of a coin."""
        return self._k._fresh(EXACT)

    def _only(self, use: str, rng: Any) -> Any:
        """Return the source of randomness, if a run may do this with the rng that it got.

        A run draws items, or it answers about each of them.
        """
        if type(self) is not Items:
            raise TypeError("items are those that the client is handed")
        if self._use not in ("", use) or self._asking:
            raise TypeError(
                "a client draws items or answers about each of them: this one does both"
            )
        if rng is not self._rng:
            raise TypeError(
                f"rng must be the one that the client is handed, got {type(rng).__name__}"
            )
        self._use = use
        return rng._rng

    def _item(self, name: Any) -> Item:
        """Equal items are one object, so that `is` says what `==` says."""
        return self._held.setdefault(name, _named(self, name))

    def pick(self, rng: Randomness) -> Item:
        """Return one item, all alike."""
        source = Items._only(self, DRAWN, rng)
        return self._item(self._domain.pick([*self._held], source))

    def each(self, coin: Callable[[Item], Any], rng: Randomness) -> Answers:
        """Answer yes or no about each item, by a coin whose probability is ``coin(item)``.

        It is asked for the client's own item, and once for all others.
        """
        source = Items._only(self, ASKED, rng)
        if not callable(coin):
            raise TypeError(
                f"coin must be a function of an item, as lambda item: …, got {type(coin).__name__}"
            )
        ((own, item),) = self._held.items()
        self._asking = True
        try:
            coins = [coin(item), coin(_named(self, REST))]
        finally:
            self._asking = False
        field = self._k._field
        for p in coins:
            if type(p) is not Formula and not plain_number(type(p)):
                raise TypeError(
                    f"coin must return a probability, a formula or a number, got {shown(p)}"
                )
        one, other = (field.formula(p) for p in coins)
        field.probable(one)
        field.probable(other)
        answers = object.__new__(Answers)
        answers._home = self
        answers._sent = self._domain.each(own, one, other, source)
        return answers

    def _refuse(self, *_: Any) -> Any:
        raise TypeError(
            "items cannot be counted or listed: items.k may be part of a coin, items.pick(rng) "
            "draws one, and items.each(coin, rng) answers about each"
        )

    __len__ = __iter__ = __getitem__ = __contains__ = _refuse


def _named(home: Items, name: Any) -> Item:
    """Make an item."""
    item = object.__new__(Item)
    item._home = home
    item._name = name
    return item


def _items(k: Formula, domain: Any, rng: Sealed) -> Items:
    """Make a domain."""
    items = object.__new__(Items)
    items._k = k
    items._domain = domain
    items._rng = rng
    items._held = {}
    items._use = ""
    items._asking = False
    return items


# ------------------------------------------------------------------------------------- domains


class _Numbered:
    """k items by their numbers."""

    def __init__(self, k: int) -> None:
        self.k = k

    def pick(self, held: list[Any], rng: Randomness) -> int:
        return int(pick(range(self.k), rng))

    def each(self, own: int, coin: Formula, other: Formula, rng: Randomness) -> tuple[bool, ...]:
        return toss_each([coin if item == own else other for item in range(self.k)], rng)


class _OfAnySize:
    """Items a and b, and others by the order in which they are drawn."""

    def __init__(self, k: Formula, least: int) -> None:
        self.k = k
        self.least = least

    def pick(self, held: list[Any], rng: Paths) -> Any:
        old = [A, B, *(name for name in held if name not in (A, B))]
        if len(old) > self.least:
            self.k._field.wants = len(old)
            self.k._field.refuse(Larger())
        left = self.k - len(old)
        if left._same(0):  # none is left
            return pick(old, rng)
        at = rng._choose((*[1] * len(old), left))
        if at < len(old):
            return old[at]
        return len(old)  # a new one

    def each(self, own: Name, coin: Formula, other: Formula, rng: Paths) -> Tossed:
        about_a = coin if own == A else other
        about_b = coin if own == B else other
        return Tossed(toss(about_a, rng), toss(about_b, rng), Coin(other))


# ------------------------------------------------------------------------------------- reports


def _sent(report: Any, name: Callable[[Any], Any], home: Any, depth: int = 0) -> Any:
    """Return a report with names in place of items; refuse what could act on its own."""
    kind = type(report)
    if type(kind) is not type:
        raise TypeError(
            f"a report must be of plain classes, got one whose class is {type(kind).__name__}"
        )
    if depth > DEPTH:
        raise TypeError(f"a report must not contain itself, or be nested more than {DEPTH} times")
    if kind in (Item, Answers) and report._home is not home:
        raise TypeError("items and answers can be sent within the run that they are of")
    if kind is Item:
        if report._name is REST:
            raise TypeError("the item of `each` stands for all others, and cannot be sent")
        return name(report._name)
    if kind is Answers:
        return report._sent
    if kind in (list, tuple):
        return kind(_sent(part, name, home, depth + 1) for part in report)
    if kind is dict and all(_is_plain(key) for key in report):
        found = {}
        for key, part in report.items():
            plain = _sent(key, name, home)
            found[plain] = _sent(part, name, home, depth + 1)
        return found
    if kind is Fraction:
        return Fraction(int(report.numerator), int(report.denominator))  # of plain integers
    if kind in PLAIN:
        return report
    raise TypeError(
        "a client for any number of items must send items, answers and plain values, in tuples, "
        f"lists and values of dicts, got {_described(report, kind)}"
    )


def _is_plain(key: Any) -> bool:
    """Whether the key of a dict can be sent as it is."""
    kind = type(key)
    return type(kind) is type and kind in PLAIN


def _described(report: Any, kind: type) -> str:
    """Say what a part of a report is."""
    if isinstance(report, Symbol):
        return report._what
    if kind.__module__ == "builtins":
        return f"a {kind.__name__}"
    return f"a {kind.__module__}.{kind.__name__}"


# -------------------------------------------------------------------------------------- clients


class AnySize:
    """Makes a client of items a and b for a symbolic ε: of k = `least` items, or so many and more.

    Attributes
    ----------
    field : Field
        Of the last client that was made: it knows what the client has asked for.
    """

    field: Field

    def __init__(self, client: Callable[..., Any], least: int, more: bool) -> None:
        self.client = client
        self.least = least
        self.more = more

    def __call__(self, epsilon: Any) -> Callable[[Name, Paths], Any]:
        """Return the client as a function of one person's item and a source of randomness."""
        field = epsilon._field
        self.field = field
        field.compares = True  # the client that runs gets formulas, too
        if self.more:
            field.least = self.least
            k = field.slack() + self.least
        else:
            field.least = None
            k = field.formula(self.least)

        def run(value: Name, rng: Paths) -> Any:
            own = sealed(rng, field)
            items = _items(k, _OfAnySize(k, self.least), own)
            names = {A: A, B: B}

            def name(item: Any) -> Name:
                """Name others by the letters after b, in the order in which they come."""
                return names.setdefault(item, Name(chr(ord("a") + len(names))))

            report = self.client(items._item(value), items, Budget(epsilon._odds), own)
            return _sent(report, name, items)

        return run


def cases(client: Callable[..., Any], limit: int = LIMIT) -> list[tuple[int, Laws]]:
    """Replay a client on items a and b, for every size.

    From a size on at which no branch draws more items than there are, all sizes are one law; those
    below are replayed one by one.

    Returns the laws by size, the one for so many items and more last.
    """
    least = 2
    while True:
        make = AnySize(client, least, more=True)
        try:
            _, laws_of_more = settled(make, [A, B], "ideal", limit)
            break
        except Larger as error:
            wants = make.field.wants
            if make.field.refused is not error or wants is None or wants <= least:
                raise TypeError("a client cannot ask for larger domains by itself") from error
            least = wants
    found = list[tuple[int, Laws]]()
    for k in range(2, least):
        _, laws_of_k = settled(AnySize(client, k, more=False), [A, B], "ideal", limit)
        found.append((k, laws_of_k))
    return [*found, (least, laws_of_more)]


def of_size(client: Callable[..., Any], k: int) -> Callable[[int, float, Randomness], Any]:
    """Return a client for any number of items as one for k of them, whose values are 0, …, k − 1.

    It is the client that `prove` replays, with the same objects in its hands, and its coins are
    exact: for e^ε stands a fraction below it by less than one part in 10**56, and a coin has the
    probability that its formula has there.

    Parameters
    ----------
    client : callable (value, items, epsilon, rng) -> report
    k : int, at least 2

    Returns
    -------
    callable (value, epsilon, rng) -> report

    Raises
    ------
    TypeError, ValueError
        If the client asks what has no answer for all ε and k, as for `prove`.

    Examples
    --------
    >>> from ldpnb.chance import odds, toss
    >>> from ldpnb.verify import laws, worst
    >>> def krr(x, items, epsilon, rng):
    ...     e = odds(epsilon)
    ...     return x if toss((e - 1) / (e + items.k - 1), rng) else items.pick(rng)
    >>> five = of_size(krr, 5)
    >>> round(worst(laws(lambda x, rng: five(x, 1.0, rng), range(5))).epsilon, 9)
    1.0
    """
    size = check_count(k, 2, "k")
    every = cases(client)
    least, proved = every[-1]
    for case_size, case in every:
        if case_size == size:
            least = case_size
            proved = case
            break
    more = proved.field.least is not None
    roots = proved.field.roots

    def run(value: int, epsilon: float, rng: Randomness) -> Any:
        item = check_count(value, 0, "value")
        if item >= size:
            raise ValueError(f"value must be one of 0, …, {size - 1}, got {value}")
        field = Field(roots)
        field.least = least if more else None
        field.compares = True
        field.point = odds(Fraction(check_epsilon(epsilon)) / roots), size - least
        if isinstance(rng, Sealed):
            raise TypeError(
                "rng must be a source of randomness of one's own, and no client's: "
                "of_size does not nest"
            )
        field.source = rng
        own = sealed(rng, field)
        if more:
            number_of_items = field.slack() + least
        else:
            number_of_items = field.formula(size)
        items = _items(number_of_items, _Numbered(size), own)
        with field.run():
            report = client(items._item(item), items, field.epsilon, own)
            sent = _sent(report, lambda name: name, items)
            field.heard()
        field.source = None  # nobody asks afterwards
        field.point = None
        return sent

    return run
