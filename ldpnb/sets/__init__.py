"""Sets of items: sampling, PrivSet, frequent items in two phases."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.sets.base import SetMechanism as SetMechanism, SetSampling as SetSampling
    from ldpnb.sets.privset import PrivSet as PrivSet, best_report_size as best_report_size
    from ldpnb.sets.sampling import (
        SampledGRR as SampledGRR,
        SampledHadamardBit as SampledHadamardBit,
        SampledSUE as SampledSUE,
    )
    from ldpnb.sets.two_phases import (
        TwoPhases as TwoPhases,
        gfim as gfim,
        halves as halves,
        largest as largest,
        ldpminer as ldpminer,
        restrict as restrict,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
