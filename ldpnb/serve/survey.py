"""Where 1.0.0 had `ldpnb.survey.survey`; its names of that time."""

from ldpnb.choose.ways import Ways as Ways, said as said, ways as ways
from ldpnb.collecting._columns import SHOWN as SHOWN, told as told
from ldpnb.collecting.files import digested as digested
from ldpnb.collecting.wire import (
    Text as Text,
    from_wire as from_wire,
    sections as sections,
    to_wire as to_wire,
)
from ldpnb.survey._asked import DECLINE as DECLINE, Asked as Asked
from ldpnb.survey._results import Results as Results
from ldpnb.survey.accounts import Account as Account, within_limit as within_limit
from ldpnb.survey.drawing import (
    check_draw as check_draw,
    deal as deal,
    people_at_least as people_at_least,
    people_in as people_in,
    some_of as some_of,
)
from ldpnb.survey.one_answer import Strings as Strings
from ldpnb.survey.several_answers import Ratings as Ratings, YesNoTable as YesNoTable
from ldpnb.survey.survey import Survey as Survey
