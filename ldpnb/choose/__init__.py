"""Which mechanism for which question: rankings, plans, and ways to share a limit out."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.choose._catalogue import catalogue as catalogue
    from ldpnb.choose.attributes import Crosstabs as Crosstabs, Marginals as Marginals
    from ldpnb.choose.items import Frequent as Frequent, Item as Item, Sets as Sets
    from ldpnb.choose.numbers import (
        Distribution as Distribution,
        OneNumber as OneNumber,
        Vector as Vector,
    )
    from ldpnb.choose.pairs import Correlation as Correlation, Pairs as Pairs
    from ldpnb.choose.planning import Question as Question
    from ldpnb.choose.questions import TASKS as TASKS
    from ldpnb.choose.ranking import Choice as Choice, Ranking as Ranking
    from ldpnb.choose.ways import Way as Way, Ways as Ways

__getattr__, __dir__, __all__ = door(__name__, __file__)
