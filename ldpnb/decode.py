"""Which candidates do people really have?  Counted reports from an open domain, decoded against a list of candidates.

The counts of a tally say how often each cell of each cohort was 1.  Decoding chooses among the candidates where there
are too many for least squares, estimates shares with standard errors, and says which of them it has found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.linalg.lapack import dpstrf
from scipy.stats import false_discovery_control, norm

from ldpnb.core import Tally
from ldpnb.rappor import RAPPOR, Item, _candidates

DEPENDENT = 1e-9  # a column whose square, less its projection on others, is below this part of the largest square
CARRIED = 0.5  # candidates a cell: at more, least squares would at least double the variances
STEP = 1.25  # how fast the penalty rises until the chosen can be carried

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Decoded:
    """Shares of candidates, and which of them were found.

    Attributes
    ----------
    items : tuple
        The candidates.
    share : ndarray of float (candidates,)
        Estimated shares, not clipped.  Candidates that were not chosen have 0, which is not an estimate.
    error : ndarray of float (candidates,)
        Standard errors, for the shares among these people; NaN for candidates that were not chosen.
    p_value : ndarray of float (candidates,)
        Of the one-sided test of "share = 0" against "share > 0"; 1 for candidates that were not chosen.
    found : ndarray of bool (candidates,)
        Where the test speaks, the number of tests accounted for.
    chosen : ndarray of bool (candidates,)
        Kept by the Lasso, or all of them where it was not needed.
    rank : int
        Of the filters of all candidates (and the column of the others) in the cohorts that reported; at most `cells`.
    cells : int
        Number of equations: cells of the cohorts whose reports gave the estimates.
    """

    items: tuple[Item, ...]
    share: _Floats
    error: _Floats
    p_value: _Floats
    found: NDArray[np.bool_]
    chosen: NDArray[np.bool_]
    rank: int
    cells: int


def decode(
    tally: Tally,
    items: ArrayLike | Sequence[Item],
    *,
    control: Literal["fdr", "bonferroni"] = "fdr",
    alarm: float = 0.05,
    split: bool = False,
    others: bool = True,
) -> Decoded:
    """Estimate and test the share of each candidate."""
    raise NotImplementedError
