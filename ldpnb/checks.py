"""Checks of arguments: what they return is right, and what they refuse is named with its rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from math import floor, isfinite, log10
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.exact.arguments import (
    EPSILON_MAX as EPSILON_MAX,
    EPSILON_MIN as EPSILON_MIN,
    OUT_OF_RANGE as OUT_OF_RANGE,
    apart as apart,
    at_least as at_least,
    check_count as check_count,
    check_epsilon as check_epsilon,
    check_probability as check_probability,
    in_full as in_full,
    is_number as is_number,
    out_of_range as out_of_range,
    percent as percent,
    shown as shown,
)

# of a domain; shared out among more, EPSILON_MIN would no longer be large against 2**-53
SIZE_MAX = 2**31
HASHES_MAX = 1000  # hash functions of a filter, which share ε between them
FEW = 8  # entries of which a list is sooner looked at than an array

LABELS = "; OneOf(categories, epsilon=…) takes labels, and says what becomes of missing answers"
NUMBERS = "; Number(low, high, epsilon=…) takes any range, and says what becomes of missing answers"

# `Any` below is what a caller hands in, or what a check makes of it, where types cannot say which
Limit = tuple[int, int] | Callable[[Any, str], Any]  # least and largest integer, or a check

# ----------------------------------------------------------------------------------- numbers


def as_float(value: Any, name: str) -> float:
    """Return a number, Python's or numpy's, as a float; refuse integers beyond floats."""
    try:
        return float(value)
    except OverflowError:
        rule = f"{name} must be numbers that a float holds, at most 1.8e308"
        raise ValueError(f"{rule}, got {shown(value)}") from None


def decimals(error: float, most: int = 6) -> int:
    """Return how many decimals show two digits of an error, at most so many; 2 if it has none.

    Examples
    --------
    >>> decimals(0.0123), decimals(4.1), decimals(250.0)
    (3, 1, 0)
    """
    if not isfinite(error) or error <= 0:
        return 2
    return min(most, max(0, 1 - floor(log10(error))))


def check_positive(value: Any, name: str) -> float:
    """Return a finite number above zero as a float, which holds numbers up to 1.8e308."""
    found = _plain(value)
    if not is_number(found) or not 0 < found <= float_info.max:
        large = ""
        if is_number(found) and found > float_info.max:
            large = ", and a float holds at most 1.8e308"
        raise ValueError(f"{name} must be a positive number, got {shown(found)}{large}")
    return float(found)


def check_errors(value: Any, name: str = "z") -> float:
    """Return a number of standard errors as a float, at least 0."""
    found = _plain(value)
    if not is_number(found) or not 0 <= found <= float_info.max:
        rule = "a finite number of standard errors, at least 0"
        raise ValueError(f"{name} must be {rule}, got {shown(found)}")
    return float(found)


def _plain(value: Any) -> Any:
    """Return numpy's floats as Python's: the largest of these is none of 32 bits."""
    if isinstance(value, np.floating):
        return value.item()
    return value


def within(limit: Limit, value: Any, name: str) -> Any:
    """Return the value of a field if it keeps its declared limit."""
    if callable(limit):
        return limit(value, name)
    least, most = limit
    return check_count(value, least, name, most)


# --------------------------------------------------------------------- flags, texts, sizes


def check_flag(value: object, name: str) -> bool:
    """Return what is True or False, and nothing else."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {shown(value)}")
    return value


def check_text(value: object, name: str) -> str:
    """Return a text, exactly, if it comes back from JSON as it is.

    Of two half characters, JSON makes one.  A text of another class, as numpy's or a member of an
    enumeration, is its characters.
    """
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {shown(value)}: write str({name})")
    if any("\ud800" <= character <= "\udfff" for character in value):
        cure = f"write {name}.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        rule = "a text without surrogates (half characters)"
        raise ValueError(f"{name} must be {rule}, got {shown(value, ascii)}: {cure}")
    return str.__str__(value)


POOLED = "waves "  # what the name of several waves begins with, and that of no single one


def is_pooled(wave: str | None) -> bool:
    """Whether a wave is several of them that were added, by its name."""
    return wave is not None and wave.startswith(POOLED)


def check_own_wave(wave: object) -> str | None:
    """Return the name of a single wave, as people give it, or None."""
    found = check_wave(wave)
    if found is not None and is_pooled(found):
        cure = f"call it {shown(found.removeprefix(POOLED) or 'W1')}, say"
        rule = f"a name that does not begin as those of pooled waves, {POOLED!r}"
        raise ValueError(f"wave must be {rule}, got {shown(found)}: {cure}")
    return found


def check_wave(wave: object) -> str | None:
    """Return the name of one or several waves, or None.

    It is a text that is not blank and has no half characters.
    """
    if wave is None:
        return None
    if not isinstance(wave, str) or not wave.strip():
        rule = "wave must be a text that is not blank, or None"
        cure = "name it as '2026-W48', or leave it out"
        raise ValueError(f"{rule}, got {shown(wave)}: {cure}")
    return check_text(wave, "wave")


def check_sizes(sizes: object, name: str = "sizes", least: int = 1) -> tuple[int, ...]:
    """Return numbers of values, one for each attribute: at least `least`, and each at least two."""
    if not isinstance(sizes, tuple) or len(sizes) < least:
        rule = f"{name} must be a tuple of integers, at least {least}"
        raise ValueError(f"{rule}, got {shown(sizes)}")
    return tuple(check_count(size, 2, name, SIZE_MAX) for size in sizes)


# ------------------------------------------------------------------------------------ arrays


def check_array(values: object, name: str) -> NDArray[Any]:
    """Return an array; refuse lists that do not make one, and masked arrays.

    Of these, numpy would forget the mask.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} must be a plain array, got a masked one")
    try:
        return np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name} must be an array, got something else: {error}") from None


def _large(array: NDArray[Any]) -> bool:
    """Whether all entries are numbers, and numpy makes objects of them.

    It does so where some are integers beyond 64 bits.
    """
    return array.dtype.kind == "O" and array.size > 0 and all(map(is_number, array.flat))


def _entries(
    values: object,
    name: str,
    kinds: str,
    rule: str,
    least: float,
    most: float,
    ndim: int | None = None,
    cure: str = "",
) -> NDArray[Any]:
    """Return an array of these kinds of numbers, all of them in [least, most].

    It has `ndim` axes if that is given.  Where values are one for each person, an error ends with
    a cure.
    """
    array = check_array(values, name)
    if name != "values" or ndim != 1:
        cure = ""
    if _large(array):
        for x in array.flat:
            if not least <= x <= most:
                raise ValueError(f"{name} must be {rule}, got {shown(x)}{cure}")
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name} must be {rule}, got {array.dtype} values{cure}")
    if ndim not in (None, array.ndim):
        raise ValueError(f"{name} must have {ndim} axes, got shape {array.shape}")
    if not in_range(array, least, most):
        wrong = array[~((array >= least) & (array <= most))]
        raise ValueError(f"{name} must be {rule}, got {wrong.flat[0]}{cure}")
    return array


def in_range(x: NDArray[Any], least: float, most: float) -> bool:
    """Whether all numbers are in [least, most]."""
    if x.size <= FEW:
        return all(least <= y <= most for y in x.ravel().tolist())
    if least == 0 and x.dtype.kind in "iu" and most < 2 ** (8 * x.itemsize - 1):
        # negative integers are large if their bits are read without a sign
        return bool((x.view(f"{x.dtype.byteorder}u{x.itemsize}") <= most).all())
    return bool(((x >= least) & (x <= most)).all())


def check_numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return a float64 array of finite numbers, of any shape."""
    array = check_array(values, name)
    if _large(array):
        array = np.array([as_float(x, name) for x in array.flat]).reshape(array.shape)
    if array.dtype.kind in "iuf":
        with np.errstate(over="ignore"):  # of wider floats; infinity is refused
            array = array.astype(np.float64)
    return _entries(array, name, "iuf", "finite numbers", -float_info.max, float_info.max)


def check_fields(reports: object, dtype: np.dtype[Any], name: str = "reports") -> NDArray[Any]:
    """Return reports that have fields, (n,), if these are the fields."""
    found = check_array(reports, name)
    if found.dtype != dtype or found.ndim != 1:
        rule = f"{name} must have the fields {dtype}, (n,)"
        raise ValueError(f"{rule}, got {found.dtype} of shape {found.shape}")
    return found


def check_part(
    found: object,
    name: str,
    kind: Any,
    values: int,
    *shape: int,
    counted: bool = False,
) -> NDArray[Any]:
    """Return a field of reports, (n, …).

    It holds integers below `values`, or entries of another type than np.int64.  Bits are left to
    `kernels.count_ones` where they are `counted` by it, which looks at them in the same pass.
    """
    array = check_array(found, name)
    wide = kind is np.int64
    right = wide or array.dtype == kind
    if array.ndim != 1 + len(shape) or array.shape[1:] != shape or not right:
        what = "integers"
        if not wide:
            what = np.dtype(kind).name
        rule = f"{what} of shape {('n', *shape)}".replace("'", "")
        raise ValueError(f"{name} must be {rule}, got {array.dtype} of shape {array.shape}")
    if array.dtype == np.bool_ and not counted:
        check_bits(array, name)
    if wide:
        return check_codes(array, values, name, array.ndim)
    if array.dtype.kind in "iu" and values <= np.iinfo(kind).max:
        # as they are: eight bytes for each entry would be many
        _entries(array, name, "iu", f"integers in [0, {values})", 0, values - 1)
    return array


def check_bits(bits: NDArray[np.bool_], name: str) -> None:
    """Refuse bools whose bytes are not 0 or 1, as buffers may hold them.

    Numpy adds bytes, each as it is.
    """
    most = bits.view(np.uint8).max(initial=0)
    if most > 1:
        rule = f"{name} must be bools, whose bytes are 0 or 1"
        raise ValueError(f"{rule}, got a byte {most}; compare them with 0 first")


def check_codes(
    values: ArrayLike,
    k: int | None,
    name: str = "values",
    ndim: int = 1,
    cure: str = LABELS,
) -> NDArray[np.int64]:
    """Return an int64 array of codes in {0, …, k−1}, of `ndim` axes.

    If k is None, any non-negative integers are.  An error about people's values ends with the cure.
    """
    codes = check_array(values, name)
    if codes.size == 0 and codes.dtype.kind == "f":  # an empty list
        codes = codes.astype(np.int64)
    if k is None:
        rule = "non-negative integers"
        end = 2**63 - 1
    else:
        rule = f"integers in [0, {k})"
        end = k
    return _entries(codes, name, "iu", rule, 0, end - 1, ndim, cure).astype(np.int64)


def check_columns(
    values: ArrayLike,
    sizes: Sequence[int],
    name: str = "values",
) -> NDArray[np.int64]:
    """Return an int64 array (n, d) of codes, those of column j in {0, …, sizes[j]−1}."""
    codes = check_codes(values, None, name, ndim=2)
    if codes.shape[1] != len(sizes):
        raise ValueError(f"{name} must have d = {len(sizes)} columns, got {codes.shape[1]}")
    for j, size in enumerate(sizes):
        check_codes(codes[:, j], size, f"{name}[:, {j}]")
    return codes


def check_unit(values: ArrayLike, name: str = "values", ndim: int = 1) -> NDArray[np.float64]:
    """Return a float64 array of numbers in [−1, 1], of `ndim` axes."""
    found = _entries(values, name, "iuf", "numbers in [-1, 1]", -1, 1, ndim, NUMBERS)
    return found.astype(np.float64)


# -------------------------------------------------------------------------------- populations


def check_people(values: Sized) -> None:
    """Refuse an empty population."""
    if len(values) == 0:
        raise ValueError("values must hold at least one person, got none")


def check_histogram(counts: ArrayLike, k: int) -> NDArray[np.int64]:
    """Return a population's histogram: k counts, not all zero."""
    histogram = check_codes(counts, None, "counts")
    if histogram.shape != (k,):
        raise ValueError(f"counts must hold k = {k} counts, got shape {histogram.shape}")
    people = sum(histogram.tolist())  # Python's integers do not overflow
    if people == 0:
        raise ValueError("counts must hold at least one person, got none")
    if people >= 2**53:
        raise ValueError(f"counts must sum to less than 2**53, got {people}")
    return histogram
