"""Where 1.0.0 had `ldpnb.choose.ways`; its names of that time."""

from ldpnb.choose.ways import (
    ENOUGH as ENOUGH,
    WORSE as WORSE,
    Way as Way,
    Ways as Ways,
    said as said,
    shared_out as shared_out,
    ways as ways,
)
