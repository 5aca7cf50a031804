"""Where 1.0.0 had `ldpnb.survey.waves`; its names of that time."""

from ldpnb.collecting._columns import told as told
from ldpnb.survey._contrasts import (
    AT_MOST as AT_MOST,
    UNTOLD as UNTOLD,
    Contrast as Contrast,
    Contrasts as Contrasts,
    Part as Part,
    check_size as check_size,
    largest_apart as largest_apart,
    law_of as law_of,
    part_of as part_of,
    percent as percent,
    variance_of as variance_of,
)
from ldpnb.survey._ends import added as added, moved as moved
from ldpnb.survey._results import Entry as Entry, RatingsResult as RatingsResult, Result as Result
from ldpnb.survey.waves import (
    BY_CHANCE as BY_CHANCE,
    NAMED as NAMED,
    NAMED_WAVES as NAMED_WAVES,
    NEAR as NEAR,
    ROUNDING as ROUNDING,
    OverWaves as OverWaves,
    Waves as Waves,
    pool_waves as pool_waves,
)
