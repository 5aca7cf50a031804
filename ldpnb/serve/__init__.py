"""Surveys: questions and results, which mechanism to choose, collecting and screening, accounts of ε."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.serve._catalogue import catalogue as catalogue
    from ldpnb.serve._contrasts import Contrast as Contrast, Contrasts as Contrasts
    from ldpnb.serve._results import (
        Entry as Entry,
        RatingsResult as RatingsResult,
        Result as Result,
    )
    from ldpnb.serve._vectors import vectors as vectors
    from ldpnb.serve.collecting import (
        ClusterError as ClusterError,
        Collected as Collected,
        PartitionError as PartitionError,
        collect as collect,
        read as read,
        save as save,
    )
    from ldpnb.serve.comparing import (
        Homogeneity as Homogeneity,
        difference as difference,
        differences as differences,
        same_everywhere as same_everywhere,
    )
    from ldpnb.serve.keeping import (
        Account as Account,
        BudgetError as BudgetError,
        identity as identity,
        load_state as load_state,
        load_tally as load_tally,
        save_state as save_state,
        save_tally as save_tally,
    )
    from ldpnb.serve.one_answer import Number as Number, OneOf as OneOf, Strings as Strings
    from ldpnb.serve.ranking import Choice as Choice, Ranking as Ranking
    from ldpnb.serve.screening import Screening as Screening, screen as screen
    from ldpnb.serve.several_answers import Ratings as Ratings, YesNoTable as YesNoTable
    from ldpnb.serve.survey import Survey as Survey
    from ldpnb.serve.waves import Waves as Waves, pool_waves as pool_waves
    from ldpnb.serve.ways import Way as Way, Ways as Ways
    from ldpnb.serve.wire import (
        from_wire as from_wire,
        header as header,
        schema as schema,
        to_wire as to_wire,
    )

__getattr__, __dir__, __all__ = door(__name__, __file__)
