"""A standard error to come, which prints what it is."""

from __future__ import annotations

from typing import Self

from ldpnb.checks import decimals
from ldpnb.postprocess import normal_quantile

LEVEL = 95  # percent of surveys


class PlannedError(float):
    """A standard error to come: a float, but for what it prints.

    Parameters
    ----------
    error : float
        A part of 1 for a share; of a mean in its own unit.
    unit : str or None
        Of a mean; None for a share.
    largest : bool
        Whether it is the largest one that any answers lead to.

    Examples
    --------
    >>> PlannedError(0.041)
    standard error 4.1 %: 95 % of surveys within ± 8.0 points
    >>> PlannedError(0.36, "years", largest=True)
    standard error at most 0.36 years: 95 % of surveys within ± 0.71 years
    """

    unit: str | None
    largest: bool

    def __new__(cls, error: float, unit: str | None = None, *, largest: bool = False) -> Self:
        found = super().__new__(cls, error)
        found.unit = unit
        found.largest = largest
        return found

    def __repr__(self) -> str:
        error = float(self)
        half = normal_quantile(LEVEL / 100) * error
        if self.unit is None:
            digits = decimals(100 * error)
            written = f"{100 * error:,.{digits}f} %"
            around = f"{100 * half:,.{digits}f} points"
        else:
            digits = decimals(error)
            unit = f" {self.unit}" if self.unit else ""
            written = f"{error:,.{digits}f}{unit}"
            around = f"{half:,.{digits}f}{unit}"
        most = "at most " if self.largest else ""
        return f"standard error {most}{written}: {LEVEL} % of surveys within ± {around}"
