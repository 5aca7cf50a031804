"""Many attributes per person.

Bit flips, tables, maximum entropy, blocks, Bayes networks, LoPub, fidelity.
"""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.attributes.bayesnet import (
        Model as Model,
        Network as Network,
        Scores as Scores,
        entropy_root as entropy_root,
        evaluations as evaluations,
        fit as fit,
        greedy as greedy,
        i_sum as i_sum,
        planted as planted,
        pruned as pruned,
        table_of as table_of,
    )
    from ldpnb.attributes.bitflip import (
        BitFlip as BitFlip,
        BloomFlip as BloomFlip,
        Flip as Flip,
        decoder as decoder,
        flip_for as flip_for,
    )
    from ldpnb.attributes.blocks import (
        Blocks as Blocks,
        Pooled as Pooled,
        best_block_size as best_block_size,
        cell_variance as cell_variance,
        pair_variance as pair_variance,
    )
    from ldpnb.attributes.drawn import DrawnAttributes as DrawnAttributes
    from ldpnb.attributes.fidelity import (
        avd as avd,
        edge_accuracy as edge_accuracy,
        independent as independent,
        kl as kl,
        marginals as marginals,
        resampled as resampled,
        svm_accuracy as svm_accuracy,
        uniform_records as uniform_records,
    )
    from ldpnb.attributes.harmony import HarmonyFrequency as HarmonyFrequency
    from ldpnb.attributes.lopub import (
        Published as Published,
        Tree as Tree,
        conditionals as conditionals,
        dependency as dependency,
        junction_tree as junction_tree,
        publish as publish,
        synthesise as synthesise,
        triangulated as triangulated,
    )
    from ldpnb.attributes.maxent import (
        MaxEntropy as MaxEntropy,
        consistent as consistent,
        max_entropy as max_entropy,
    )
    from ldpnb.attributes.releasing import Release as Release, release as release
    from ldpnb.attributes.tables import (
        Joint as Joint,
        Linear as Linear,
        Symbols as Symbols,
        entropy as entropy,
        expectation as expectation,
        inflation as inflation,
        information as information,
        information_bias as information_bias,
        inverted as inverted,
        likeliest as likeliest,
        symbols as symbols,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
