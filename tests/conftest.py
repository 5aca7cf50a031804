"""Every test process and every kernel that nbval starts sees the environment the chapters were executed in."""

import run_notebooks

run_notebooks.pin()
