"""Where 1.0.0 had `ldpnb.collecting.files`; its names of that time."""

from ldpnb.collecting._disk import (
    locked as locked,
    naming as naming,
    patiently as patiently,
    put as put,
    resolved as resolved,
    tidy as tidy,
    unmoved as unmoved,
)
from ldpnb.collecting._given import SurveyQuestion as SurveyQuestion
from ldpnb.collecting.files import (
    FORM as FORM,
    LONGEST as LONGEST,
    SUM as SUM,
    WITH_WAVE as WITH_WAVE,
    Memoising as Memoising,
    StrPath as StrPath,
    digested as digested,
    identity as identity,
    load_state as load_state,
    load_tally as load_tally,
    save_state as save_state,
    save_tally as save_tally,
)
from ldpnb.survey.accounts import (
    CONDITIONS as CONDITIONS,
    SLACK as SLACK,
    Account as Account,
    BudgetError as BudgetError,
    within_limit as within_limit,
)

Asking = SurveyQuestion
