"""Questions about keys: with values, and how they go together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import comb, inf, sqrt
from typing import Any, ClassVar

import numpy as np

from ldpnb.checks import EPSILON_MIN, in_full
from ldpnb.choose._rows import MANY, STRINGS, TINY, Variances, other_rows
from ldpnb.choose.items import Sets
from ldpnb.choose.planning import Question, Row
from ldpnb.keyvalue import (
    IOH,
    PCKVGRR,
    PCKVUE,
    PairSampling,
    PrivKV,
    Shares,
    SignedTernary,
    StateEncoding,
    StateEncodingSplit,
    Table,
    WheelKV,
    mean_of,
)
from ldpnb.keyvalue.encoding import D_MAX
from ldpnb.keyvalue.states import SampledKey
from ldpnb.oracles import GRR, OUE, HadamardBit, SubsetSelection

COMBINATIONS = 10  # keys for k-Subset over all combinations: 3^10 of them are below LONG


@dataclass(frozen=True, kw_only=True)
class Pairs(Question):
    """Up to m of d keys a person, each with a value: a key's share of holders, and their mean.

    Ranked by the root of the summed variances of the estimates of share and share × mean, for a key
    whose values have mean 0 and scatter most.  Records are padded to m, except for SE, PrivKV and
    "SE, all keys", which know no m: they protect records of any length, and the last has ε/d for
    each key where ε/min(d, 2m) would do.  The error of the mean is that of the ratio, to first
    order.

    Units: shares are fractions; the mean is in that of [low, high], [−1, 1] if nothing is said, so
    that 0.30 is 0.60 stars of 1 to 5; share × mean, which helps to rank, is always that of values
    in [−1, 1].

    Parameters
    ----------
    d : int in [1, 10**6]
        Number of keys; where the client does not know them, of candidates that the server counts.
    m : int in [1, min(d, 10**4)]
        Keys a person holds, at most.
    share : float
        Of the people, who hold the key.
    listed : bool
        Whether all clients know the list of keys.
    low, high : float
        Range of the values, as in `OneNumber`.

    Examples
    --------
    >>> from ldpnb import choose
    >>> best = choose.Pairs(n=200_000, epsilon=1.0, d=300, m=8, low=1, high=5).rank().best
    >>> round(best.errors["mean"], 2)  # stars
    0.39
    """

    d: int
    m: int
    share: float = 0.1
    listed: bool = True
    low: float = -1.0
    high: float = 1.0
    limits: ClassVar = Sets.limits

    def _what(self) -> str:
        scale = f"[{in_full(self.low)}, {in_full(self.high)}]"
        return f"the share of a key's holders and of the mean of their values in {scale}"

    def _entries(self) -> int:
        return 2 * self.d

    def _population(self, mechanism: Any) -> Variances:
        # of products with the scatter of values in it, which clients round to ±1
        given = self._variances(mechanism)
        return given | {"share": given["share"] + self.share * (1 - self.share)}

    def _rows(self) -> list[Row]:
        d = self.d
        m = self.m
        e = self.epsilon
        rows = [
            Row(WheelKV.label, partial(WheelKV, m=m, epsilon=e), STRINGS),
            Row(
                PCKVGRR.label,
                partial(PCKVGRR, d=d, ell=m, epsilon=e),
                "names one pair of one's own",
            ),
            Row(
                PCKVUE.label,
                partial(PCKVUE, d=d, ell=m, epsilon=e),
                "an answer for each key, about one pair of one's own",
            ),
            Row(
                StateEncoding.label,
                partial(StateEncoding, d=d, epsilon=e),
                "three states of one public key",
            ),
            self._split_row(),
            Row(
                StateEncodingSplit.label,
                partial(StateEncodingSplit, d=d, epsilon=e),
                "the states of all keys, each with a part of ε",
            ),
        ]
        return rows + other_rows(SignedTernary, rows, d=d, ell=m, epsilon=e)

    def _split_row(self) -> Row:
        if self.epsilon < 2 * EPSILON_MIN:
            return Row(PrivKV.label, PrivKV, TINY)
        make = partial(PrivKV.tight_split, self.d, self.epsilon)
        return Row(PrivKV.label, make, "one public key, with a part of ε for the sign")

    def _variances(self, mechanism: Any) -> Variances:
        estimate = np.array([[self.share], [0.0]])
        if isinstance(mechanism, SampledKey):  # it is the estimate of those who were asked
            spread = mechanism.plug_in_of_asked(estimate, 1)
        else:
            spread = mechanism.plug_in(estimate, 1)
        share, product = spread.variance[:, 0].tolist()
        found = {"share": share, "share × mean": product}
        if self.share:
            found["mean"] = float(mean_of(estimate, spread).error[0]) ** 2
        return found

    def _code(self, mechanism: Any) -> str:
        if isinstance(mechanism, PrivKV):  # whose two ε are rounded so that their sum is kept
            return f"PrivKV.tight_split({self.d}, {self.epsilon!r})"
        return super()._code(mechanism)

    def _error(self, errors: dict[str, float]) -> float:
        if not errors:
            return inf
        return sqrt(errors["share"] ** 2 + errors["share × mean"] ** 2)


@dataclass(frozen=True, kw_only=True)
class Correlation(Question):
    """Which of d keys a person holds: the error of the share who hold both of two keys.

    All others hold none of the two.

    Parameters
    ----------
    d : int in [2, 1000]
        Number of keys.
    share : float
        Of the people, who hold both; 0, the default, is a rare pair.
    """

    d: int
    share: float = 0.0
    limits: ClassVar = {"d": (2, 1000)}
    asked: ClassVar = "the share who hold both of two keys"

    def _entries(self) -> int:
        return comb(self.d, 2)

    def _rows(self) -> list[Row]:
        keys = tuple(f"key {i}" for i in range(1, self.d + 1))
        oracles = {
            "k-RR": GRR,
            "k-Subset": SubsetSelection,
            "OUE": OUE,
            "Hadamard bit": HadamardBit,
        }
        rows = []
        for name, oracle in oracles.items():
            most = COMBINATIONS if oracle is SubsetSelection else D_MAX
            beyond = f"d = {most}" if self.d > most else ""
            whole = partial(IOH.of, keys, oracle, self.epsilon)
            pair = partial(PairSampling.of, keys, oracle, self.epsilon)
            rows.append(Row(f"IOH, {name}", whole, "all combinations of all keys", beyond=beyond))
            rows.append(Row(f"pairs, {name}", pair, "one public pair of keys a person"))
        return rows

    def _variances(self, mechanism: Any) -> Variances:
        if isinstance(mechanism, IOH):
            keys = mechanism.keys
            pairs = 1
        else:
            keys = mechanism.keys[:2]
            pairs = len(mechanism.pairs)
        shares = np.zeros((3,) * len(keys))
        none = (1,) * len(keys)
        both = (2, 2, *none[2:])
        shares[none] = 1 - self.share
        shares[both] = self.share
        collected = Shares(keys, shares.reshape(-1), MANY, mechanism.oracle, pairs)
        table = Table(keys, collected.shares, collected)
        error = table.count(dict.fromkeys(keys[:2], 1)).error
        return {"both": float(error) ** 2 * MANY}
