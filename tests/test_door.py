"""The front door shows the public names, and opening it loads nothing heavy."""

import subprocess
import sys

import pytest

import ldpnb

HEAVY = ("numba", "pandas", "matplotlib", "scipy.optimize")


def loaded(code):
    """Which heavy modules a fresh interpreter has loaded after some code."""
    line = f"{code}\nimport sys; print(*[m for m in {('numpy', *HEAVY)} if m in sys.modules])"
    return subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout.split()


def test_opening_the_door_loads_nothing():
    assert loaded("import ldpnb; dir(ldpnb); ldpnb.__version__") == []


def test_a_mechanism_loads_numpy_alone():
    assert loaded("import ldpnb; ldpnb.GRR(k=2, epsilon=1)") == ["numpy"]


def test_what_is_heavy_would_be_seen():
    """The control."""
    assert loaded("import pandas, scipy.optimize") == ["numpy", "pandas", "scipy.optimize"]


@pytest.mark.parametrize("name", ldpnb.__all__)
def test_every_name_is_there_and_lives_in_the_package(name):
    found = getattr(ldpnb, name)
    assert getattr(found, "__module__", getattr(found, "__name__", "")).startswith("ldpnb."), name
    assert name in dir(ldpnb) and found.__doc__


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match=r"module 'ldpnb' has no attribute 'nonsense'"):
        ldpnb.nonsense  # noqa: B018


def test_star_import_brings_no_more_than_the_door():
    names = {}
    exec("from ldpnb import *", names)
    assert set(names) - {"__builtins__"} == set(ldpnb.__all__)
