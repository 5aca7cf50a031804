"""Where 1.0.0 had `ldpnb.collecting.wire`; its names of that time."""

from ldpnb.collecting._given import mechanism_of as mechanism_of
from ldpnb.collecting.files import identity as identity
from ldpnb.collecting.wire import (
    DECIMAL as DECIMAL,
    DIGITS as DIGITS,
    FORM as FORM,
    HEADER as HEADER,
    JSON as JSON,
    PLAIN as PLAIN,
    SAFE as SAFE,
    WITH_WAVE as WITH_WAVE,
    Field as Field,
    Text as Text,
    fields_of as fields_of,
    from_wire as from_wire,
    header as header,
    schema as schema,
    sections as sections,
    to_wire as to_wire,
)
from ldpnb.survey._asked import Asked as Asked
