"""Laws and moments of any client, and audits of black boxes: what a client is shown to do."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.verify._audit import Audit as Audit, audit as audit, ceiling as ceiling
    from ldpnb.verify._features import features_of as features_of
    from ldpnb.verify._items import Items as Items, of_size as of_size
    from ldpnb.verify._laws import (
        Sampled as Sampled,
        Worst as Worst,
        distance as distance,
        epsilon as epsilon,
        keeps as keeps,
        laws as laws,
        moments as moments,
        one_person as one_person,
        repeat as repeat,
        row_keys as row_keys,
        same_law as same_law,
        sampled as sampled,
        total_variation as total_variation,
        worst as worst,
    )
    from ldpnb.verify._prove import Proof as Proof, prove as prove
    from ldpnb.verify.contract import check_mechanism as check_mechanism

__getattr__, __dir__, __all__ = door(__name__, __file__)
