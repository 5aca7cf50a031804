"""Checks of arguments: what they return is right, and what they refuse is named with its rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    is_number as is_number,
    out_of_range as out_of_range,
    shown as shown,
)

SIZE_MAX = 2**31  # of a domain; shared out among more, EPSILON_MIN would no longer be large against 2**-53
HASHES_MAX = 1000  # hash functions of a filter, which share ε between them
FEW = 8  # entries of which a list is sooner looked at than an array

LABELS = "; OneOf(categories, epsilon=…) takes labels, and says what becomes of missing answers"
NUMBERS = "; Number(low, high, epsilon=…) takes any range, and says what becomes of missing answers"

Limit = tuple[int, int] | Callable[[Any, str], Any]  # least and largest value of an integer, or a check


def in_full(number: float) -> str:
    """Write a number with as many digits as it takes: a bound that is rounded could be what it forbids.

    Examples
    --------
    >>> in_full(5.0), in_full(0.1 + 0.2)
    ('5', '0.30000000000000004')
    """
    return repr(float(number)).removesuffix(".0")


def as_float(value: Any, name: str) -> float:
    """Return a number, Python's or numpy's, as a float; refuse integers beyond floats."""
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be numbers that a float holds, at most 1.8e308, got {shown(value)}") from None


def check_positive(value: Any, name: str) -> float:
    """Return a finite number above zero as a float, which holds numbers up to 1.8e308."""
    value = value.item() if isinstance(value, np.floating) else value  # the largest float is none of 32 bits
    if not is_number(value) or not 0 < value <= float_info.max:
        large = ", and a float holds at most 1.8e308" if is_number(value) and value > float_info.max else ""
        raise ValueError(f"{name} must be a positive number, got {shown(value)}{large}")
    return float(value)


def check_errors(value: Any, name: str = "z") -> float:
    """Return a number of standard errors as a float, at least 0."""
    value = value.item() if isinstance(value, np.floating) else value  # the largest float is none of 32 bits
    if not is_number(value) or not 0 <= value <= float_info.max:
        rule = "a finite number of standard errors, at least 0"
        raise ValueError(f"{name} must be {rule}, got {shown(value)}")
    return float(value)


def within(limit: Limit, value: Any, name: str) -> Any:
    """Return the value of a field if it keeps its declared limit."""
    return limit(value, name) if callable(limit) else check_count(value, limit[0], name, limit[1])


def check_flag(value: Any, name: str) -> bool:
    """Return what is True or False, and nothing else."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {shown(value)}")
    return value


def check_text(value: Any, name: str) -> str:
    """Return a text, exactly, if it comes back from JSON as it is; of two half characters, JSON makes one.

    A text of another class, as numpy's or a member of an enumeration, is its characters.
    """
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {shown(value)}: write str({name})")
    if any("\ud800" <= character <= "\udfff" for character in value):
        cure = f"write {name}.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        rule = "a text without surrogates (half characters)"
        raise ValueError(f"{name} must be {rule}, got {shown(value, ascii)}: {cure}")
    return str.__str__(value)


def check_wave(wave: Any) -> str | None:
    """Return the name of a wave: a text that is not blank and has no half characters, or None."""
    if wave is None:
        return None
    if not isinstance(wave, str) or not wave.strip():
        cure = "name it as '2026-W48', or leave it out"
        raise ValueError(f"wave must be a text that is not blank, or None, got {shown(wave)}: {cure}")
    return check_text(wave, "wave")


def check_sizes(sizes: Any, name: str = "sizes", least: int = 1) -> tuple[int, ...]:
    """Return numbers of values, one an attribute, of at least `least` attributes with two values each."""
    if not isinstance(sizes, tuple) or len(sizes) < least:
        raise ValueError(f"{name} must be a tuple of integers, at least {least}, got {shown(sizes)}")
    return tuple(check_count(size, 2, name, SIZE_MAX) for size in sizes)


def check_array(values: Any, name: str) -> NDArray[Any]:
    """Return an array; refuse lists that do not make one, and masked arrays, of which numpy would forget the mask."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} must be a plain array, got a masked one")
    try:
        return np.asarray(values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name} must be an array, got something else: {error}") from None


def _large(array: NDArray[Any]) -> bool:
    """Whether all entries are numbers, of which numpy makes objects since some are integers beyond 64 bits."""
    return array.dtype.kind == "O" and array.size > 0 and all(map(is_number, array.flat))


def _entries(
    values: Any, name: str, kinds: str, rule: str, least: float, most: float, ndim: int | None = None, cure: str = ""
) -> NDArray[Any]:
    """Return an array of these kinds of numbers, all of them in [least, most], of `ndim` axes if that is given."""
    array, cure = check_array(values, name), cure if name == "values" and ndim == 1 else ""
    if _large(array):
        for x in array.flat:
            if not least <= x <= most:
                raise ValueError(f"{name} must be {rule}, got {shown(x)}{cure}")
    if array.dtype.kind not in kinds:
        raise ValueError(f"{name} must be {rule}, got {array.dtype} values{cure}")
    if ndim not in (None, array.ndim):
        raise ValueError(f"{name} must have {ndim} axes, got shape {array.shape}")
    if not in_range(array, least, most):
        raise ValueError(f"{name} must be {rule}, got {array[~((array >= least) & (array <= most))].flat[0]}{cure}")
    return array


def in_range(x: NDArray[Any], least: float, most: float) -> bool:
    """Whether all numbers are in [least, most]; negative integers are large if their bits are read without a sign."""
    if x.size <= FEW:
        return all(least <= y <= most for y in x.ravel().tolist())
    if least == 0 and x.dtype.kind in "iu" and most < 2 ** (8 * x.itemsize - 1):
        return bool((x.view(f"{x.dtype.byteorder}u{x.itemsize}") <= most).all())
    return bool(((x >= least) & (x <= most)).all())


def check_numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return a float64 array of finite numbers, of any shape."""
    array = check_array(values, name)
    if _large(array):
        array = np.array([as_float(x, name) for x in array.flat]).reshape(array.shape)
    with np.errstate(over="ignore"):  # of wider floats; infinity is refused
        array = array.astype(np.float64) if array.dtype.kind in "iuf" else array
    return _entries(array, name, "iuf", "finite numbers", -float_info.max, float_info.max)


def check_fields(reports: Any, dtype: np.dtype[Any], name: str = "reports") -> NDArray[Any]:
    """Return reports that have fields, (n,), if these are the fields."""
    found = check_array(reports, name)
    if found.dtype != dtype or found.ndim != 1:
        raise ValueError(f"{name} must have the fields {dtype}, (n,), got {found.dtype} of shape {found.shape}")
    return found


def check_part(found: Any, name: str, kind: Any, values: int, *shape: int, counted: bool = False) -> NDArray[Any]:
    """Return a field of reports, (n, …): integers below `values`, or entries of another type than np.int64.

    Bits are left to `kernels.count_ones` where they are `counted` by it, which looks at them in the same pass.
    """
    array, wide = check_array(found, name), kind is np.int64
    if array.ndim != 1 + len(shape) or array.shape[1:] != shape or not (wide or array.dtype == kind):
        rule = f"{'integers' if wide else np.dtype(kind).name} of shape {('n', *shape)}".replace("'", "")
        raise ValueError(f"{name} must be {rule}, got {array.dtype} of shape {array.shape}")
    if array.dtype == np.bool_ and not counted:
        check_bits(array, name)
    if wide:
        return check_codes(array, values, name, array.ndim)
    if array.dtype.kind in "iu" and values <= np.iinfo(kind).max:  # as they are: eight bytes an entry would be many
        _entries(array, name, "iu", f"integers in [0, {values})", 0, values - 1)
    return array


def check_bits(bits: NDArray[np.bool_], name: str) -> None:
    """Refuse bools whose bytes are not 0 or 1, as buffers may hold them: numpy adds bytes, each as it is."""
    most = bits.view(np.uint8).max(initial=0)
    if most > 1:
        raise ValueError(f"{name} must be bools, whose bytes are 0 or 1, got a byte {most}; compare them with 0 first")


def check_codes(values: ArrayLike, k: int | None, name: str = "values", ndim: int = 1) -> NDArray[np.int64]:
    """Return an int64 array of codes in {0, …, k−1} (any non-negative integers if k is None), of `ndim` axes."""
    codes = check_array(values, name)
    if codes.size == 0 and codes.dtype.kind == "f":  # an empty list
        codes = codes.astype(np.int64)
    rule, end = ("non-negative integers", 2**63 - 1) if k is None else (f"integers in [0, {k})", k)
    return _entries(codes, name, "iu", rule, 0, end - 1, ndim, LABELS).astype(np.int64)


def check_columns(values: ArrayLike, sizes: Sequence[int], name: str = "values") -> NDArray[np.int64]:
    """Return an int64 array (n, d) of codes, those of column j in {0, …, sizes[j]−1}."""
    codes = check_codes(values, None, name, ndim=2)
    if codes.shape[1] != len(sizes):
        raise ValueError(f"{name} must have d = {len(sizes)} columns, got {codes.shape[1]}")
    for j, size in enumerate(sizes):
        check_codes(codes[:, j], size, f"{name}[:, {j}]")
    return codes


def check_unit(values: ArrayLike, name: str = "values", ndim: int = 1) -> NDArray[np.float64]:
    """Return a float64 array of numbers in [−1, 1], of `ndim` axes."""
    return _entries(values, name, "iuf", "numbers in [-1, 1]", -1, 1, ndim, NUMBERS).astype(np.float64)


def check_people(values: Any) -> None:
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
