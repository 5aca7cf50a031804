"""Key–value data: signed ternary mechanisms, PrivKV, PCKV, Wheels, changing keys, correlations."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.keyvalue.changing import (
        Batches as Batches,
        batches as batches,
        everyone as everyone,
        exposed as exposed,
        latest as latest,
        steady as steady,
    )
    from ldpnb.keyvalue.correlation import IOH as IOH, PairSampling as PairSampling
    from ldpnb.keyvalue.encoding import Encoded as Encoded, encode as encode
    from ldpnb.keyvalue.pckv import (
        PCKVGRR as PCKVGRR,
        PCKVUE as PCKVUE,
        PadAndSample as PadAndSample,
        stale_epsilon as stale_epsilon,
    )
    from ldpnb.keyvalue.population import (
        Holdings as Holdings,
        discretise as discretise,
        holdings as holdings,
    )
    from ldpnb.keyvalue.privkv import (
        PrivKV as PrivKV,
        PrivKVM as PrivKVM,
        privkvm as privkvm,
        privkvm_bias as privkvm_bias,
        privkvm_epsilon as privkvm_epsilon,
        privkvm_marginals as privkvm_marginals,
    )
    from ldpnb.keyvalue.queries import (
        Answer as Answer,
        Shares as Shares,
        Table as Table,
        to_bits as to_bits,
    )
    from ldpnb.keyvalue.states import (
        SampledKey as SampledKey,
        StateEncoding as StateEncoding,
        StateEncodingSplit as StateEncodingSplit,
    )
    from ldpnb.keyvalue.ternary import (
        Held as Held,
        KnownKeys as KnownKeys,
        Means as Means,
        SignedTernary as SignedTernary,
        Spread as Spread,
        clipped_mean as clipped_mean,
        mean_of as mean_of,
        tell as tell,
    )
    from ldpnb.keyvalue.wheel import (
        Circle as Circle,
        OpenSets as OpenSets,
        Wheel as Wheel,
        WheelKV as WheelKV,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
