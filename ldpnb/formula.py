"""Exact formulas in e^ε, by the names of version 1.0.0; they live in `ldpnb.exact`.

`Formula`, `Budget` and `Field` are those of `ldpnb.exact.formulas`, polynomials those of
`ldpnb.exact.polynomials`, and what the package asks of formulas while a client runs is in
`ldpnb.exact.questions`.
"""

from ldpnb.exact.formulas import (
    Budget as Budget,
    Field as Field,
    Formula as Formula,
    Root as Root,
    in_lowest_terms as in_lowest_terms,
    is_probability as is_probability,
    simple as simple,
)
from ldpnb.exact.polynomials import (
    STARTS,
    Poly as Poly,
    Y as Y,
    collect as collect,
    common as common,
    crossings as crossings,
    derivative as derivative,
    divided as divided,
    exponents as exponents,
    never_zero as never_zero,
    plus as plus,
    power as power,
    roots as roots,
    shifted as shifted,
    sign as sign,
    times as times,
    value as value,
    whole as whole,
)
from ldpnb.exact.questions import (
    above_one as above_one,
    ascending as ascending,
    coin_of as coin_of,
    exactly as exactly,
    exactly_of as exactly_of,
    inexactly as inexactly,
    log_of as log_of,
    note_range as note_range,
    odds_of as odds_of,
    possible as possible,
    probable as probable,
    rounded as rounded,
    same_weights as same_weights,
    share_of as share_of,
    weights_of as weights_of,
    within as within,
)
from ldpnb.exact.symbols import Symbol as Symbol

START = STARTS  # of y, as the signs of polynomials try them
