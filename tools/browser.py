"""An installed Chromium or Chrome, and a server for the files that it reads."""

import functools
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    *("--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


def program() -> str:
    """Return the path of the browser, which LDPNB_CHROMIUM may name.

    Raises
    ------
    FileNotFoundError
        If there is none; the message says what to do.
    """
    named = os.environ.get("LDPNB_CHROMIUM")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        missing = f"LDPNB_CHROMIUM={named} is no program" if named else "no Chromium or Chrome here"
        raise FileNotFoundError(f"{missing}: apt-get install chromium, or set LDPNB_CHROMIUM to a Chromium or Chrome")
    return found


@contextmanager
def started() -> Iterator[Any]:
    """Start the browser without a window; yield it."""
    path = program()
    from playwright.sync_api import sync_playwright

    root = hasattr(os, "geteuid") and os.geteuid() == 0  # for root, Chromium has no sandbox
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS + ["--no-sandbox"] * root)
        yield browser
        browser.close()


class Quiet(SimpleHTTPRequestHandler):
    """Serve files without a word."""

    protocol_version = "HTTP/1.1"  # keeps connections open, which halves the time

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine alone; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
