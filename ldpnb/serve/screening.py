"""Where 1.0.0 had `ldpnb.collecting.screening`; its names of that time."""

from ldpnb.collecting.screening import (
    BINS as BINS,
    Bits as Bits,
    Screening as Screening,
    Test as Test,
    screen as screen,
)
