"""Strings: RAPPOR and its relatives, decoding, strings that nobody can list."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.strings.decoding import Decoded as Decoded, decode as decode
    from ldpnb.strings.hashed import Hashed as Hashed, pivoted as pivoted, position as position
    from ldpnb.strings.rappor import ORR as ORR, RAPPOR as RAPPOR, one_time as one_time
    from ldpnb.strings.unknown_strings import (
        Counts as Counts,
        Unknown as Unknown,
        dictionary as dictionary,
        discover as discover,
        threshold as threshold,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
