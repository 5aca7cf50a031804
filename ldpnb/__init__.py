"""Local differential privacy: mechanisms that carry their own evidence.

The names below are the front door, imported when they are first asked for; more of each family is in its module.
"""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.bayesnet import Network as Network, greedy as greedy
    from ldpnb.blocks import Blocks as Blocks
    from ldpnb.chance import SystemRandom as SystemRandom, law as law, pick as pick, toss as toss
    from ldpnb.collect import save as save
    from ldpnb.core import Mechanism as Mechanism, Records as Records, Tally as Tally
    from ldpnb.correlation import IOH as IOH, PairSampling as PairSampling
    from ldpnb.distortion import least_distortion as least_distortion, least_epsilon as least_epsilon
    from ldpnb.frequency import (
        GRR as GRR,
        OLH as OLH,
        OUE as OUE,
        SUE as SUE,
        SubsetSelection as SubsetSelection,
        minimax_risk as minimax_risk,
    )
    from ldpnb.items import (
        PrivSet as PrivSet,
        SampledGRR as SampledGRR,
        SampledSHist as SampledSHist,
        SampledSUE as SampledSUE,
        gfim as gfim,
        ldpminer as ldpminer,
    )
    from ldpnb.joint import BitFlip as BitFlip, BloomFlip as BloomFlip, flip_for as flip_for
    from ldpnb.keyvalue import SE as SE, SESplit as SESplit
    from ldpnb.lopub import publish as publish
    from ldpnb.matrix import MatrixMechanism as MatrixMechanism
    from ldpnb.maxent import max_entropy as max_entropy
    from ldpnb.means import (
        HarmonyMean as HarmonyMean,
        Hybrid as Hybrid,
        Laplace as Laplace,
        MeanEst as MeanEst,
        Piecewise as Piecewise,
        SampledHybrid as SampledHybrid,
        TwoPoint as TwoPoint,
    )
    from ldpnb.onebit import (
        PCE as PCE,
        HadamardBit as HadamardBit,
        HadamardResponse as HadamardResponse,
        HarmonyFrequency as HarmonyFrequency,
        SHist as SHist,
    )
    from ldpnb.pckv import PCKVGRR as PCKVGRR, PCKVUE as PCKVUE
    from ldpnb.postprocess import maximum_likelihood as maximum_likelihood, norm as norm, norm_sub as norm_sub
    from ldpnb.privkv import PrivKV as PrivKV, privkvm as privkvm
    from ldpnb.rappor import ORR as ORR, RAPPOR as RAPPOR
    from ldpnb.unknown import Unknown as Unknown, discover as discover
    from ldpnb.verify import epsilon as epsilon, laws as laws, moments as moments, same_law as same_law, worst as worst
    from ldpnb.wheel import Wheel as Wheel, WheelKV as WheelKV

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = door(__name__, __file__)
