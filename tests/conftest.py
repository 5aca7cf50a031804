"""Every test process and every kernel that nbval starts sees the environment the chapters were executed in."""

import os

import run_notebooks

run_notebooks.pin()
os.environ.pop("LDPNB_REAL", None)  # make real writes records, a test run must not
