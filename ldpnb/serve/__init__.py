"""What a survey runs on: which mechanism to choose, and collecting reports at scale."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.serve._catalogue import catalogue as catalogue
    from ldpnb.serve.collecting import (
        Collected as Collected,
        PartitionError as PartitionError,
        collect as collect,
        identity as identity,
        read as read,
        save as save,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
