"""The collector: messages in, a tally on disk.

usage: python server.py FOLDER [--port PORT]      collects until it is stopped (Ctrl-C or SIGTERM)
       python server.py FOLDER --estimate         prints shares with standard errors
"""

from __future__ import annotations

import argparse
import signal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import sqrt
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import numpy as np
from question import LENGTH, MECHANISM, SURVEY, unpack

from ldpnb import Tally
from ldpnb.serve import load_tally, save_tally


class Desk(BaseHTTPRequestHandler):
    """The side of the network: one message in, a status and a reason out, and the connection is closed."""

    server: Collector
    timeout = 10  # seconds of silence
    wbufsize = -1  # an answer goes out in one piece
    error_message_format, error_content_type = "%(message)s", "text/plain"

    def do_POST(self) -> None:
        """Hear a message; what does not announce itself as one is not read at all."""
        one = self.headers["Content-Length"] == str(LENGTH) and "Transfer-Encoding" not in self.headers
        status, reason = self.server.accept(self.rfile.read(LENGTH) if one else b"")
        self.send_response(status)
        self.send_header("Content-Length", str(len(reason)))
        self.end_headers()
        self.wfile.write(reason.encode())

    def log_message(self, *args: Any) -> None:
        """Write no log: it would have addresses and times."""


class Collector(ThreadingHTTPServer):
    """Counts reports into one tally in a folder, until it is closed.

    Parameters
    ----------
    folder : path
        Of the tally, which is replaced as a whole and read again at the next start.
    port : int
        On this machine; 0 takes any that is free.
    batch : int
        Reports that are added to the file at a time.
    least : int
        The file never grows by fewer: two copies of it would show a report that came alone.
    """

    daemon_threads = False  # closing waits for them
    request_queue_size = 100  # connections that may wait to be heard

    def __init__(self, folder: str | Path, port: int = 0, *, batch: int = 1000, least: int = 100) -> None:
        super().__init__(("127.0.0.1", port), Desk)
        self.path, self.batch, self.least = Path(folder) / "tally", batch, least
        self.total = read(folder)
        self.waiting: list[tuple[int, int]] = []
        self.tokens: set[bytes] = set()
        self.lock = Lock()
        self.thread = Thread(target=self.serve_forever, args=(0.05,))
        self.thread.start()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_port}"

    def accept(self, message: bytes) -> tuple[int, str]:
        """Judge a message, and take it if it is good; return a status and a reason."""
        try:
            token, report = unpack(message)
        except ValueError as error:
            return 400, str(error)
        with self.lock:
            if token in self.tokens:
                return 409, "received before"
            if len(self.waiting) >= self.batch + self.least:
                try:
                    self._write(self.batch)
                except OSError:
                    return 503, "the disk fails, keep your message"
            self.tokens.add(token)
            self.waiting.append(report)
        return 200, "received"

    def _write(self, count: int) -> None:
        """Add the first reports that wait to the file; the caller has the lock."""
        total = self.total + MECHANISM.tally(np.array(self.waiting[:count], MECHANISM.dtype))
        save_tally(total, self.path, label=SURVEY)
        self.total = total
        del self.waiting[:count]

    def close(self) -> int:
        """Hear no more, wait for those who are being heard, and write what waits.

        Returns
        -------
        int
            Reports that are given up, because they are fewer than `least`.
        """
        self.shutdown()
        self.thread.join()
        self.server_close()
        with self.lock:
            if len(self.waiting) >= self.least:
                self._write(len(self.waiting))
            return len(self.waiting)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: the standard library would print the address."""


def read(folder: str | Path) -> Tally:
    """Return the tally of a folder, or an empty one."""
    path = Path(folder) / "tally"
    if path.exists():
        return load_tally(path, MECHANISM, label=SURVEY)
    return MECHANISM.tally(np.empty(0, MECHANISM.dtype))


def main() -> None:
    """Collect, or print the estimates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--estimate", action="store_true")
    given = parser.parse_args()
    if given.estimate:
        tally = read(given.folder)
        shares, variance = MECHANISM.estimate(tally), MECHANISM.variance([0])[0, 1]  # of an item that nobody has
        for item, share in enumerate(shares):
            print(f"{item}  {share:7.3f} ± {sqrt(variance / tally.n):.3f}")
        return
    stopped = Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, lambda *_: stopped.set())
    collector = Collector(given.folder, given.port)
    print(collector.address, flush=True)
    while not stopped.wait(1):  # on Windows, nothing interrupts a wait without an end
        pass
    print(f"stopped; {collector.close()} reports were too few to be written")


if __name__ == "__main__":
    main()
