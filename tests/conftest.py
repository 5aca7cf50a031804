"""Every test process and every kernel that nbval starts sees the environment the chapters were executed in."""

import os
from importlib.util import find_spec

import pytest
import run_notebooks
from browser import program, served, started
from built import SITE, lacking, there

run_notebooks.pin()
os.environ.pop("LDPNB_REAL", None)  # make real writes records, a test run must not


@pytest.fixture(scope="module")
def browser():
    if find_spec("playwright") is None or find_spec("axe_playwright_python") is None:
        lacking("playwright or axe-playwright-python is not installed: pip install -r requirements.txt")
    try:
        program()
    except FileNotFoundError as missing:
        lacking(str(missing))
    with started() as one:
        yield one


@pytest.fixture(scope="module")
def site():
    with served(there(SITE / "searchindex.js").parent) as address:  # the last that a build writes
        yield address
