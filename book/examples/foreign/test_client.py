"""Does a client show more of a value than it states?  A test to copy, for any function from a value to a report.

Needs pytest, ldpnb and scikit-learn.  Change the client, the ε that it states and the pairs of inputs: two of every
kind that should not be told apart, among them the ends, the first and the last.
"""

import numpy as np
import opendp.prelude as dp
import pytest

from ldpnb.verify import audit

dp.enable_features("contrib")
client = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=0.5)
STATED = client.map(1)
PAIRS = {"neighbours": [b"\x01", b"\x02"], "first and last bit": [b"\x01", b"\x80"]}
SURE = {"samples": 10_000, "level": 1e-6, "claimed": STATED}  # a right client fails a test once in a million runs


@pytest.mark.parametrize("inputs", PAIRS.values(), ids=PAIRS)
def test_no_report_shows_more_than_is_stated(inputs):
    found = audit(lambda value, rng: client(value), inputs, rng=np.random.default_rng(), **SURE)
    assert not found.flagged, f"ε is at least {found.bound:.2f}, stated is {STATED:.2f}: {found.event}"


@pytest.mark.parametrize("inputs", PAIRS.values(), ids=PAIRS)
def test_a_leak_would_be_seen(inputs):
    def leaks(value, rng):
        return value if rng.random() < 0.2 else client(value)

    assert audit(leaks, inputs, rng=np.random.default_rng(), **SURE).flagged
