"""Where 1.0.0 had `ldpnb.collecting.partitions`; its names of that time."""

from ldpnb.collecting._disk import brief as brief, lock as lock, placing as placing
from ldpnb.collecting._given import mechanism_of as mechanism_of
from ldpnb.collecting.files import identity as identity
from ldpnb.collecting.partitions import (
    AWAITED as AWAITED,
    CHECKSUMS as CHECKSUMS,
    FAN_IN as FAN_IN,
    GROUP as GROUP,
    HEAD as HEAD,
    LAYOUT as LAYOUT,
    LOST as LOST,
    OWN as OWN,
    PLAIN as PLAIN,
    WIDE as WIDE,
    WITH_WAVE as WITH_WAVE,
    ClusterError as ClusterError,
    Collected as Collected,
    PartitionError as PartitionError,
    StrPath as StrPath,
    Told as Told,
    collect as collect,
    read as read,
    save as save,
)
from ldpnb.survey._asked import Asked as Asked
