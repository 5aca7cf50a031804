"""Sets of items: sampling, PrivSet, frequent items in two phases."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.sets.items import (
        PrivSet as PrivSet,
        SampledGRR as SampledGRR,
        SampledHadamardBit as SampledHadamardBit,
        SampledSUE as SampledSUE,
        SetSampling as SetSampling,
        TwoPhases as TwoPhases,
        best_report_size as best_report_size,
        gfim as gfim,
        halves as halves,
        largest as largest,
        ldpminer as ldpminer,
        restrict as restrict,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
