"""What runs one person's client exactly: coins, replay, laws, formulas, proofs and certificates.

This part of the package imports the standard library alone, so that it can be read, and run,
without numpy.
"""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.exact.clients import one_person as one_person
    from ldpnb.exact.coins import SystemRandom as SystemRandom, pick as pick, toss as toss
    from ldpnb.exact.distributions import (
        Law as Law,
        distance as distance,
        law as law,
        laws as laws,
        same_law as same_law,
        total_variation as total_variation,
    )
    from ldpnb.exact.forms import form as form
    from ldpnb.exact.items import Items as Items, of_size as of_size
    from ldpnb.exact.outputs import Outputs as Outputs, freeze as freeze
    from ldpnb.exact.probabilities import (
        exact as exact,
        inexact as inexact,
        log as log,
        log_down as log_down,
        log_up as log_up,
        odds as odds,
        round_down as round_down,
        round_up as round_up,
        share as share,
    )
    from ldpnb.exact.proofs import Proof as Proof
    from ldpnb.exact.proving import prove as prove
    from ldpnb.exact.ratios import (
        Worst as Worst,
        epsilon as epsilon,
        keeps as keeps,
        worst as worst,
    )
    from ldpnb.exact.replay import (
        Paths as Paths,
        TooManyBranches as TooManyBranches,
        branches as branches,
        walk as walk,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
