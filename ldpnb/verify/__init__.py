"""Laws and moments of any client, and audits of black boxes: what a client is shown to do."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.exact.clients import one_person as one_person
    from ldpnb.exact.distributions import (
        distance as distance,
        laws as laws,
        same_law as same_law,
        total_variation as total_variation,
    )
    from ldpnb.exact.items import Items as Items, of_size as of_size
    from ldpnb.exact.proofs import Proof as Proof
    from ldpnb.exact.proving import prove as prove
    from ldpnb.exact.ratios import (
        Worst as Worst,
        epsilon as epsilon,
        keeps as keeps,
        worst as worst,
    )
    from ldpnb.verify._audit import Audit as Audit, audit as audit, ceiling as ceiling
    from ldpnb.verify._features import features_of as features_of
    from ldpnb.verify._moments import (
        Sampled as Sampled,
        moments as moments,
        repeat as repeat,
        row_keys as row_keys,
        sampled as sampled,
    )
    from ldpnb.verify.contract import check_mechanism as check_mechanism

__getattr__, __dir__, __all__ = door(__name__, __file__)
