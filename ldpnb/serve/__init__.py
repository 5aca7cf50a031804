"""Where 1.0.0 had `ldpnb.choose`, `ldpnb.collecting` and `ldpnb.survey`; names of that time."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb.choose._catalogue import catalogue as catalogue
    from ldpnb.choose.ranking import Choice as Choice, Ranking as Ranking
    from ldpnb.choose.ways import Way as Way, Ways as Ways
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
    from ldpnb.survey._contrasts import Contrast as Contrast, Contrasts as Contrasts
    from ldpnb.survey._results import (
        Entry as Entry,
        RatingsResult as RatingsResult,
        Result as Result,
    )
    from ldpnb.survey.accounts import Account as Account, BudgetError as BudgetError
    from ldpnb.survey.comparing import (
        Homogeneity as Homogeneity,
        difference as difference,
        differences as differences,
        same_everywhere as same_everywhere,
    )
    from ldpnb.survey.one_answer import Number as Number, OneOf as OneOf, Strings as Strings
    from ldpnb.survey.several_answers import Ratings as Ratings, YesNoTable as YesNoTable
    from ldpnb.survey.survey import Survey as Survey
    from ldpnb.survey.waves import Waves as Waves, pool_waves as pool_waves

__getattr__, __dir__, __all__ = door(__name__, __file__)
