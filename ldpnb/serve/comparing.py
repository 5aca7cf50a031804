"""Where 1.0.0 had `ldpnb.survey.comparing`; its names of that time."""

from ldpnb.survey._contrasts import (
    Contrast as Contrast,
    Contrasts as Contrasts,
    apart_from as apart_from,
    part_of as part_of,
    variance_of as variance_of,
)
from ldpnb.survey._results import Entry as Entry, RatingsResult as RatingsResult, Result as Result
from ldpnb.survey.comparing import (
    ROWS as ROWS,
    Homogeneity as Homogeneity,
    difference as difference,
    differences as differences,
    same_everywhere as same_everywhere,
)
