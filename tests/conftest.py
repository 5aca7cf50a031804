"""Every test process and every kernel that nbval starts sees the environment the chapters were executed in."""

import gc
import os
import sys
from importlib.util import find_spec

import forked
import hypothesis
import pytest
import run_notebooks
from browser import program, served, started
from built import SITE, lacking, there

run_notebooks.pin()
hypothesis.settings.register_profile("patient", deadline=None)  # a busy machine is no fault
hypothesis.settings.load_profile("patient")
os.environ.pop("LDPNB_REAL", None)  # make real writes records, a test run must not
if sys.platform == "linux":  # elsewhere, libraries do not allow it
    forked.install()
gc.set_threshold(200_000)  # hardly any of what tests read is garbage, and looking for it takes time


def pytest_unconfigure():
    forked.close()


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="leave out slow tests, and of the others all cases but one")


def pytest_collection_modifyitems(config, items):
    """Leave the first case of each test that is not slow, and all tests about files.

    Of the contract it leaves a case of each check, and of a test marked `each` one for each value of the argument.
    """
    if not config.getoption("quick"):
        return
    first, rest = {}, []
    for item in items:
        each = item.get_closest_marker("each")
        argument = each.args[0] if each else "check"
        value = getattr(item, "callspec", None) and item.callspec.params.get(argument)
        case = item.nodeid if item.path.stem == "test_hygiene" else (item.nodeid.split("[")[0], value)
        if item.get_closest_marker("slow") or first.setdefault(case, item) is not item:
            rest.append(item)
    config.hook.pytest_deselected(items=rest)
    items[:] = first.values()


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
