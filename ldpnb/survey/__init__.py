"""Questions as people ask them: labels, results, contrasts, waves, accounts of ε."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
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
