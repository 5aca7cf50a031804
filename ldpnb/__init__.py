"""Local differential privacy: mechanisms that carry their own evidence.

The names below are the front door, imported when they are first asked for; more of each family is
in its folder.
"""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.attributes import (
        BitFlip as BitFlip,
        Blocks as Blocks,
        BloomFlip as BloomFlip,
        DrawnAttributes as DrawnAttributes,
        HarmonyFrequency as HarmonyFrequency,
        Network as Network,
        flip_for as flip_for,
        greedy as greedy,
        max_entropy as max_entropy,
        publish as publish,
        release as release,
    )
    from ldpnb.chance import SystemRandom as SystemRandom
    from ldpnb.collecting import collect as collect, save as save, screen as screen
    from ldpnb.core import Mechanism as Mechanism, Tally as Tally
    from ldpnb.exact import law as law, pick as pick, toss as toss
    from ldpnb.keyvalue import (
        IOH as IOH,
        PCKVGRR as PCKVGRR,
        PCKVUE as PCKVUE,
        PairSampling as PairSampling,
        PrivKV as PrivKV,
        StateEncoding as StateEncoding,
        StateEncodingSplit as StateEncodingSplit,
        Wheel as Wheel,
        WheelKV as WheelKV,
        privkvm as privkvm,
    )
    from ldpnb.numbers import (
        HarmonyMean as HarmonyMean,
        Hierarchy as Hierarchy,
        Hybrid as Hybrid,
        Laplace as Laplace,
        MeanEst as MeanEst,
        Piecewise as Piecewise,
        SampledHybrid as SampledHybrid,
        TwoPoint as TwoPoint,
        density as density,
        least_distortion as least_distortion,
        least_epsilon as least_epsilon,
        quantiles as quantiles,
        share as share,
        square_wave as square_wave,
    )
    from ldpnb.oracles import (
        GRR as GRR,
        OLH as OLH,
        OUE as OUE,
        PCE as PCE,
        SUE as SUE,
        BlockDesign as BlockDesign,
        HadamardBit as HadamardBit,
        HadamardResponse as HadamardResponse,
        MatrixMechanism as MatrixMechanism,
        SHist as SHist,
        SubsetSelection as SubsetSelection,
        minimax_risk as minimax_risk,
    )
    from ldpnb.postprocess import (
        interval as interval,
        maximum_likelihood as maximum_likelihood,
        norm as norm,
        norm_sub as norm_sub,
    )
    from ldpnb.records import Records as Records
    from ldpnb.sets import (
        PrivSet as PrivSet,
        SampledGRR as SampledGRR,
        SampledHadamardBit as SampledHadamardBit,
        SampledSUE as SampledSUE,
        gfim as gfim,
        ldpminer as ldpminer,
    )
    from ldpnb.strings import (
        ORR as ORR,
        RAPPOR as RAPPOR,
        Unknown as Unknown,
        decode as decode,
        discover as discover,
    )
    from ldpnb.survey import (
        Account as Account,
        Number as Number,
        OneOf as OneOf,
        Ratings as Ratings,
        Strings as Strings,
        Survey as Survey,
        Waves as Waves,
        YesNoTable as YesNoTable,
        difference as difference,
        differences as differences,
        pool_waves as pool_waves,
        same_everywhere as same_everywhere,
    )
    from ldpnb.verify import (
        audit as audit,
        check_mechanism as check_mechanism,
        epsilon as epsilon,
        keeps as keeps,
        laws as laws,
        moments as moments,
        prove as prove,
        same_law as same_law,
        worst as worst,
    )

__version__ = "1.0.0"
__getattr__, __dir__, __all__ = door(__name__, __file__)
