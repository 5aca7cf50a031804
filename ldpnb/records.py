"""What people hold when they hold several things: their keys or items, with or without values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, distinct, uniform
from ldpnb.checks import check_codes, check_count, check_numbers, shown

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Person = Mapping[int, float] | Set[int]  # one person, written by hand


@dataclass(frozen=True, eq=False)
class Records:
    """Each person's set of keys or items, with a value for each key where there is one.

    The layout is that of a sparse matrix by rows (CSR): one long array of keys, and where each
    person's part of it begins.

    Attributes
    ----------
    offsets : ndarray of int64, (n + 1,)
        Person i owns the entries ``offsets[i]`` to ``offsets[i + 1]``.
    keys : ndarray of int64, (entries,)
        No person has a key twice.
    values : ndarray of float64, (entries,), or None
        None for plain sets.

    Raises
    ------
    ValueError
        If the arrays do not fit together, or a person owns a key twice.  Which keys and values
        are allowed is up to the mechanism.
    """

    offsets: Ints
    keys: Ints
    values: Floats | None = None

    def __post_init__(self) -> None:
        self._check_arrays()
        self._check_integers()
        self._check_offsets()
        if self.values is not None and self.values.shape != self.keys.shape:
            rule = f"values must have one entry a key, {len(self.keys)}"
            raise ValueError(f"{rule}, got {len(self.values)}")
        self._check_distinct()

    def _check_arrays(self) -> None:
        arrays: dict[str, Any] = {"offsets": self.offsets, "keys": self.keys}
        if self.values is not None:
            arrays["values"] = self.values
        for name, array in arrays.items():
            if not isinstance(array, np.ndarray) or array.ndim != 1:
                raise ValueError(f"{name} must be an array of one axis, got {shown(array)}")

    def _check_integers(self) -> None:
        """Make offsets and keys signed, since differences of unsigned integers never fall."""
        if self.keys.size == 0 and self.keys.dtype.kind == "f":  # np.array([])
            object.__setattr__(self, "keys", self.keys.astype(np.int64))
        if self.offsets.dtype.kind not in "iu" or self.keys.dtype.kind not in "iu":
            kinds = f"{self.offsets.dtype} and {self.keys.dtype}"
            raise ValueError(f"offsets and keys must be integers, got {kinds}")
        for name in ("offsets", "keys"):
            array = getattr(self, name)
            if array.dtype.kind == "u" and array.max(initial=0) >= 2**63:
                raise ValueError(f"{name} must be below 2**63, got {array.max()}")
            object.__setattr__(self, name, array.astype(np.int64, copy=False))

    def _check_offsets(self) -> None:
        starts_at_zero = self.offsets[:1].tolist() == [0]
        falls = np.any(np.diff(self.offsets) < 0)
        if not starts_at_zero or falls or self.offsets[-1] != len(self.keys):
            rule = f"offsets must rise from 0 to the number of keys, {len(self.keys)}"
            raise ValueError(f"{rule}, got {self.offsets}")

    def _check_distinct(self) -> None:
        """Refuse a key that a person has twice: it would be drawn too often, and break ε."""
        ascending = self.keys[1:] > self.keys[:-1]
        starts = self.offsets[1:-1]
        inner = starts[(starts > 0) & (starts < len(self.keys))]
        ascending[inner - 1] = True  # from one person to the next, keys may fall
        if ascending.all():
            return
        order = np.lexsort((self.keys, self.users))  # equal keys need not be neighbours
        user = self.users[order]
        key = self.keys[order]
        twice = np.flatnonzero((user[1:] == user[:-1]) & (key[1:] == key[:-1]))
        if twice.size:
            found = f"{key[twice[0]]} twice for user {user[twice[0]]}"
            raise ValueError(f"keys must be distinct within a person, got {found}")

    @classmethod
    def of(cls, *people: Person) -> Self:
        """Write records by hand: a dict {key: value} or a set of items for each person.

        Examples
        --------
        >>> Records.of({0: 0.5, 2: -1.0}, {}).sizes
        array([2, 0])
        """
        valued = 0
        users: list[int] = []
        keys: list[int] = []
        values: list[float] = []
        for i, person in enumerate(people):
            if isinstance(person, Mapping):
                valued += 1
                values += person.values()
            elif not isinstance(person, Set):
                rule = "people must be dicts {key: value} or sets"
                raise ValueError(f"{rule}, got {shown(person)}")
            users += [i] * len(person)
            keys += person
        if valued not in (0, len(people)):
            raise ValueError("people must all have values or all have none")
        return cls.from_arrays(users, keys, values if valued else None, n=len(people))

    @classmethod
    def from_arrays(
        cls,
        user: ArrayLike,
        key: ArrayLike,
        value: ArrayLike | None = None,
        *,
        n: int | None = None,
    ) -> Self:
        """Build records from one row for each pair of a person and a key, in any order.

        Parameters
        ----------
        user, key : array_like of int (entries,)
            Numbered from 0.
        value : array_like of float (entries,), optional
        n : int, optional
            Number of people, if the last ones may own nothing; by default the largest user
            number plus one.

        Raises
        ------
        ValueError
            If lengths differ, a number is negative or not an integer, a user is not below n, a
            value is not finite, or a person owns a key twice.
        """
        users = check_codes(user, None, "user")
        keys = check_codes(key, None, "key")
        if users.shape != keys.shape:
            found = f"{len(users)} and {len(keys)}"
            raise ValueError(f"user and key must have the same length, got {found}")
        if n is None:
            people = int(users.max(initial=-1)) + 1
        else:
            people = check_count(n, 0, "n")
        if users.max(initial=-1) >= people:
            raise ValueError(f"user must be integers below n = {people}, got {users.max()}")
        order = np.lexsort((keys, users))
        values = None
        if value is not None:
            values = check_numbers(value, "value")
            if values.shape != keys.shape:
                rule = f"value must have one entry a key, {len(keys)}"
                raise ValueError(f"{rule}, got shape {values.shape}")
            values = values[order]
        sizes = np.bincount(users, minlength=people)
        return cls(_offsets(sizes), keys[order], values)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __deepcopy__(self, memo: object) -> Self:
        """Copy the arrays; what fits together need not be checked again."""
        twin = object.__new__(type(self))
        for name, array in vars(self).items():
            vars(twin)[name] = array
            if array is not None:
                vars(twin)[name] = array.copy()
        return twin

    @property
    def sizes(self) -> Ints:
        """Number of keys of each person, (n,)."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def users(self) -> Ints:
        """Owner of each entry, (entries,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def __getitem__(self, people: slice | Ints | Bools | Sequence[int]) -> Records:
        """Return the records of some people: a slice, an index array or a mask."""
        chosen = np.arange(len(self))[people]
        if chosen.ndim != 1:
            # not an IndexError, which Python and numpy would take for the end of a sequence
            rule = "people must be a slice, an index array or a mask"
            raise ValueError(f"{rule}: a single person is people[i:i+1]")
        sizes = self.sizes[chosen]
        offsets = _offsets(sizes)
        shift = self.offsets[chosen] - offsets[:-1]
        entries = np.arange(offsets[-1]) + np.repeat(shift, sizes)
        values = None if self.values is None else self.values[entries]
        return Records(offsets, self.keys[entries], values)


def _offsets(sizes: Ints) -> Ints:
    """Where each person's entries begin, and where the last one's end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def pad_and_sample(
    records: Records,
    d: int,
    ell: int,
    rng: Randomness,
) -> tuple[Ints, Floats | None]:
    """Draw one entry of each person, whose keys are padded to `ell` with dummies.

    A person's dummies are distinct: d, d + 1, … as many as are missing.  A person with more than
    `ell` keys is not cut short: one of all is drawn, so that a key's chance is 1/max(size, ℓ).

    Returns
    -------
    keys : ndarray of int64 (n,)
        In [0, d + ell); the dummies are d, …, d + ell − 1.
    values : ndarray of float64 (n,), or None
        0 for dummies.
    """
    check_codes(records.keys, d, "keys")  # a larger key would pass for a dummy
    slot = uniform(np.maximum(records.sizes, ell), (len(records),), rng)
    real = slot < records.sizes
    entry = (records.offsets[:-1] + slot)[real]
    keys = d + slot - records.sizes
    keys[real] = records.keys[entry]
    if records.values is None:
        return keys, None
    values = np.zeros(len(records))
    values[real] = records.values[entry]
    return keys, values


def sample_entries(records: Records, most: int, rng: Randomness) -> tuple[Ints, Bools]:
    """Draw at most `most` entries of each person, all sets of them alike.

    Returns
    -------
    places : ndarray of int64 (n, most)
        Places among all keys.  Of a shorter record all are taken; places past its end
        stand for what is missing.
    real : ndarray of bool (n, most)
    """
    sizes = records.sizes
    too_many = sizes > most
    drawn = distinct(sizes, np.where(too_many, most, 0), most, rng)
    slots = np.where(too_many[:, None], drawn, np.arange(most))
    return records.offsets[:-1, None] + slots, slots < sizes[:, None]


def check_records(records: object, name: str = "values", d: int | None = None) -> Records:
    """Return what are Records, of keys below d (of any keys if d is None)."""
    if not isinstance(records, Records):
        cure = "; Strings and Ratings take lists and tables" if name == "values" else ""
        raise ValueError(f"{name} must be Records, got {type(records).__name__}{cure}")
    check_codes(records.keys, d, "keys")
    return records
