"""Where 1.0.0 had `ldpnb.survey.several_answers`; its names of that time."""

from ldpnb.collecting._columns import (
    coded as coded,
    key as key,
    named_people as named_people,
    numbers as numbers,
    present as present,
    told as told,
    told_apart as told_apart,
)
from ldpnb.survey._asked import (
    CATEGORY as CATEGORY,
    DECLINE as DECLINE,
    LEAVE as LEAVE,
    Asked as Asked,
    check_labels as check_labels,
    column_of as column_of,
    in_unit as in_unit,
    one_range as one_range,
    quantile as quantile,
)
from ldpnb.survey._ends import row_of as row_of
from ldpnb.survey._results import RatingsResult as RatingsResult, Result as Result
from ldpnb.survey._rounds import (
    of_share as of_share,
    of_unit as of_unit,
    repeated_error as repeated_error,
    rounds_of_asked as rounds_of_asked,
)
from ldpnb.survey.drawing import Supported as Supported, left_over as left_over
from ldpnb.survey.several_answers import (
    HALVINGS as HALVINGS,
    TINY as TINY,
    Ratings as Ratings,
    YesNoTable as YesNoTable,
)
