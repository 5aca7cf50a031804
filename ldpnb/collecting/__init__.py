"""Collecting reports: files and clusters, the wire, tallies, columns, screening."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.collecting._vectors import vectors as vectors
    from ldpnb.collecting.files import (
        identity as identity,
        load_state as load_state,
        load_tally as load_tally,
        save_state as save_state,
        save_tally as save_tally,
    )
    from ldpnb.collecting.partitions import (
        ClusterError as ClusterError,
        Collected as Collected,
        PartitionError as PartitionError,
        collect as collect,
        read as read,
        save as save,
    )
    from ldpnb.collecting.screening import Screening as Screening, screen as screen
    from ldpnb.collecting.wire import (
        from_wire as from_wire,
        header as header,
        schema as schema,
        to_wire as to_wire,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
