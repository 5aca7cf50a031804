"""Where 1.0.0 had the oracles that have a file of their own now; and names of that time."""

from __future__ import annotations

from abc import ABC

from ldpnb.oracles.base import (
    BLOCK as BLOCK,
    ItemOracle as ItemOracle,
    Supporting as Supporting,
    check_weights as check_weights,
)
from ldpnb.oracles.bits import put_own as put_own
from ldpnb.oracles.grr import GRR as GRR
from ldpnb.oracles.olh import OLH as OLH
from ldpnb.oracles.subset import SubsetSelection
from ldpnb.oracles.unary import OUE as OUE, SUE as SUE, UnaryEncoding as UnaryEncoding

PureProtocol = ItemOracle


class BitReports(ABC):
    """Name of 1.0.0 for the oracles whose report is a bit for each item: `isinstance` tells."""

    packed: bool

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return issubclass(kind, UnaryEncoding | SubsetSelection)
