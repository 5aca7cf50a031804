"""Where 1.0.0 had `ldpnb.survey.drawing`; its names of that time."""

from ldpnb.collecting._columns import told as told
from ldpnb.survey._ends import row_of as row_of
from ldpnb.survey._results import RatingsResult as RatingsResult, Result as Result
from ldpnb.survey._rounds import check_rounds as check_rounds
from ldpnb.survey.drawing import (
    ALARM as ALARM,
    R as R,
    Supported as Supported,
    about_all as about_all,
    check_draw as check_draw,
    check_of as check_of,
    deal as deal,
    left_over as left_over,
    people_at_least as people_at_least,
    people_in as people_in,
    plausible as plausible,
    shuffled as shuffled,
    some_of as some_of,
)
