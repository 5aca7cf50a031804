"""What a survey runs on: which mechanism to choose, collecting reports at scale, and screening them."""

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
    from ldpnb.serve.screening import Screening as Screening, screen as screen

__getattr__, __dir__, __all__ = door(__name__, __file__)
