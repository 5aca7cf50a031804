"""The collector: messages in, a tally on disk.

usage: python server.py FOLDER [--port PORT] [--batch N]    collects until it is stopped (Ctrl-C or SIGTERM)
       python server.py FOLDER --estimate                   prints shares with standard errors
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from contextlib import suppress
from http import HTTPStatus
from math import inf
from pathlib import Path
from socket import SHUT_RDWR, create_server, socket
from socketserver import StreamRequestHandler
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any

import numpy as np
from question import LENGTH, MECHANISM, RECEIVED, SURVEY, TOKEN, printed, unpack

from ldpnb import Tally
from ldpnb.collecting import load_tally, save_tally

HEAD = 2**14  # bytes of a request before its message
TURN = 0.05  # seconds between two looks at deadlines, at most
MOMENT = 0.001  # seconds in which a thread usually closes what was cut
LATER = "cannot be written now, keep your message"
REQUEST = re.compile(rb"POST / HTTP/1\.[01]\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t -~\x80-\xff]*\r\n)*\r\n")


class Desk(StreamRequestHandler):
    """The side of the network: one message in, a status and a reason out, and the connection is closed."""

    server: Any  # a Collector, which is no server of the standard library

    def setup(self) -> None:
        """Limit each silence, too, for systems where a connection that is cut does not wake its thread."""
        super().setup()
        self.connection.settimeout(self.server.deadline)

    def handle(self) -> None:
        """Hear a message; what does not announce itself as one is not read at all."""
        try:
            status, reason = self.judged()
        except MemoryError:
            status, reason = 503, LATER
        lines = f"HTTP/1.0 {status} {HTTPStatus(status).phrase}", f"Content-Length: {len(reason)}", "", reason
        self.wfile.write("\r\n".join(lines).encode())

    def judged(self) -> tuple[int, str]:
        """Read a message, if it is announced, and return a status and a reason."""
        if announces_a_message(self.head()):
            answer: tuple[int, str] = self.server.accept(self.rfile.read(LENGTH))
            return answer
        return 400, f"send POST / with {LENGTH} bytes, not encoded, and each header once"

    def head(self) -> bytes:
        """Return what comes before a message, up to an empty line, and at most `HEAD` bytes of it."""
        lines, left = [], HEAD
        while line := self.rfile.readline(left):
            lines.append(line)
            left -= len(line)
            if not line.strip(b"\r\n"):
                break
        return b"".join(lines)


def announces_a_message(head: bytes) -> bool:
    """Whether a request is a plain one, and announces the bytes of a message.

    Where it is not, as with a header that comes twice or a line that is no header, a proxy in front may have read
    another length than we do, and then takes the rest of one person's message for the beginning of another's.
    """
    if not REQUEST.fullmatch(head):
        return False
    headers = [line.split(b":", 1) for line in head.split(b"\r\n")[1:-2]]
    values = {name.lower(): value.strip(b" \t") for name, value in headers}
    once = len(values) == len(headers)
    return once and b"transfer-encoding" not in values and values.get(b"content-length") == str(LENGTH).encode()


class Seat:
    """A thread's place: the connection that it hears, if any, and when the time of that is over."""

    def __init__(self) -> None:
        self.connection: socket | None = None
        self.end = inf  # also of a connection that is cut
        self.called = Lock()  # released when there is something to hear, or nothing any more
        self.called.acquire()
        self.thread: Thread | None = None


class Door:
    """Connections: none beyond its deadline, and not too many, each heard by one of as many threads.

    All threads are there before the first connection, since one that is started where memory is short may never come,
    and whoever starts it would wait for it.  What they do between two connections takes no memory, so what fails for
    want of it costs a connection, and no thread.

    Parameters
    ----------
    port : int
        On this machine; 0 takes any that is free.
    deadline : float
        Seconds that a connection may last, however many bytes it sends.
    most : int
        Connections at a time.  One more cuts the oldest.
    """

    def __init__(self, port: int, deadline: float, most: int) -> None:
        self.deadline = deadline
        self.seats = [Seat() for _ in range(most)]
        self.changing = Lock()  # of connections that are cut or closed
        self.closed = False
        self.socket = create_server(("127.0.0.1", port), backlog=100)
        self.socket.settimeout(TURN)
        self.server_address = self.socket.getsockname()
        self.listener = Thread(target=self.listen, daemon=True)  # if the program fails elsewhere, it ends
        try:
            for seat in self.seats:
                thread = Thread(target=self.hear, args=(seat,), daemon=True)
                thread.start()
                seat.thread = thread
            self.listener.start()
        except BaseException:
            self.end()
            raise

    def listen(self) -> None:
        """Take connections, and cut those whose time is over, until the door is closed."""
        failed = False
        while not self.closed:
            try:
                if failed:
                    sleep(TURN)
                failed = True
                while self.cut_oldest(monotonic()):
                    pass
                self.take()
                failed = False
            except Exception:  # memory or descriptors are short
                continue

    def take(self) -> None:
        """Take the next connection, in place of the oldest if there are too many."""
        try:
            connection, _ = self.socket.accept()
        except TimeoutError:
            return
        if all(seat.end < inf for seat in self.seats):
            self.cut_oldest(inf)
        while (seat := next((seat for seat in self.seats if seat.connection is None), None)) is None:
            sleep(MOMENT)  # the thread of one that was cut finds that nothing more comes
            self.cut_oldest(inf if self.closed else monotonic())
        end = monotonic() + self.deadline
        seat.connection, seat.end = connection, end
        seat.called.release()

    def cut_oldest(self, now: float) -> bool:
        """Cut the oldest connection if its time is over; return whether there was one.

        Its thread finds that nothing more comes, and closes it.
        """
        seat = min(self.seats, key=lambda seat: seat.end)
        with self.changing:
            if seat.connection is None or seat.end == inf or seat.end > now:
                return False
            seat.end = inf
            with suppress(OSError):  # the other side has gone
                seat.connection.shutdown(SHUT_RDWR)
        return True

    def hear(self, seat: Seat) -> None:
        """Hear one connection after the other, until the door is closed."""
        while True:
            seat.called.acquire()
            if seat.connection is None:
                return
            try:
                Desk(seat.connection, None, self)  # type: ignore[arg-type]
            except Exception:  # of the network, or of memory: the sender keeps the message
                pass
            seat.end = inf
            try:
                with self.changing:  # its descriptor may be another's at once, which must not be cut for it
                    seat.connection.close()
            except Exception:
                pass
            seat.connection = None
            if self.closed:
                return

    def end(self) -> None:
        """End all threads, and close the door."""
        self.closed = True
        if self.listener.ident is not None:
            self.listener.join()
        while self.cut_oldest(inf):
            pass
        running = [seat for seat in self.seats if seat.thread and seat.thread.is_alive()]
        for seat in running:
            with suppress(RuntimeError):  # it was called and comes only now: it ends after that connection
                seat.called.release()
        for seat in running:
            if seat.thread:
                seat.thread.join()
        self.socket.close()


class Collector(Door):
    """Counts reports into one tally in a folder, until it is closed.

    "Received" means: on the disk.  Before that, a message waits in memory, and its sender keeps it.

    The folder has three files.  `tally` is replaced as a whole.  `tokens` has those of all reports in the tally, sorted
    within each batch; what follows them was left by a server that was killed, and is overwritten.  `lock` is empty; if
    it is removed, the server receives nothing any more, since another one may have started.

    Parameters
    ----------
    folder : path
        Of one server at a time; its files are read again at the next start.
    port : int
    batch : int
        Reports that the tally grows by at a time.  With a batch of one, two copies show a report that came alone.
    deadline : float
        Seconds.
    most : int
        Connections.

    Raises
    ------
    ValueError
        If there is no batch or no folder, or if files are damaged or do not belong together.
    RuntimeError
        If another server has the folder.
    """

    def __init__(
        self, folder: str | Path, port: int = 0, *, batch: int = 100, deadline: float = 10.0, most: int = 100
    ) -> None:
        if batch < 1:
            raise ValueError(f"batch must be at least 1, got {batch}: 100 hides a report that comes alone")
        self.folder, self.batch = Path(folder), batch
        self.held = hold(self.folder)
        try:
            self.total = read(folder)
            self.tokens = read_tokens(self.folder / "tokens", self.total.n, batch)
            self.waiting: dict[bytes, tuple[int, ...]] = {}
            self.counting = Lock()
            super().__init__(port, deadline, most)
        except BaseException:
            self.held.close()
            raise

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_address[1]}"

    def accept(self, message: bytes) -> tuple[int, str]:
        """Judge a message, and take it if it is good; return a status and a reason."""
        try:
            token, report = unpack(message)
        except ValueError as error:
            return 400, str(error)
        if not self.counting.acquire(timeout=self.deadline):
            return 503, LATER
        try:
            if len(self.waiting) == self.batch:  # the last try failed: first the same batch again
                self._write()
            if token not in self.tokens:
                self.waiting.setdefault(token, report)
            if len(self.waiting) == self.batch:
                self._write()
            if token in self.tokens:
                return 200, RECEIVED
            return 202, "waits for others, keep your message and send it again"
        except Exception:  # of the disk, or of memory, or the folder is another's
            return 503, LATER
        finally:
            self.counting.release()

    def _write(self) -> None:
        """Bring the batch to the disk; the caller has the lock.

        Tokens come first, behind those that count.  They count from the moment when the tally does.  After an error we
        do not know whether the tally is there, so the next try writes the same bytes: what we begin with, `total` and
        `waiting`, changes at the end, where nothing can fail any more.
        """
        if not is_at(self.held, self.folder / "lock"):
            raise RuntimeError("the lock was replaced, so another server may have the folder")
        tokens = sorted(self.waiting)  # not in the order in which they came
        reports = [self.waiting[token] for token in tokens]
        with (self.folder / "tokens").open("r+b") as file:
            file.seek(TOKEN * self.total.n)
            file.write(b"".join(tokens))
            file.flush()
            os.fsync(file.fileno())
        total = self.total + MECHANISM.tally(np.array(reports, MECHANISM.dtype))
        save_tally(total, self.folder / "tally", label=SURVEY)
        self.tokens.update(tokens)  # the last that takes memory
        self.total = total
        self.waiting.clear()

    def close(self) -> int:
        """Hear no more, cut the connections that are open, and release the folder.

        There is nothing to write: what was received is on the disk.  What is being written, or waits for that, takes
        its time, which is the deadline and that of the disk at most.

        Returns
        -------
        int
            Messages that waited; their senders keep them.
        """
        try:
            self.end()
        finally:
            self.held.close()
        return len(self.waiting)


def hold(folder: Path) -> Any:
    """Return the file that keeps other servers out of a folder until it is closed."""
    if not folder.is_dir():
        raise ValueError(f"folder must be there, got {str(folder)!r}: make it first")
    (folder / "lock").touch(0o600)
    file = (folder / "lock").open("ab")
    try:
        lock(file.fileno())
    except OSError as error:
        file.close()
        cure = "stop that one, or take another folder"
        raise RuntimeError(f"folder must be that of one server, got {str(folder)!r} of another: {cure}") from error
    return file


def lock(file: int) -> None:
    """Lock an open file until it is closed; an error of the system if another has it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_at(file: Any, path: Path) -> bool:
    """Whether an open file still has this name; on Windows it cannot lose it."""
    return sys.platform == "win32" or os.path.samestat(os.fstat(file.fileno()), path.stat())


def read(folder: str | Path) -> Tally:
    """Return the tally of a folder, or an empty one."""
    path = Path(folder) / "tally"
    if path.exists():
        return load_tally(path, MECHANISM, label=SURVEY)
    return MECHANISM.tally(np.empty(0, MECHANISM.dtype))


def read_tokens(path: Path, count: int, batch: int) -> set[bytes]:
    """Return the first tokens of a file, which is made if it is not there; at most a batch may follow them."""
    path.touch(0o600)
    data = path.read_bytes()
    found = len(data) // TOKEN
    if not count <= found <= count + batch:
        cure = "collect into a new folder, and add both tallies"
        if found > count:
            cure = f"bring back the newest tally, or start with --batch {found - count} if that was the last batch"
        raise ValueError(
            f"tokens must be those of {count} reports and at most one batch, got {found} in {str(path)!r}: {cure}"
        )
    return {data[TOKEN * i : TOKEN * (i + 1)] for i in range(count)}


def port(text: str) -> int:
    """Return a port if it can be one."""
    if not text.isdecimal() or not text.isascii() or int(text[:6]) >= 2**16:
        raise argparse.ArgumentTypeError(f"port must be an integer below 65536, got {text[:60]!r}")
    return int(text)


def main() -> None:
    """Collect, or print the estimates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--port", type=port, default=0)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--estimate", action="store_true")
    given = parser.parse_args()
    if given.estimate:
        try:
            tally = read(given.folder)
        except (ValueError, OSError) as error:
            sys.exit(f"not estimated: {error}")
        if not tally.n:
            sys.exit(f"folder must have a tally, got {given.folder!r}: collect a batch first")
        for line in printed(tally):
            print(line)
        return
    try:
        collector = Collector(given.folder, given.port, batch=given.batch)
    except (ValueError, RuntimeError, OSError) as error:
        sys.exit(f"not started: {error}")
    stopped = False

    def stop(*_: Any) -> None:
        nonlocal stopped
        stopped = True

    for kind in (signal.SIGINT, signal.SIGTERM):  # until now, a signal ends the program at once
        signal.signal(kind, stop)
    try:
        print(collector.address, flush=True)
        while not stopped:  # takes no memory; if a signal finds none, its error ends the program, too
            sleep(4 * TURN)
    finally:
        waited = collector.close()
    print(f"stopped; {waited} messages waited, and their senders keep them")


if __name__ == "__main__":
    main()
