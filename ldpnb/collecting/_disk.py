"""What differs between systems where files outlive a process: locks, names, files in use.

Linux and macOS lock with ``fcntl``, Windows with ``msvcrt``.  On Windows a folder cannot be opened,
so that its names reach the disk when the system likes, and a file cannot be replaced while somebody
reads it.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from ldpnb.checks import shown

T = TypeVar("T")

MOST = 200  # characters of a path in a message
PAUSE = 0.01  # seconds between two tries
TRIES = 100  # for a file that is in use, or a lock that is removed
HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what msvcrt says of a lock that another has
CURES = {
    errno.ENOENT: "make its folder first",
    errno.ENOTDIR: "name a folder before the last /",
    errno.EISDIR: "remove it, or choose another name",
    errno.ELOOP: "remove the link, which leads to itself",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EACCES: "it must be your own",
    errno.EPERM: "it must be your own",
    errno.EROFS: "choose a folder where you may write",
}
OTHERS: dict[str, Callable[[int], bool]] = {
    "a folder": stat.S_ISDIR,
    "a pipe": stat.S_ISFIFO,
    "a socket": stat.S_ISSOCK,
    "a device": lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode),
}


def resolved(path: str | bytes | os.PathLike[Any]) -> Path:
    """Return the one absolute path of a file without links; refuse what is there and is no file.

    Opening a pipe would wait for whoever writes into it, and replacing a device would remove it.
    """
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise ValueError(f"path must be a text or a Path, got {shown(path)}") from None
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        got = shown(text, ascii)
        raise ValueError(f"path must be a name that a file can have, got {got}") from None
    if "\0" in text:
        raise ValueError(f"path must be a name without NUL, got {text!r}")
    found = Path(os.path.realpath(text))
    try:
        with naming(found):
            mode = os.stat(found).st_mode
    except FileNotFoundError:
        # a link of the system to a file that is only open
        if os.path.exists(text) and not found.exists():
            why = "which has been deleted: name a file"
            raise ValueError(f"path must be that of a file, got {text!r}, {why}") from None
        return found
    if not stat.S_ISREG(mode):
        kind = _kind(mode)
        cure = "name a file"
        if kind == "a folder":
            cure = f"name a file in it, as {os.path.join(text, 'account')!r}"
        got = f"{text!r}, which is {kind}"
        raise ValueError(f"path must be that of a file, or new, got {got}: {cure}")
    return found


def _kind(mode: int) -> str:
    """Say what is there, if it is no file."""
    for name, is_one in OTHERS.items():
        if is_one(mode):
            return name
    return "no file"


def unmoved(path: Path) -> None:
    """Refuse a path that `resolved` has returned if it has become a link since."""
    if resolved(path) != path:
        why = "which has become a link: open the account again"
        raise ValueError(f"path must lead to the same file as at first, got {str(path)!r}, {why}")


def brief(path: str | os.PathLike[str]) -> str:
    """Return a path for a message; of a very long one its end, which names the file."""
    text = os.fspath(path)
    if len(text) <= MOST:
        return text
    return f"…{text[-MOST:]}"


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error of the system name the path that was asked for, too, and a cure."""
    try:
        yield
    except OSError as error:
        cure = CURES.get(error.errno or 0, "look after its folder")
        other: str | Path = path
        if isinstance(error.filename, str) and len(error.filename) <= MOST:
            other = error.filename
        why = f"{error.strerror}: {brief(other)!r}: {cure}"
        text = f"path must be one that can be used, got {brief(path)!r}: {why}"
        raise OSError(error.errno, text) from error


def lock(file: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file, given its descriptor, until it is closed.

    Parameters
    ----------
    file : int
        On Windows one byte of it is locked, the one at its position, which need not exist.
    shared : bool
        Whether others may lock it so, too; Windows has no such lock and takes the other one.
    wait : bool
        Whether to wait as long as another has it.

    Raises
    ------
    OSError
        If another has it, unless `wait`, or if the file system fails or has no locks.
    """
    if os.name == "nt":
        _lock_on_windows(file, wait=wait)
        return
    import fcntl

    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    if not wait:
        how |= fcntl.LOCK_NB
    fcntl.flock(file, how)


def _lock_on_windows(file: int, *, wait: bool) -> None:
    import msvcrt

    windows: Any = msvcrt  # of which type checkers know nothing elsewhere
    while True:
        try:
            windows.locking(file, windows.LK_NBLCK, 1)
            return
        except OSError as error:
            if not wait or error.errno not in HELD:
                raise
        time.sleep(PAUSE)


def unlock(file: int) -> None:
    """Unlock an open file, also if a child of a fork has it open; on Windows, closing is enough."""
    if os.name != "nt":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_UN)


_using: set[tuple[int, int, str]] = set()  # process, thread, lock


@contextmanager
def locked(path: Path) -> Iterator[Callable[[], None]]:
    """Hold the lock beside a file, ``….lock``: one thread of one process at a time.

    Parameters
    ----------
    path : Path
        As `resolved` returns it.

    Yields
    ------
    callable
        Raises if one is no longer alone with the file; to be called just before it is replaced.

    Raises
    ------
    RuntimeError
        If this thread has the lock, and would wait for itself.
    ValueError
        If the path has become a link, so that this lock is the wrong one.
    OSError
        If the lock cannot be opened.
    """
    name = path.with_name(f"{path.name}.lock")
    owner = os.getpid()
    # a Path is hashed in Python, which a signal may interrupt
    use = (owner, threading.get_ident(), str(name))
    if use in _using:
        cure = "call none in a signal handler or in a source of randomness"
        rule = "must be over before the same thread begins the next"
        raise RuntimeError(f"a report from {str(path)!r} {rule}: {cure}")
    try:
        _using.add(use)
        with _lock_at(name, path) as file:

            def alone() -> None:
                if os.getpid() != owner:
                    what = "a child that is forked during a report"
                    raise RuntimeError(f"{what} must not pay, as from {str(path)!r}")
                unmoved(path)
                if not _is_at(file, name):
                    what = f"{str(name)!r} was removed or replaced during a report"
                    cure = "nothing is paid: try again, and let it be"
                    raise RuntimeError(f"{what}, and so {cure}")

            unmoved(path)
            yield alone
    finally:
        _using.discard(use)


@contextmanager
def _lock_at(name: Path, path: Path) -> Iterator[int]:
    """Open and lock the lock of a file, and again if it was removed while one waited."""
    for _ in range(TRIES):
        with naming(path):
            file = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
        owner = os.getpid()
        try:
            lock(file, wait=True)
            if _is_at(file, name):
                yield file
                return
        finally:
            try:
                if os.getpid() == owner:
                    unlock(file)  # closing does not, if a child of a fork has it open, too
            finally:  # also if one is interrupted here
                os.close(file)
    got = f"{TRIES} other files"
    raise RuntimeError(f"{str(name)!r} must keep its name while it is in use, got {got}: let it be")


def _is_at(file: int, name: Path) -> bool:
    """Whether an open file still has this name; on Windows it cannot lose it."""
    try:
        return os.name == "nt" or os.path.samestat(os.fstat(file), os.stat(name))
    except FileNotFoundError:
        return False


def _mark(path: Path) -> str:
    return sha256(os.fsencode(path.name)).hexdigest()[:16]


def beside(path: Path) -> Path:
    """Return a new name, of a length that names may have, for what is to replace a file."""
    return path.with_name(f"{_mark(path)}-{secrets.token_hex(8)}.partial")


def tidy(path: Path, *, alone: bool) -> None:
    """Remove what writers of this file that were killed have left `beside` it.

    Parameters
    ----------
    path : Path
    alone : bool
        Whether nobody else can be writing the file now.  If not, what is locked stays, what is
        empty, since a writer may be about to lock it, and what is no file; on Windows, all stays.
    """
    for left in path.parent.glob(f"{_mark(path)}-*.partial"):
        with suppress(OSError):  # another has removed it, or has locked it
            if alone:
                left.unlink()
            elif os.name != "nt":
                _remove_if_left(left)


def _remove_if_left(path: Path) -> None:
    """Remove a file that is not empty and that nobody has locked."""
    # without O_NONBLOCK, a pipe would wait for a writer
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        found = os.fstat(file)
        if stat.S_ISREG(found.st_mode) and found.st_size:
            lock(file)
            path.unlink()
    finally:
        os.close(file)


@contextmanager
def placing(temporary: Path) -> Iterator[None]:
    """Remove a temporary file at the end, when its content has another name that reaches the disk.

    A folder that cannot be read cannot be brought to the disk, and is refused at the beginning.
    """
    folder = None
    if os.name != "nt":
        folder = os.open(temporary.parent, os.O_RDONLY)
    try:
        yield
        if folder is not None:
            os.fsync(folder)
    finally:
        temporary.unlink(missing_ok=True)
        if folder is not None:
            os.close(folder)


def patiently(call: Callable[[], T]) -> T:
    """Do something to a file that, on Windows, may be in use for a moment."""
    if os.name == "nt":
        for _ in range(TRIES):
            try:
                return call()
            except PermissionError:
                time.sleep(PAUSE)
    return call()


def put(path: Path, data: bytes, *, alone: Callable[[], None] | None = None) -> None:
    """Replace a file as a whole, readable by its owner alone, and `tidy` up before.

    The temporary file is locked until it has its name, so that nobody takes it for a leftover.

    Parameters
    ----------
    path : Path
    data : bytes
    alone : callable, optional
        What `locked` gives whoever holds the file's lock.
    """

    def place() -> None:
        if alone is not None:
            alone()
        os.replace(temporary, path)

    if alone is not None:
        alone()  # or the file of whoever is writing would be tidied away
    tidy(path, alone=alone is not None)
    temporary = beside(path)
    with naming(path), placing(temporary):
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            if os.name != "nt":
                with suppress(OSError):  # some file systems have no locks
                    lock(file.fileno(), wait=True)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if os.name != "nt":
                place()
        if os.name == "nt":  # where a file that is open keeps its name
            patiently(place)
