"""What `make` has built, for the tests that look at it. They are skipped, with a line that says what to do, where it
is missing or old; LDPNB_BROWSER=required turns the skip into a failure.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "html"
MADE_FROM = ("book", "notebooks", "ldpnb", "tools")


def lacking(reason):
    """Skip, or fail where a browser is required."""
    (pytest.fail if os.environ.get("LDPNB_BROWSER") == "required" else pytest.skip)(reason)


def stale(built, root):
    """Say why a built file cannot be tested, or return None."""
    if not built.is_file():
        return f"there is no {built.name}"
    sources = [path for folder in MADE_FROM for path in (root / folder).rglob("*.*")]
    for path in [root / "_config.yml", root / "_toc.yml", *sources]:
        if "__pycache__" in path.parts or not path.is_file():  # Python's and numba's caches are written by every run
            continue
        if path.stat().st_mtime > built.stat().st_mtime:
            return f"{built.name} is older than {path.relative_to(root).as_posix()}"
    return None


def there(built):
    """Skip or fail unless a file is built and new."""
    if reason := stale(built, ROOT):
        lacking(f"{reason}: make browser")
    return built
