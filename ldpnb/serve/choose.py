"""Where 1.0.0 had `ldpnb.choose.questions`; its names of that time."""

from ldpnb.choose._catalogue import catalogue as catalogue
from ldpnb.choose._rows import LARGEST as LARGEST, MANY as MANY, TINY as TINY
from ldpnb.choose.attributes import Crosstabs as Crosstabs, Marginals as Marginals
from ldpnb.choose.items import (
    LONG as LONG,
    MOST as MOST,
    SHORT as SHORT,
    Frequent as Frequent,
    Item as Item,
    Sets as Sets,
)
from ldpnb.choose.numbers import (
    Distribution as Distribution,
    OneNumber as OneNumber,
    Vector as Vector,
)
from ldpnb.choose.pairs import Correlation as Correlation, Pairs as Pairs
from ldpnb.choose.planning import Question as Question, Row as Row, bits_of as bits_of
from ldpnb.choose.questions import TASKS as TASKS
from ldpnb.choose.ranking import Choice as Choice, written as written
