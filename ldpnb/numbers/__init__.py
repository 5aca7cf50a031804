"""Numbers: means of one or many, and privacy as rate–distortion."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.numbers.distortion import (
        Optimum as Optimum,
        hamming_distortion as hamming_distortion,
        hamming_epsilon as hamming_epsilon,
        least_distortion as least_distortion,
        least_epsilon as least_epsilon,
        optimise_points as optimise_points,
        rate as rate,
    )
    from ldpnb.numbers.means import (
        Design as Design,
        HarmonyMean as HarmonyMean,
        Hybrid as Hybrid,
        Laplace as Laplace,
        MeanEst as MeanEst,
        MeanMechanism as MeanMechanism,
        Number as Number,
        Numbers as Numbers,
        Piecewise as Piecewise,
        Range as Range,
        SampledHybrid as SampledHybrid,
        SampledNumbers as SampledNumbers,
        TwoPoint as TwoPoint,
        best_width as best_width,
        interval as interval,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
