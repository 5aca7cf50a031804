"""Where 1.0.0 had `ldpnb.survey.one_answer`; its names of that time."""

from ldpnb.collecting._columns import (
    coded as coded,
    folded as folded,
    labelled as labelled,
    numbers as numbers,
    present as present,
    told as told,
)
from ldpnb.survey._asked import (
    CATEGORY as CATEGORY,
    DECLINE as DECLINE,
    LEAVE as LEAVE,
    Asked as Asked,
    check_labels as check_labels,
    in_unit as in_unit,
    one_range as one_range,
    quantile as quantile,
)
from ldpnb.survey._contrasts import finite as finite, place_of as place_of, weights_of as weights_of
from ldpnb.survey._results import Result as Result
from ldpnb.survey.drawing import Supported as Supported
from ldpnb.survey.one_answer import (
    CLOSE as CLOSE,
    MANY as MANY,
    Number as Number,
    OneOf as OneOf,
    Strings as Strings,
)
