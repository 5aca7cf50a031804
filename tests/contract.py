"""The contract's checks as tests: what a test class of a mechanism inherits, with values and reports to be refused."""

import warnings
from typing import Any

import numpy as np
import pytest

from ldpnb.core import Example, named
from ldpnb.records import Records
from ldpnb.verify import contract, total_variation as total_variation
from ldpnb.verify.contract import (
    FALSE_ALARM as FALSE_ALARM,
    chi_square as chi_square,
    stated_rounding as stated_rounding,
)

Case = Example

BAD_PAIRS = [  # no records of keys 0 and 1 with values in [−1, 1]
    [{0: 1.0}],
    np.array([0, 1]),
    Records.of({0}, {1}),
    Records.of({0: 1.0}, {2: 1.0}),
    Records.of({0: 1.5}),
    Records.of({0: -1.0000001}),
    Records(np.array([0, 1]), np.array([-1]), np.array([0.0])),
    Records(np.array([0, 1]), np.array([0]), np.array([np.nan])),
]


def strictly(check):
    """Make a check demand that all of ε is spent, as the package's own mechanisms do."""

    def checked(example):
        with warnings.catch_warnings():
            warnings.simplefilter("error", contract.Slack)
            check(example)

    return checked


class Contract:
    """Subclasses list their `cases`, and values and reports that must be refused."""

    cases: list[Example]
    bad_values: list[Any]
    bad_reports: list[Any]

    def pytest_generate_tests(self, metafunc):
        if {"check", "example"} <= set(metafunc.fixturenames):
            mark = contract.parametrize(metafunc.cls.cases, slow=pytest.mark.slow)
            metafunc.parametrize(*mark.args, **mark.kwargs)
        for name, several in (("case", "cases"), ("bad_value", "bad_values"), ("bad_report", "bad_reports")):
            if name in metafunc.fixturenames:
                found = getattr(metafunc.cls, several)
                metafunc.parametrize(name, found, ids=[str(x)[:60].replace("\n", " ") for x in found])

    def __getattr__(self, name):
        """Return the check that a table of mistakes calls a test."""
        if name.startswith("test_") and (check := getattr(contract, name[5:], None)) in contract.checks:
            return strictly(check)
        raise AttributeError(name)

    def test_contract(self, check, example):
        strictly(check)(example)

    def test_bad_values_are_refused(self, bad_value):
        with pytest.raises(ValueError, match=r"must .*, got"):
            self.cases[0].mechanism.perturb(bad_value, rng=np.random.default_rng(0))

    def test_bad_reports_are_refused(self, bad_report):
        with pytest.raises(ValueError, match=r"must .*, got"):
            self.cases[0].mechanism.tally(bad_report, *named(self.cases[0].items))
