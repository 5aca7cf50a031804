"""One item of a list per person: pure protocols, Hadamard codes, channels.

The other families build on them.
"""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.oracles.base import FrequencyOracle as FrequencyOracle, ItemOracle as ItemOracle
    from ldpnb.oracles.designs import (
        BlockDesign as BlockDesign,
        best_order as best_order,
        difference_set as difference_set,
    )
    from ldpnb.oracles.frequency import BitReports as BitReports, PureProtocol as PureProtocol
    from ldpnb.oracles.grr import GRR as GRR
    from ldpnb.oracles.hadamard import (
        HadamardBit as HadamardBit,
        HadamardResponse as HadamardResponse,
        OneBit as OneBit,
        best_blocks as best_blocks,
        order as order,
        parity as parity,
        routed as routed,
        truthful as truthful,
    )
    from ldpnb.oracles.matrix import (
        MatrixMechanism as MatrixMechanism,
        ratio as ratio,
        within as within,
    )
    from ldpnb.oracles.olh import OLH as OLH
    from ldpnb.oracles.personal import PCE as PCE, people as people
    from ldpnb.oracles.subset import (
        SubsetSelection as SubsetSelection,
        best_size as best_size,
        minimax_risk as minimax_risk,
        size_for as size_for,
    )
    from ldpnb.oracles.succinct import SHist as SHist
    from ldpnb.oracles.unary import OUE as OUE, SUE as SUE, UnaryEncoding as UnaryEncoding

__getattr__, __dir__, __all__ = door(__name__, __file__)
