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
    from ldpnb.numbers.many_numbers import (
        HarmonyMean as HarmonyMean,
        MeanEst as MeanEst,
        Numbers as Numbers,
        SampledHybrid as SampledHybrid,
        SampledNumbers as SampledNumbers,
    )
    from ldpnb.numbers.means import MeanMechanism as MeanMechanism, Range as Range
    from ldpnb.numbers.one_number import (
        Design as Design,
        Hybrid as Hybrid,
        Laplace as Laplace,
        Number as Number,
        NumberMechanism as NumberMechanism,
        Piecewise as Piecewise,
        TwoPoint as TwoPoint,
        best_width as best_width,
    )
    from ldpnb.numbers.ranges import (
        Density as Density,
        Hierarchy as Hierarchy,
        Quantiles as Quantiles,
        Share as Share,
        density as density,
        mean_variance as mean_variance,
        quantiles as quantiles,
        rising as rising,
        share as share,
        square_wave as square_wave,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
