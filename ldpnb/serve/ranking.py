"""Where 1.0.0 had `ldpnb.choose.ranking`; its names of that time."""

from ldpnb.choose.ranking import (
    LONG as LONG,
    Choice as Choice,
    Ranking as Ranking,
    check_half_width as check_half_width,
    check_power as check_power,
    needed as needed,
    written as written,
)
