"""Where 1.0.0 had `ldpnb.choose.planning`; its names of that time."""

from ldpnb.choose.planning import (
    CLOSE as CLOSE,
    WIDTHS as WIDTHS,
    Question as Question,
    Row as Row,
    bits_of as bits_of,
    least_epsilon as least_epsilon,
)
from ldpnb.choose.ranking import (
    Choice as Choice,
    Ranking as Ranking,
    check_half_width as check_half_width,
    written as written,
)
